// The list of arrival numbers that were retained in a group at one moment. Written before frames
// that are no longer retained are removed from any log of the group, or when something other than
// an arriving sample decided what is retained; so recovery need not ask the retention rule about
// frames that are not there any more. Format: lib/store/LOG-FORMAT.md, section 9.
#pragma once

#include "durability/error.hpp"
#include "store/file_system.hpp"
#include "store/log_format.hpp"
#include "store/log_scan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace durability::store {

struct Checkpoint {
    Arrival as_of{0};               // the list speaks about samples up to here
    std::vector<Arrival> retained;  // ascending
};

// The whole file.
[[nodiscard]] Buffer encode_checkpoint(const Checkpoint& checkpoint, const GroupHash& group);

// Nothing when there is no checkpoint file. `scan` says what a file that cannot be used looks like:
// then the list is empty too.
struct CheckpointFile {
    std::optional<Checkpoint> checkpoint;
    ScanResult scan;
};
[[nodiscard]] Result<std::optional<CheckpointFile>> read_checkpoint(FileSystem& files,
                                                                    const std::string& folder);

// Writes `content` to a private file beside `path`, syncs it, renames it over `path` and syncs the
// folder (`durable`; without, neither sync).
Status replace_file(FileSystem& files,
                    const std::string& folder,
                    std::string_view name,
                    Buffer content,
                    bool durable);

}  // namespace durability::store
