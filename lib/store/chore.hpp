// Work on files that has to wait for the disk: writing a file beside and renaming it, removing what
// a list on disk has made superfluous. It is done by whoever runs the SyncJob, after the files of
// the same job were synced; the store goes on meanwhile and hears of the outcome. Knows no groups
// and no logs.
#pragma once

#include "store/commands.hpp"
#include "store/file_system.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace durability::store {

struct Chore {
    struct Write {  // made, or emptied, then written as a whole
        std::string path;
        Buffer content;
        bool sync{true};
    };
    struct Sync {
        std::shared_ptr<File> file;
    };
    struct Rename {
        std::string from;
        std::string to;
    };
    struct Remove {  // that it is not there is as good
        std::string path;
    };
    struct SyncDirectory {
        std::string path;
    };
    using Step = std::variant<Write, Sync, Rename, Remove, SyncDirectory>;

    // Not begun when a file or folder of this group could not be synced: `done` hears why.
    std::optional<GroupHandle> group;
    std::vector<Step> steps;
    std::function<void(const Status& outcome, std::vector<Completion>& out)> done;
    Status outcome{};
};

// The steps that replace a file as a whole (LOG-FORMAT.md, rule 2). `durable` is false for a memory
// folder, where a power cut takes everything anyway. The folder is left to be synced.
void add_replacement(std::vector<Chore::Step>& steps,
                     const std::string& folder,
                     std::string_view name,
                     Buffer content,
                     bool durable);

// One step after the other until one fails. What was written beside for nothing is removed.
[[nodiscard]] Status carry_out(FileSystem& files, const std::vector<Chore::Step>& steps);

}  // namespace durability::store
