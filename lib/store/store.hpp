// The store of one domain: every file of its disk folder and its memory folder, and what is
// retained in them. Synchronous, without threads, sockets or clock; owned by one thread
// (store_thread.hpp), or by a tool working on a store at rest. Format: lib/store/LOG-FORMAT.md.
//
// Changing and making durable are two steps, so that the disk never holds up appends and reads:
//
//     store.execute(Append{...}, out);                // frames are written
//     store.settle(out);                              // what need not wait for the disk ->
//     Committed SyncJob job = store.begin_sync(out);            // what has to reach the disk
//     Store::run(job);                                // on any thread; the store goes on meanwhile
//     store.end_sync(std::move(job), out);            // marks -> Committed, or a group is degraded
//
// After open() nothing but run() and close() waits for the disk (fdatasync, fsync of a folder),
// save for more logs than limits.open_files that are written at once, and a group whose metadata
// was lost.
#pragma once

#include "durability/config.hpp"
#include "store/commands.hpp"
#include "store/file_system.hpp"
#include "store/key_finder.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace durability::store {

struct StoreOptions {
    // The domain's own folders; made when missing (their parents too). They must differ.
    std::string disk_directory;
    std::string memory_directory;
    SyncPolicy sync{SyncPolicy::commit};
    Limits limits;  // sample_size, total_*, retired_writers, open_files are the store's
    // A log is continued in a new file beyond this size; at most 16 GiB.
    std::uint64_t segment_bytes{64ULL << 20U};
    // A log is rewritten when its dead bytes exceed this and outweigh its live ones.
    std::uint64_t compaction_floor{1ULL << 20U};
    // open() reads metadata only; do_slice() reads the groups, log by log, those first for which an
    // OpenGroup waits. Topics can be served as they are loaded.
    bool load_later{false};
    // Empty: keys are known as received only.
    KeyFinders key_finders{};
};

// Called while open() makes progress: a sentence for a status line. May be empty.
using Progress = std::function<void(std::string_view)>;

// Files with bytes that are not yet known to be on disk, files to be replaced or removed once they
// are, and what hangs on it.
class SyncJob {
  public:
    SyncJob();
    SyncJob(SyncJob&&) noexcept;
    SyncJob& operator=(SyncJob&&) noexcept;
    SyncJob(const SyncJob&) = delete;
    SyncJob& operator=(const SyncJob&) = delete;
    ~SyncJob();
    [[nodiscard]] bool empty() const;

    struct Impl;

  private:
    friend class Store;
    std::unique_ptr<Impl> impl_;
};

struct Record {
    RecordKind kind{RecordKind::identity};
    Buffer key;
    Buffer value;
    friend bool operator==(const Record&, const Record&) = default;
};

class Store {
  public:
    // Takes the leases of both folders, then recovers: torn tails are cut, damaged logs set aside,
    // each with an event in `out`. Errors, with nothing served: in_use (directory and pid), version
    // (a file of a newer format, named), io and permission (path). `files` must outlive the store.
    static Result<std::unique_ptr<Store>> open(FileSystem& files,
                                               StoreOptions options,
                                               WallTime now,
                                               std::vector<Completion>& out,
                                               const Progress& progress = {});
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    // Does not sync: close() does.
    ~Store();

    // Groups that were found or opened so far, by handle; without writers where they are still to
    // be loaded.
    [[nodiscard]] std::vector<OpenedGroup> groups() const;
    [[nodiscard]] std::vector<Record> records(RecordKind kind) const;
    [[nodiscard]] StoreStatus status() const;

    void execute(Command command, std::vector<Completion>& out);

    // Commits what does not have to wait for the disk: memory folders, and every policy but commit.
    // Call it after every batch, also while a job runs.
    void settle(std::vector<Completion>& out);
    // Takes everything that waits for the disk; settles first. An empty job need not be run. One
    // job at a time. Under SyncPolicy::interval the caller calls it with `interval_due` every
    // interval, else without.
    [[nodiscard]] SyncJob begin_sync(std::vector<Completion>& out, bool interval_due = false);
    // Only calls on files; touches nothing of the store.
    static void run(SyncJob& job);
    void end_sync(SyncJob job, std::vector<Completion>& out);
    // The job has run for so long that nobody should wait for it any more: records that were to be
    // on disk are answered with `unavailable`. With `report` the disk counts as stuck: an event
    // says so, and status, until end_sync().
    void on_slow_disk(bool report, std::vector<Completion>& out);

    // Some group is degraded: call retry() after a while.
    [[nodiscard]] bool degraded() const;
    // Writes what a degraded group could not to fresh files; when the next job has synced them it
    // is healed.
    void retry(std::vector<Completion>& out);

    // There is a group to be loaded, or compaction work that need not wait for a job; do_slice()
    // does a bounded part of it (one log; about a megabyte).
    [[nodiscard]] bool work_due() const;
    void do_slice(std::vector<Completion>& out);

    // Writes pending commit frames; to be called when nothing was appended for a moment.
    void idle(std::vector<Completion>& out);
    // Syncs everything, writes the last commit frames. Nothing may be executed afterwards. An error
    // says that something could not be synced; the store is then as after a power cut.
    Status close(std::vector<Completion>& out);

  private:
    struct Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace durability::store
