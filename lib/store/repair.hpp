// Bringing back what is left in files that were set aside because of damage. Works on a store at
// rest: takes the lease of the domain's disk folder, recovers it as a daemon would, adds what is
// whole and belongs to the history, and renames the damaged originals; none is ever removed. Rules,
// and why it may be interrupted anywhere: LOG-FORMAT.md, section 11a.
#pragma once

#include "store/commands.hpp"
#include "store/file_system.hpp"
#include "store/key_finder.hpp"
#include "store/work_progress.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace durability::store {

struct RepairOptions {
    std::string directory;  // a domain's disk folder
    std::uint64_t sample_size{0};
    bool dry_run{false};       // only look: no lease is taken, nothing changes
    KeyFinders key_finders{};  // as StoreOptions has them
};

enum class RepairAction : std::uint8_t {
    restored,       // what was whole is in the store again
    nothing_added,  // whole samples, if any, were there already, or newer ones have replaced them
    replaced,       // metadata or a checkpoint: the store has made it anew
    left,           // nothing could be done; `reason` says why
};
// "restored", "nothing to add", ...
[[nodiscard]] std::string_view name(RepairAction action);

struct RepairedFile {
    std::string path;      // as it was found
    std::string moved_to;  // its name now, which means: dealt with. Empty: it has the old one
    RepairAction action{RepairAction::left};
    std::string reason;
    std::string topic;
    std::uint64_t found{0};    // whole samples, or records
    std::uint64_t added{0};    // of these
    std::uint64_t already{0};  // of these: there already, or superseded
    std::uint64_t bytes{0};
    std::uint64_t unreadable{0};  // of these
};

struct RepairReport {
    std::vector<RepairedFile> files;
    // Something is still damaged and was not dealt with.
    [[nodiscard]] bool remains() const;
};

// Events of the recovery go to `out`. Errors: in_use (directory and pid), version, io, permission;
// what was not finished then is done by the next call.
[[nodiscard]] Result<RepairReport> repair(FileSystem& files,
                                          const RepairOptions& options,
                                          std::vector<Completion>& out,
                                          const OnWork& on_work = {});

}  // namespace durability::store
