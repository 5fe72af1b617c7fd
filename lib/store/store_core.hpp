// The store's inside: what the parts of the facade (store.cpp) share. Each group of functions below
// has its own source file, named in the comment above it. Owned by one thread.
#pragma once

#include "store/checkpoint.hpp"
#include "store/commands.hpp"
#include "store/dedup.hpp"
#include "store/log_file.hpp"
#include "store/record_file.hpp"
#include "store/retention.hpp"
#include "store/sample_index.hpp"
#include "store/store.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace durability::store {

using WriterIndex = std::uint32_t;

// What the limits count over: all writers of a group, or one of them (Contract::scope).
struct History {
    explicit History(bool keyed) : index(keyed) {}
    // A stored dispose or unregister, from which an instance's delay counts while it is the newest
    // sample of the instance.
    struct Ending {
        SampleIndex::InstanceId instance{0};
        Arrival arrival{0};
        WallTime since{};
        bool this_run{false};  // stored by this process, so a step of the clock moves it
    };
    // What arrived before `arrival` was received at `since` or earlier. About a hundred of these
    // divide Contract::max_age; without one there are none.
    struct AgeMark {
        Arrival arrival{0};
        WallTime since{};
        bool this_run{false};
    };
    void note_received(Arrival arrival, WallTime received, Duration max_age, bool this_run);

    SampleIndex index;
    std::vector<Ending> endings;
    std::deque<AgeMark> ages;
    AgeMark newest;  // the mark that the next sample may set
};

struct SourceWriter {
    Guid guid;
    NumberSet known;          // numbers that are, or once were, stored or refused
    std::vector<LogId> logs;  // ascending segments
    bool has_active{false};   // the last of logs takes appends
    std::uint32_t next_segment{1};
    std::uint32_t history{0};
    bool in_use{true};  // false: a free place in the table
    bool retired{false};
    bool expiry_this_run{false};  // the date was computed by this process
    WallTime expires{WallTime::max()};
    Duration delay{};
    std::uint64_t retained{0};
    std::uint64_t payload_bytes{0};
    SequenceNumber synced;  // everything known up to it was on disk together
};

struct Group {
    GroupHandle handle{0};
    GroupMeta meta;
    GroupHash hash{};
    std::string folder;
    std::vector<std::unique_ptr<History>> histories;
    std::vector<SourceWriter> writers;
    std::unordered_map<Guid, WriterIndex> by_guid;
    std::vector<Committed::Mark> waiting;  // marks of appends that are not known to be safe
    bool degraded{false};
    std::uint64_t appended{0};
    std::uint64_t duplicates{0};
    std::uint64_t evicted{0};
    std::uint64_t rejected{0};
    std::uint64_t rejected_in_batch{0};
    std::string_view reject_reason;
    WriterIndex last_writer{0};  // samples of one writer come in rows
    [[nodiscard]] bool on_disk() const { return meta.storage == StorageKind::disk; }
};

struct Log {
    Log(LogFile log_file, GroupHandle of_group, WriterIndex of_writer, std::uint64_t its_serial)
        : file(std::move(log_file)), group(of_group), writer(of_writer), serial(its_serial) {}
    LogFile file;
    GroupHandle group;
    WriterIndex writer;
    std::uint64_t serial;           // tells it from another that has its id later
    std::uint64_t sample_bytes{0};  // frames of all samples in it
    std::uint64_t live_bytes{0};    // of those that are retained
    std::uint64_t live_frames{0};
    bool in_batch{false};    // on the list of logs to be written at the end of the batch
    bool touched{false};     // on the list of logs appended to since the last idle moment
    bool dirty{false};       // on the list of logs to be synced
    bool due{false};         // on the list of logs to be compacted
    bool settling{false};    // sealed a moment ago: usually dies by itself
    bool wanted{false};      // to be compacted whatever its size: something in it was purged
    bool unreadable{false};  // compaction failed on damage: left alone
    [[nodiscard]] std::uint64_t dead_bytes() const { return sample_bytes - live_bytes; }
};

// A compaction in progress: frames of one sealed log that are copied to a file beside it.
struct Rewrite {
    LogId log{0};
    std::uint64_t serial{0};
    std::shared_ptr<File> target;
    std::string target_path;
    std::uint64_t size{0};
    std::uint64_t copied{0};  // of these, frames of samples
    Arrival cursor{0};
    struct Moved {
        Arrival arrival;
        std::uint64_t offset;
    };
    std::vector<Moved> moved;
};

// A step of the wall clock, seen by comparing it with the monotonic clock.
struct ClockWatch {
    std::optional<Now> last;
    MonoTime started{};
    bool has_started{false};
};

struct StoreCore {
    StoreCore(FileSystem& file_system, StoreOptions store_options)
        : files(file_system), options(std::move(store_options)) {}

    FileSystem& files;
    StoreOptions options;
    bool read_only{false};  // a tool looks on: nothing is cut, moved or removed
    std::unique_ptr<Lease> disk_lease;
    std::unique_ptr<Lease> memory_lease;
    std::vector<std::unique_ptr<Group>> groups;  // by handle
    std::map<GroupKey, GroupHandle> by_key;
    std::vector<std::unique_ptr<Log>> logs;  // by id; null: free
    std::vector<LogId> free_logs;
    std::vector<LogId> open_logs;
    std::uint64_t next_serial{1};
    std::uint64_t use_counter{0};
    RecordFile records;

    Arrival next_arrival{1};
    Arrival arrival_ceiling{0};  // numbers below it may be given out: a record says so on disk
    WallTime wall{};             // the latest heard of
    // Of samples found at the start, and of those stored since: see retirement.cpp.
    WallTime newest_received{WallTime::min()};
    WallTime newest_this_run{WallTime::min()};
    ClockWatch clock;
    std::uint64_t total_samples{0};
    std::uint64_t disk_bytes{0};
    std::uint64_t memory_bytes{0};
    std::uint64_t disk_room{0};  // octets until the file system is looked at again
    std::uint64_t retired_writers{0};
    std::uint64_t syncs{0};
    std::uint64_t failed_syncs{0};
    std::uint64_t compactions{0};

    std::vector<LogId> batch_logs;
    std::vector<LogId> touched_logs;
    std::vector<LogId> dirty_logs;
    std::vector<GroupHandle> waiting_groups;
    std::vector<LogId> due_logs;
    std::vector<LogId> settling_logs;
    std::optional<Rewrite> rewrite;
    std::vector<SampleIndex::Entry> evicted;  // scratch
    // Found where no event could be given; turned into StoreDegraded soon after.
    std::vector<std::pair<GroupHandle, Error>> failures;

    using Out = std::vector<Completion>;
    using Fields = std::vector<std::pair<std::string_view, std::string>>;
    void report(Out& out, EventKind kind, Fields fields) const;

    // append.cpp
    void append(const AppendBatch& batch, Out& out);
    void store_sample(Group& group, const AppendBatch::Entry& entry, Out& out);
    void flush_batch(Out& out);
    void note_mark(Group& group, const Guid& writer, SequenceNumber number);
    void account_evicted(Group& group);
    void reserve_arrivals(std::size_t count);
    // Whether limits.reserve_disk leaves room for so many octets more.
    [[nodiscard]] bool take_disk_room(std::uint64_t size);
    void look_at_disk();

    // writer_logs.cpp: tables of writers and logs, open files
    [[nodiscard]] SourceWriter* find_writer(Group& group, const Guid& guid);
    [[nodiscard]] WriterIndex obtain_writer(Group& group, const Guid& guid);
    void forget_writer(Group& group, WriterIndex writer);
    [[nodiscard]] History& history_of(Group& group, const SourceWriter& writer);
    [[nodiscard]] LogId active_log(Group& group, WriterIndex writer, Out& out);
    // Makes the next segment of the writer's log: header, metadata, marks, and `content`, all
    // synced.
    Result<LogId> create_log(Group& group,
                             WriterIndex writer,
                             const std::vector<ByteView>& content,
                             std::uint64_t& content_offset);
    [[nodiscard]] LogId add_log(std::unique_ptr<Log> log);
    // What every log begins with.
    [[nodiscard]] static Buffer log_front(const Group& group,
                                          const Guid& writer,
                                          std::uint32_t segment);
    void release_log(LogId id);
    Status remove_log_file(LogId id);
    Status ensure_open(Log& log);
    void make_room_for_open_file();
    void touch_batch(LogId id);
    void mark_dirty(LogId id);
    void seal(SourceWriter& writer);
    [[nodiscard]] std::uint64_t& bytes_counter(const Group& group) {
        return group.on_disk() ? disk_bytes : memory_bytes;
    }
    [[nodiscard]] Safety safety_for(const Group& group) const;

    // group_sync.cpp
    void degrade(Group& group, const Error& error, Out& out);
    // Makes everything written for the group safe, now. Errors leave the group degraded.
    Status sync_group(Group& group, Out& out);
    Status sync_writer(Group& group, WriterIndex writer, Out& out);
    void heal(Group& group, Out& out);
    Status move_pending(Group& group, WriterIndex writer);
    // The index follows frames that now lie `to_begin - from_begin` away in another log.
    void relocate(
        Group& group, LogId from, std::uint64_t from_begin, LogId to, std::uint64_t to_begin);
    void report_failures(Out& out);
    void vouch_for_touched(Out& out);
    Status close(Out& out);
    [[nodiscard]] StoreStatus status() const;

    // group_table.cpp
    Result<OpenedGroup> open_group(const GroupMeta& meta, Out& out);
    Status save_meta(const Group& group);
    [[nodiscard]] OpenedGroup describe(const Group& group) const;
    void apply_contract(Group& group, const GroupMeta& meta, Out& out);
    void make_histories(Group& group);
    Status save_checkpoint(Group& group, Out& out);

    // recovery.cpp; a group itself: catalog.hpp
    Status take_leases();
    Status recover(const Progress& progress, Out& out);
    Status recover_records(Out& out);
    Status recover_folder(const std::string& parent,
                          StorageKind storage,
                          const Progress& progress,
                          Out& out);
    Status recover_group(Group& group, Out& out);
    // Renames a file that cannot be used; its new name.
    Result<std::string> set_aside(const std::string& folder, const std::string& name);
    Result<std::optional<GroupMeta>> find_meta(const std::string& folder,
                                               const GroupHash& hash,
                                               StorageKind storage,
                                               Out& out);

    // reading.cpp
    [[nodiscard]] SamplesListed list(const ListSamples& command);
    [[nodiscard]] SamplesRead read(const ReadSamples& command, Out& out);

    // retirement.cpp
    void writer_gone(const WriterGone& command, Out& out);
    void writer_back(const WriterBack& command, Out& out);
    void writer_restarted(const WriterRestarted& command, Out& out);
    void sweep(const Sweep& command, Out& out);
    void expire_writer(Group& group, WriterIndex writer, Out& out);
    bool reclaim_retired_slot(Out& out);
    void write_expiry(Group& group, WriterIndex writer, Out& out);
    void follow_clock(const Sweep& command, Out& out);
    [[nodiscard]] bool is_due(SourceWriter& writer, const Sweep& command);
    [[nodiscard]] bool has_live_writer(const Group& group,
                                       const SampleIndex& index,
                                       SampleIndex::InstanceId instance);
    bool purge_ended_instances(Group& group, History& history, const Sweep& command);
    bool purge_lifespan(Group& group, History& history, WallTime now);
    bool purge_aged(Group& group, History& history, const Sweep& command);
    // `delay` has passed since a date of this run (see Ending::this_run) or of an earlier one.
    [[nodiscard]] bool has_passed(WallTime since,
                                  Duration delay,
                                  bool this_run,
                                  const Sweep& command) const;
    [[nodiscard]] bool plausible(WallTime now) const {
        return now >= newest_received && now >= newest_this_run;
    }

    // operator.cpp
    [[nodiscard]] SamplesPurged purge(const PurgeSamples& command, Out& out);
    [[nodiscard]] CompactionBegun compact(const CompactGroup& command);

    // compaction.cpp
    void consider(LogId id);
    void consider_all();
    void compact_slice(Out& out);
    void begin_compaction(LogId id, Out& out);
    void continue_rewrite(Out& out);
    Status finish_rewrite(Out& out);
    void abandon_rewrite();
};

}  // namespace durability::store
