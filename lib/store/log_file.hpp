// One writer's log, or one segment of it: append, sync, truncate. Knows frames, not samples; what
// to keep is decided in retention.hpp. Owned by the store's thread. Format:
// lib/store/LOG-FORMAT.md.
#pragma once

#include "durability/error.hpp"
#include "store/file_system.hpp"
#include "store/log_format.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace durability::store {

using LogId = std::uint32_t;

// How bytes of a log become safe.
enum class Safety : std::uint8_t {
    synced,   // by fdatasync
    written,  // by write(): memory folder, where a power cut takes everything anyway
    none,     // never known: disk folder under SyncPolicy::none
};

class LogFile {
  public:
    // Bytes handed over but not known to be safe: kept to be written again elsewhere.
    struct Pending {
        std::uint64_t offset{0};
        Buffer bytes;
    };

    // Where the log stands
    //   safe_     bytes known to be on disk (to Safety), always a frame boundary
    //   written_  bytes in the file, always a frame boundary; safe_ <= written_
    //   size_     written_, and what could not be written because the log has failed
    //   batch_    frames being encoded; they follow at size_
    //   front_    where the frames begin that no other file repeats: behind what every log begins
    //   with
    // pending_ holds the bytes from safe_ or front_, whichever is greater, to size_ (nothing with
    // Safety::none).
    LogFile(std::string folder, LogName name, Safety safety);

    [[nodiscard]] const std::string& folder() const { return folder_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const LogName& name() const { return name_; }
    [[nodiscard]] Safety safety() const { return safety_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t safe() const { return safe_; }
    [[nodiscard]] std::uint64_t end() const { return size_ + batch_.size(); }
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] bool exists() const { return exists_; }
    // Its name is on disk.
    [[nodiscard]] bool is_named() const { return named_; }
    void set_named() { named_ = true; }
    // There are written bytes that an fdatasync would make safe.
    [[nodiscard]] bool needs_sync() const { return !failed_ && unsynced_; }
    // And its topic's samples are not safe before.
    [[nodiscard]] bool waits_for_sync() const { return needs_sync() && safety_ == Safety::synced; }
    [[nodiscard]] const std::vector<Pending>& pending() const { return pending_; }
    [[nodiscard]] std::uint64_t pending_bytes() const { return pending_bytes_; }
    // Where pending() begins: what would have to be written again elsewhere.
    [[nodiscard]] std::uint64_t pending_begin() const { return std::max(safe_, front_); }

    // The open file; null while closed. Whoever opens it sets it (the store bounds open files).
    std::shared_ptr<File> file;
    std::uint64_t last_used{0};

    // Takes over a file whose first `size` bytes were found good, of which `covered` are vouched
    // for.
    void adopt(std::uint64_t size, std::uint64_t covered);
    // A file just written and synced as a whole.
    void adopt_synced(std::uint64_t size, std::uint64_t covered);
    // A file just made, not synced: `front` octets that every log begins with, then `content`.
    void adopt_written(std::uint64_t front, Buffer content);
    // There is no file and there will be none: what is appended waits in memory.
    void fail_from_start() { failed_ = true; }

    // Where to encode the next frame. Begins with a commit frame when enough has become safe since
    // the last one.
    [[nodiscard]] Buffer& batch();
    [[nodiscard]] bool has_batch() const { return !batch_.empty(); }
    // Writes the batch. After an error the log has failed: bytes stay pending, the file was cut
    // back to a frame boundary as far as possible.
    Status write_batch();
    // A commit frame for what is safe and not vouched for; true when there is one to write.
    bool add_commit_frame();

    // The outcome of an fdatasync that began when the file had `length` bytes.
    void on_synced(std::uint64_t length);
    void on_sync_failed() { failed_ = true; }
    Status sync_now();

    // From the file, or from memory for what is not in it. False when it is in neither.
    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out);

    // After its pending bytes went to another log: ends at what is safe.
    void give_up_pending();

  private:
    std::string folder_;
    LogName name_;
    std::string path_;
    Safety safety_;
    std::uint64_t written_{0};
    std::uint64_t front_{0};
    std::uint64_t safe_{0};
    std::uint64_t size_{0};
    std::uint64_t covered_{0};  // what the last commit frame vouches for
    Buffer batch_;
    std::vector<Pending> pending_;
    std::uint64_t pending_bytes_{0};
    bool unsynced_{false};
    bool failed_{false};
    bool exists_{false};
    bool named_{false};
};

}  // namespace durability::store
