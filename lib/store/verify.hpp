// A read-only check of one of the store's folders (or a folder above several): a report for each
// file. Changes nothing and takes no lease, so it may run beside the daemon; a log that is being
// written may then end in an incomplete frame, which counts as torn and not as damage.
#pragma once

#include "store/file_system.hpp"
#include "store/log_scan.hpp"
#include "store/work_progress.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace durability::store {

// What a file's own name says it is.
enum class FileRole : std::uint8_t {
    log,
    meta,
    checkpoint,
    records,
    set_aside,  // damaged; `repair` has not dealt with it yet
    repaired,   // damaged; what could be saved of it is in the store again
    leftover,   // unfinished; removed at the next start
    foreign
};
// "log", "set aside", ...
[[nodiscard]] std::string_view name(FileRole role);

struct FileReport {
    std::string path;
    FileRole role{FileRole::foreign};
    TailVerdict verdict{TailVerdict::clean};
    std::uint64_t bytes{0};
    std::uint64_t frames{0};     // whole and right, from the beginning
    std::uint64_t samples{0};    // of these
    std::uint64_t offset{0};     // of the first thing that is wrong; equals bytes when nothing is
    std::string reason;          // empty when nothing is wrong
    std::string topic;           // as the file itself says; empty when it does not
    std::optional<Guid> writer;  // of a log
};

struct VerifyReport {
    std::vector<FileReport> files;
    // Files with damage that nobody has dealt with, or of a newer version.
    std::uint64_t damaged{0};
    std::uint64_t torn{0};
    std::uint64_t foreign{0};
    std::uint64_t samples{0};
    std::uint64_t bytes{0};
    [[nodiscard]] bool sound() const { return damaged == 0; }
};

// `sample_size` is limits.sample_size. Fails when a folder or file is there and cannot be read
// (permission, io; the path is named); one that a running daemon removes meanwhile is left out.
[[nodiscard]] Result<VerifyReport> verify(FileSystem& files,
                                          const std::string& folder,
                                          std::uint64_t sample_size,
                                          const OnWork& on_work = {});

}  // namespace durability::store
