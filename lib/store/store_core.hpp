// The store's inside: what the parts of the facade (store.cpp) share. Each group of functions below
// has its own source file, named in the comment above it. Owned by one thread.
#pragma once

#include "store/checkpoint.hpp"
#include "store/chore.hpp"
#include "store/commands.hpp"
#include "store/dedup.hpp"
#include "store/log_file.hpp"
#include "store/record_file.hpp"
#include "store/retention.hpp"
#include "store/sample_index.hpp"
#include "store/store.hpp"
#include "store/store_tables.hpp"
#include "store/sync_job.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace durability::store {

class GroupLoader;

// The key, unless the index cannot tell which of several instances it means; null for none.
[[nodiscard]] const InstanceKey* usable(const SampleIndex& index,
                                        const std::optional<InstanceKey>& key);
// What is retained of an instance, oldest first.
[[nodiscard]] std::vector<SampleIndex::Entry> samples_of(const SampleIndex& index,
                                                         SampleIndex::InstanceId id);
// The newest value was disposed with, or an operation since says so.
[[nodiscard]] bool is_disposed(const std::vector<SampleIndex::Entry>& samples);
// The newest sample of the instance whose payload tells the key; null when none has a payload.
[[nodiscard]] const SampleIndex::Entry* key_bearer(const SampleIndex& index,
                                                   SampleIndex::InstanceId id);

struct StoreCore {
    StoreCore(FileSystem& file_system, StoreOptions store_options);
    StoreCore(const StoreCore&) = delete;
    StoreCore& operator=(const StoreCore&) = delete;
    ~StoreCore();

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

    // Groups that are still to be read, the one being read first.
    std::deque<GroupHandle> loading;
    std::unique_ptr<GroupLoader> loader;
    std::size_t found_groups{0};
    bool load_failed{false};  // the caller knows, and ends

    std::vector<LogId> batch_logs;
    std::vector<LogId> touched_logs;
    std::vector<LogId> dirty_logs;
    std::vector<GroupHandle> waiting_groups;
    std::vector<GroupHandle> groups_with_work;
    std::vector<GroupHandle> dirty_folders;
    std::vector<GroupHandle> told_groups;       // that their backlog is full
    std::vector<std::uint64_t> record_tickets;  // of records that are to be on disk
    std::uint64_t unsafe_bytes{0};
    bool disk_stuck{false};
    std::vector<LogId> due_logs;
    std::vector<LogId> settling_logs;
    std::optional<Rewrite> rewrite;
    std::vector<SampleIndex::Entry> evicted;  // scratch
    // Found where no event could be given; turned into StoreDegraded soon after.
    std::vector<std::pair<GroupHandle, Error>> failures;

    using Out = std::vector<Completion>;
    using Fields = std::vector<std::pair<std::string_view, std::string>>;
    [[nodiscard]] Event event_of(EventKind kind, Fields fields) const;
    void report(Out& out, EventKind kind, Fields fields) const;

    // append.cpp
    void append(const AppendBatch& batch, Out& out);
    void store_sample(Group& group, const AppendBatch::Entry& entry, Out& out);
    // Joined entries: all of them, or none.
    void store_set(Group& group, std::span<const AppendBatch::Entry> entries, Out& out);
    // A sample as it would be stored.
    struct Incoming;
    [[nodiscard]] Incoming prepare(Group& group,
                                   WriterIndex index,
                                   const AppendBatch::Entry& entry,
                                   Out& out);
    // It was decided upon, so it is not asked for again.
    static void reject(Group& group,
                       WriterIndex index,
                       SequenceNumber number,
                       std::string_view reason);
    // The limits over all topics; empty when they allow `size` octets more.
    [[nodiscard]] std::string_view refusal_of_bytes(const Group& group, std::uint64_t size);
    // Why not all of them can be stored; empty when they can.
    [[nodiscard]] std::string_view refusal_of_set(Group& group,
                                                  const std::vector<Incoming>& samples,
                                                  std::uint64_t size);
    // The log that so many octets go to; what the disk has no room for waits in it.
    [[nodiscard]] LogId log_for(Group& group, WriterIndex index, std::uint64_t size, Out& out);
    [[nodiscard]] Admission write_sample(Group& group, LogId id, Incoming& sample, Refusal refusal);
    void flush_batch(Out& out);
    // Calls `change`, which may alter what of the log is pending, and keeps the sums.
    template <class Change>
    void change_pending(Log& log, Change change) {
        const std::uint64_t before = log.file.pending_bytes();
        change();
        Group& group = *groups[log.group];
        group.unsafe_bytes += log.file.pending_bytes() - before;
        unsafe_bytes += log.file.pending_bytes() - before;
    }
    void tell_backlog(Group& group, Out& out);
    void end_backlog(Out& out);
    void note_mark(Group& group, const Guid& writer, SequenceNumber number);
    void account_evicted(Group& group);
    void reserve_arrivals(std::size_t count);
    // Whether limits.reserve_disk leaves room for so many octets more.
    [[nodiscard]] bool take_disk_room(std::uint64_t size);
    void look_at_disk();
    [[nodiscard]] std::uint64_t free_disk_room() const;
    [[nodiscard]] Error no_disk_room() const;

    // The frame of a sample that is not known to be safe; in front of the first sample of a
    // coherent set the frame that says so.
    struct UnsafeFrame {
        Arrival arrival{0};
        ByteView bytes;
        std::uint64_t lead{0};  // octets before the sample's own frame
    };

    // writer_logs.cpp: tables of writers and logs, open files
    [[nodiscard]] SourceWriter* find_writer(Group& group, const Guid& guid);
    [[nodiscard]] WriterIndex obtain_writer(Group& group, const Guid& guid);
    void forget_writer(Group& group, WriterIndex writer);
    [[nodiscard]] History& history_of(Group& group, const SourceWriter& writer);
    [[nodiscard]] LogId active_log(Group& group, WriterIndex writer, Out& out);
    // Makes the next segment of the writer's log: header, metadata, `content`, marks. Written; the
    // next job syncs it and the folder.
    Result<LogId> create_log(Group& group,
                             WriterIndex writer,
                             const std::vector<UnsafeFrame>& content,
                             std::uint64_t& content_offset);
    [[nodiscard]] LogId add_log(std::unique_ptr<Log> log);
    // What every log begins with.
    [[nodiscard]] static Buffer log_front(const Group& group,
                                          const Guid& writer,
                                          std::uint32_t segment);
    void release_log(LogId id);
    Status remove_log_file(LogId id);
    void note_new_name(Group& group);
    Status ensure_open(Log& log);
    void make_room_for_open_file();
    void touch_batch(LogId id);
    void mark_dirty(LogId id);
    void seal(SourceWriter& writer);
    [[nodiscard]] std::uint64_t& bytes_counter(const Group& group) {
        return group.on_disk() ? disk_bytes : memory_bytes;
    }
    [[nodiscard]] Safety safety_for(const Group& group) const;

    // sync_job.cpp
    void settle(Out& out);
    [[nodiscard]] std::unique_ptr<SyncJob::Impl> begin_sync(Out& out, bool interval_due);
    static void run(SyncJob::Impl& work);
    void end_sync(SyncJob::Impl& work, Out& out);
    // What hung on a group's safety: reports are given, marks gathered for one Committed.
    static void commit(std::vector<Committed::Mark> marks,
                       std::vector<Event> reports,
                       Committed& committed,
                       Out& out);
    void give(Committed committed, Out& out) const;
    void want_work(Group& group);
    [[nodiscard]] Chore make_chore(Group& group);
    void finish_chore(Group& group, GroupWork work, bool swap, const Status& outcome, Out& out);

    // group_sync.cpp
    void degrade(Group& group, const Error& error, Out& out);
    // Makes everything written for the writer safe, now: while nobody else works on the store.
    Status sync_writer(Group& group, WriterIndex writer, Out& out);
    void heal(Group& group, Out& out);
    void healed(Group& group, Out& out);
    Status move_pending(Group& group, WriterIndex writer);
    // Of those logs, each arrival once, in order.
    [[nodiscard]] std::vector<UnsafeFrame> unsafe_frames(const std::vector<LogId>& of) const;
    // The index follows frames of these logs to where they stand now.
    struct Place {
        LogId log{0};
        std::uint64_t offset{0};
    };
    using Places = std::unordered_map<Arrival, Place>;
    void relocate(Group& group, const std::vector<LogId>& from, const Places& places);
    void report_failures(Out& out);
    void vouch_for_touched(Out& out);
    // Degrades every group of a folder that is not where it was.
    void check_folders(Out& out);
    [[nodiscard]] bool folder_in_place(const Group& group) const;
    void on_slow_disk(bool stuck, Out& out);
    void on_disk_answered(Out& out);
    Status close(Out& out);
    [[nodiscard]] StoreStatus status(bool totals_only = false) const;

    // group_table.cpp
    void open_group(const OpenGroup& command, Out& out);
    Result<GroupHandle> add_group(const GroupMeta& meta, Out& out);
    Status save_meta(const Group& group);
    [[nodiscard]] OpenedGroup describe(const Group& group) const;
    // True when there is something to be saved.
    [[nodiscard]] bool apply_contract(Group& group, const GroupMeta& meta);
    // Keys that were found after their samples had been stored.
    struct FoundKey {
        InstanceKey key;
        WallTime received{};
    };
    using FoundKeys = std::unordered_map<Arrival, FoundKey>;
    // Sorts what is retained into histories anew, by the contract's scope.
    void make_histories(Group& group, const FoundKeys& found = {});

    // instances.cpp
    // The instance of a sample that arrives, or of one that is read from a log.
    [[nodiscard]] static std::optional<InstanceKey> key_of(const Group& group,
                                                           const SampleMeta& meta,
                                                           ByteView payload);
    [[nodiscard]] static std::optional<InstanceKey> key_of(const Group& group,
                                                           const SampleFrame& frame,
                                                           const Guid& writer);
    void report_unresolved(Group& group, const SampleMeta& meta, Out& out);
    void set_group_type(const SetGroupType& command, Out& out);
    void reconfigure(const Reconfigure& command, Out& out);
    [[nodiscard]] FoundKeys read_missing_keys(const Group& group, Out& out);
    void find_missing_keys(Group& group, Out& out);
    // Who wrote an instance, by what is retained of it, and who still does.
    struct Holder {
        WriterIndex writer{0};
        bool unregistered{false};  // and did not write it since
        bool retired{false};
        Arrival left_at{0};  // when it last unregistered
    };
    struct Holders {
        std::vector<Holder> writers;
        [[nodiscard]] bool is_held() const;
        // The writer has unregistered the instance since what arrived then, or with it.
        [[nodiscard]] bool has_left(WriterIndex writer, Arrival arrival) const;
    };
    [[nodiscard]] Holders holders_of(const Group& group,
                                     const std::vector<SampleIndex::Entry>& samples) const;
    [[nodiscard]] Holders holders_of(const Group& group, const InstanceKey& key) const;
    // Over all histories of the group, in the order of arrival.
    [[nodiscard]] std::vector<SampleIndex::Entry> samples_of_instance(const Group& group,
                                                                      const InstanceKey& key) const;
    [[nodiscard]] ListedInstance describe_instance(const Group& group,
                                                   const InstanceKey& key) const;
    void read_instance(const Group& group,
                       std::size_t max_payload,
                       ListedInstance& listed,
                       Out& out);
    [[nodiscard]] InstancesListed list_instances(const ListInstances& command, Out& out);
    // What is retained now. To be saved together with everything that was appended so far: a list
    // must not name a sample that a power cut could still take, nor leave out one that such a
    // sample replaced.
    [[nodiscard]] Buffer checkpoint_of(const Group& group) const;

    // recovery.cpp; a group itself: catalog.hpp
    Status take_leases();
    Status recover(const Progress& progress, Out& out);
    Status recover_records(Out& out);
    Status recover_folder(const std::string& parent,
                          StorageKind storage,
                          const Progress& progress,
                          Out& out);
    Status recover_group(Group& group, Out& out);
    // Refuses files of a newer version by their headers, before anything is changed.
    Status check_versions(const std::string& folder);
    void load_slice(Out& out);
    void load_first(GroupHandle group);
    // Renames a file that cannot be used; its new name.
    Result<std::string> set_aside(const std::string& folder, const std::string& name);
    Result<std::optional<GroupMeta>> find_meta(const std::string& folder,
                                               const GroupHash& hash,
                                               StorageKind storage,
                                               Out& out);

    // reading.cpp
    [[nodiscard]] SamplesListed list(const ListSamples& command);
    [[nodiscard]] SamplesRead read(const ReadSamples& command, Out& out);
    struct Wanted;
    void read_frames(Group& group,
                     std::vector<Wanted>& wanted,
                     std::vector<ReadSample>& samples,
                     std::vector<Buffer>& buffers,
                     Out& out);
    [[nodiscard]] bool is_superseded(const Group& group,
                                     const Wanted& one,
                                     std::span<const GroupHandle> elsewhere) const;
    void read_siblings(Group& group,
                       const std::vector<Wanted>& read_already,
                       std::vector<ReadSample>& samples,
                       std::vector<Buffer>& buffers,
                       Out& out);

    // retirement.cpp
    void writer_gone(const WriterGone& command, Out& out);
    void writer_back(const WriterBack& command, Out& out);
    void writer_restarted(const WriterRestarted& command, Out& out);
    void sweep(const Sweep& command, Out& out);
    void expire_writers(Group& group, const std::vector<WriterIndex>& writers);
    // Everything of it is on its way out: it counts as unknown.
    [[nodiscard]] bool is_leaving(const SourceWriter& writer) const;
    void let_go(Group& group, const GroupWork::Expired& expired, Out& out);
    bool reclaim_retired_slot();
    void write_expiry(Group& group, WriterIndex writer, Out& out);
    void follow_clock(const Sweep& command, Out& out);
    [[nodiscard]] bool is_due(SourceWriter& writer, const Sweep& command);
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
    void purge(const PurgeSamples& command, Out& out);
    [[nodiscard]] CompactionBegun compact(const CompactGroup& command);

    // compaction.cpp
    void consider(LogId id);
    void consider_group(const Group& group);
    void consider_all();
    void doom(LogId id);
    [[nodiscard]] bool work_due() const;
    void compact_slice(Out& out);
    void begin_compaction(LogId id, Out& out);
    void continue_rewrite(Out& out);
    Status end_copying();
    void swap_in();
    void abandon_rewrite();
};

}  // namespace durability::store
