// The rows of the store's tables: histories, writers, groups, logs. Private to the store.
#pragma once

#include "base/time.hpp"
#include "durability/event.hpp"
#include "store/commands.hpp"
#include "store/dedup.hpp"
#include "store/key_finder.hpp"
#include "store/layout.hpp"
#include "store/log_file.hpp"
#include "store/sample_index.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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
    void note_ending(const InstanceKey& key, Arrival arrival, WallTime since, bool this_run);

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
    bool in_use{true};    // false: a free place in the table
    bool leaving{false};  // its history has expired; its logs wait to be removed
    bool retired{false};
    bool expiry_this_run{false};  // the date was computed by this process
    WallTime expires{WallTime::max()};
    Duration delay{};
    std::uint64_t retained{0};
    std::uint64_t payload_bytes{0};
    SequenceNumber last_unregister;  // the greatest number of such an operation
    SequenceNumber synced;           // everything known up to it was on disk together
};

// What has changed in a group without a file saying so yet: done by one Chore, in this order.
struct GroupWork {
    using Answer = std::function<void(const Status& outcome, std::vector<Completion>& out)>;
    struct Expired {
        WriterIndex writer{0};
        Guid guid;
        std::uint64_t samples{0};
    };
    bool make_folder{false};
    bool checkpoint{false};
    bool meta{false};
    std::vector<LogId> doomed;  // logs to be removed
    std::vector<Expired> expired;
    std::vector<Answer> answers;  // to whom asked for it
};

struct Group {
    GroupHandle handle{0};
    GroupMeta meta;
    GroupHash hash{};
    KeyFinder keys;  // empty: keys are known as received only
    std::string folder;
    std::vector<std::unique_ptr<History>> histories;
    std::vector<SourceWriter> writers;
    std::unordered_map<Guid, WriterIndex> by_guid;
    std::vector<WriterIndex> free_writers;  // places in the table
    // Where writers go on that have files in the folder which are not served: these keep their
    // names.
    std::unordered_map<Guid, std::uint32_t> taken_segments;
    std::vector<Committed::Mark> waiting;  // marks of appends that are not known to be safe
    std::vector<Event> reports;            // given with the marks
    GroupWork work;
    bool has_work{false};            // is on the list of groups with work
    bool folder_dirty{false};        // is on the list of groups with new names in their folder
    bool on_record{false};           // its metadata is on disk
    bool loaded{true};               // false: found at the start, its logs are still to be read
    std::vector<OpenGroup> opening;  // who waits for that
    bool degraded{false};
    bool healing{false};  // degraded, and the next job decides
    bool backlog_told{false};
    std::uint64_t unsafe_bytes{0};  // of LogFile::pending()
    std::uint64_t appended{0};
    std::uint64_t duplicates{0};
    std::uint64_t evicted{0};
    std::uint64_t rejected{0};
    std::uint64_t rejected_in_batch{0};
    std::vector<std::pair<std::string_view, std::uint64_t>> refused;  // by limit; few
    bool key_unresolved_told{false};
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
    // Frames of older segments that stand in this one too, until those are known to be safe.
    std::vector<std::pair<Arrival, std::uint64_t>> copies;
    bool in_batch{false};    // on the list of logs to be written at the end of the batch
    bool touched{false};     // on the list of logs appended to since the last idle moment
    bool dirty{false};       // on the list of logs to be synced
    bool due{false};         // on the list of logs to be compacted
    bool settling{false};    // sealed a moment ago: usually dies by itself
    bool wanted{false};      // to be compacted whatever its size: something in it was purged
    bool unreadable{false};  // compaction failed on damage: left alone
    bool doomed{false};      // waits to be removed: on the list of the group's work
    bool in_job{false};      // a job that runs syncs it
    [[nodiscard]] std::uint64_t dead_bytes() const { return sample_bytes - live_bytes; }
};

// A compaction in progress: frames of one sealed log that are copied to a file beside it.
struct Rewrite {
    enum class Stage : std::uint8_t {
        copying,
        syncing,    // a slice waits for the disk, so that the last sync has little left to do
        finishing,  // everything is copied; the group's work swaps it in
    };
    LogId log{0};
    std::uint64_t serial{0};
    Stage stage{Stage::copying};
    std::shared_ptr<File> source;  // stays readable when the new file has its name
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

}  // namespace durability::store
