// What the service asks of the store, and what the store answers. Values only: they cross from the
// loop to the store thread and back. Nothing here touches a file.
//
// Order: commands are carried out in the order they were submitted. Completions come in the order
// of their commands, except Committed, which follows its Append as soon as the sync policy is
// satisfied.
#pragma once

#include "durability/config.hpp"
#include "durability/error.hpp"
#include "durability/event.hpp"
#include "model/group.hpp"
#include "model/sample.hpp"
#include "store/key_finder.hpp"
#include "store/store_status.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace durability::store {

inline constexpr Arrival max_arrival = std::numeric_limits<Arrival>::max();

// Samples of any groups, in the order in which they count as arrived. Payload bytes live in the
// batch's own chunks, whose addresses do not change when the batch is moved.
class AppendBatch {
  public:
    struct Entry {
        GroupHandle group{0};
        // Who delivered it to us and under which number: what the commit mark is about. Differs
        // from meta.id for a sample that carries PID_ORIGINAL_WRITER_INFO.
        Guid transport_writer;
        SequenceNumber transport_number;
        SampleMeta meta;
        WallTime received{};
        ByteView payload;       // with its 4-octet encapsulation header; empty for none
        bool mark_only{false};  // made by mark(): nothing to store, the mark alone moves
        // So many entries from this one on were joined; 0 for one that stands alone, and for those
        // behind the first.
        std::uint32_t joined{0};
    };

    AppendBatch() = default;
    // A batch moved from is empty and may be filled again.
    AppendBatch(AppendBatch&& other) noexcept { *this = std::move(other); }
    AppendBatch& operator=(AppendBatch&& other) noexcept;
    AppendBatch(const AppendBatch&) = delete;
    AppendBatch& operator=(const AppendBatch&) = delete;
    ~AppendBatch() = default;

    // Copies borrowed payload bytes, adopts owned ones.
    void add(GroupHandle group,
             const Guid& transport_writer,
             SequenceNumber transport_number,
             const SampleMeta& meta,
             WallTime received,
             Payload payload);
    // A number of that writer that needs no storing (a duplicate, a gap): only its mark moves, in
    // order. For a run of numbers give the last one.
    void mark(GroupHandle group, const Guid& transport_writer, SequenceNumber transport_number);
    // The `count` samples added last, all of one source writer and group, are a coherent set: all
    // of them are stored, or none (but for duplicates of what is).
    void join(std::size_t count);

    // Payload bytes plus a fixed amount for each entry: the weight for a bounded queue.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  private:
    ByteView copy(ByteView bytes);

    std::vector<Entry> entries_;
    std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
    std::vector<Buffer> adopted_;
    std::size_t chunk_free_{0};
    std::uint8_t* chunk_next_{nullptr};
    std::size_t bytes_{0};
};

// Small persistent key and value pairs that are not samples. The number is stored: never reuse one.
enum class RecordKind : std::uint8_t {
    identity = 1,  // GUID prefixes, ports, entity ids of the two participants
    peer = 2,      // addresses of remembered peers
    frontier = 3,  // what a reader has acknowledged
    counter = 4,   // numbers that must continue above the old ones
    store = 15,    // the store's own; not to be used by others
};
// A larger value is refused.
inline constexpr std::size_t max_record_value = 1'000'000;

// Creates or re-opens a group. Its metadata is on disk before it is answered; when that is not to
// be had the answer is an error, and a later OpenGroup tries again. Which contract is then in
// force: the one given when it or the stored one came from a rule, or when both are the daemon's
// default; else the stored one (the first writer's stays in force). A smaller one trims at once.
// QoS and storage kind of a group that exists stay as stored.
struct OpenGroup {
    std::uint64_t ticket{0};
    GroupMeta meta;
};
// The group's type is known now: kept with its metadata. Samples whose key was not known so far
// find their instances, and what these retain beyond the contract goes.
struct SetGroupType {
    GroupHandle group{0};
    Buffer type_information;
    std::vector<Buffer> type_objects;
};
struct Append {
    AppendBatch batch;
};
// The retained samples with from <= arrival <= to, in arrival order, at most max_entries of them.
struct ListSamples {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    Arrival from{0};
    Arrival to{max_arrival};
    std::size_t max_entries{std::numeric_limits<std::size_t>::max()};
};
// Payloads of the given samples, or of the first of them: as many as fit into max_octets, but one
// at least.
struct ReadSamples {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    std::vector<Arrival> arrivals;  // ascending
    std::size_t max_octets{std::numeric_limits<std::size_t>::max()};
    // Of the same topic and type: see ReadSample::superseded.
    std::vector<GroupHandle> elsewhere{};
};
// The writer is gone (disposed, or its lease ran out): its history is kept for the contract's
// cleanup_delay. WriterRetired is reported when the expiry marker is on disk.
struct WriterGone {
    GroupHandle group{0};
    Guid source_writer;
    WallTime now{};
};
// It came back within that time.
struct WriterBack {
    GroupHandle group{0};
    Guid source_writer;
};
// The writer counts from the beginning again under the same GUID (an incarnation of its own): what
// it sends from now on is newer than everything stored and not a duplicate of it.
struct WriterRestarted {
    GroupHandle group{0};
    Guid source_writer;
};
// Sets the value for (kind, key). With `sync` it is on disk before RecordSaved, else soon after. An
// error says that it is not, or not yet: the value is set all the same, unless it was refused
// (invalid_argument).
struct SaveRecord {
    std::uint64_t ticket{0};
    RecordKind kind{RecordKind::identity};
    Buffer key;
    Buffer value;
    bool sync{false};
};
struct EraseRecord {
    RecordKind kind{RecordKind::identity};
    Buffer key;
};
// Purges retired writers, ended instances and samples whose time is over, and starts compactions
// that are due. `mono` lets the store tell a step of the wall clock from the passing of time; a
// caller that never sets it has dates compared with `now` alone.
struct Sweep {
    WallTime now{};
    MonoTime mono{};
};
// On an operator's word: takes samples out of what is retained, of one writer, of one instance, of
// both at once (only samples that are of both), or all. Their numbers stay known, so writers that
// live are not asked for them again. Answered when a power cut cannot bring them back any more.
struct PurgeSamples {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    std::optional<Guid> source_writer;
    std::optional<KeyHash> instance;  // all of that hash
};
// On an operator's word: rewrites every log of the group that holds frames which are no longer
// retained, however few. Answered at once; the work is done in slices (GroupStatus::compacting).
struct CompactGroup {
    std::uint64_t ticket{0};
    GroupHandle group{0};
};
// Instances of which something is retained, in no particular order; at most max_instances of them.
struct ListInstances {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    std::size_t max_instances{std::numeric_limits<std::size_t>::max()};
    // With a payload that holds the key, where one is retained and not above this size.
    std::size_t max_payload{0};
};
struct QueryStatus {
    std::uint64_t ticket{0};
    bool totals_only{false};  // no groups: costs nothing, however many there are
};
// The configuration was reloaded: these hold from now on. What a limit that is smaller now would
// not have let in stays. Contracts come with OpenGroup.
struct Reconfigure {
    Limits limits;
    std::chrono::nanoseconds sync_interval{0};
    KeyFinders key_finders;
    // Groups whose keys may be found where they were not: their samples find their instances.
    std::vector<GroupHandle> keys_changed;
};
using Command = std::variant<OpenGroup,
                             SetGroupType,
                             Append,
                             ListSamples,
                             ReadSamples,
                             WriterGone,
                             WriterBack,
                             WriterRestarted,
                             SaveRecord,
                             EraseRecord,
                             Sweep,
                             PurgeSamples,
                             CompactGroup,
                             ListInstances,
                             Reconfigure,
                             QueryStatus>;

struct KnownWriter {
    Guid source_writer;
    SequenceNumber last_stored;  // the greatest number of that writer that is, or once was, stored
    bool retired{false};
    // The greatest number that was an unregister: some writers drop it with its instance.
    SequenceNumber last_unregister{};
};
struct OpenedGroup {
    GroupHandle handle{0};
    GroupMeta meta;  // as in force
    std::vector<KnownWriter> writers;
};
struct GroupOpened {
    std::uint64_t ticket{0};
    Result<OpenedGroup> result;
};
// Everything this transport writer delivered for the group up to and including `through` is safe
// under the sync policy, was a duplicate, or was refused by a KEEP_ALL limit and reported.
struct Committed {
    struct Mark {
        GroupHandle group{0};
        Guid transport_writer;
        SequenceNumber through;
    };
    std::vector<Mark> marks;
    Arrival last_arrival{0};  // the greatest arrival number given out so far
};
// Numbers of instances, equal exactly for samples of one instance of a topic: of one with key, and
// of the only instance that a topic without key has.
[[nodiscard]] std::uint64_t number_of(const InstanceKey& key);
inline constexpr std::uint64_t unkeyed_instance = 1;
struct ListedSample {
    Arrival arrival{0};
    SampleId id;
    Timestamp source_timestamp{};
    std::uint32_t payload_size{0};
    Lifecycle lifecycle{Lifecycle::data};
    bool in_coherent_set{false};
    // Of an unregister: another writer that is there still holds the instance.
    bool is_held{false};
    // Its writer has unregistered the instance since, or with it.
    bool is_left{false};
    std::uint64_t instance{0};  // see number_of(); 0: not known
};
static_assert(sizeof(ListedSample) <= 64);
struct SamplesListed {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    std::vector<ListedSample> samples;
    bool more{false};         // max_entries was reached: go on from the last arrival + 1
    Arrival last_arrival{0};  // the greatest arrival number given out so far, retained or not
};
struct ReadSample {
    Arrival arrival{0};
    bool retained{false};  // false: evicted meanwhile, or unreadable (then an event was given)
    SampleMeta meta;
    WallTime received{};
    ByteView payload;  // lies in SamplesRead::bytes
    // A group of ReadSamples::elsewhere retains a newer sample of the instance: by their source
    // timestamps, or by arrival where one of the two has none.
    bool superseded{false};
    // Of an operation without payload: the newest retained payload of its instance, which tells the
    // key; empty when there is none.
    ByteView sibling;
    PayloadKind sibling_kind{PayloadKind::none};
};
struct SamplesRead {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    std::vector<ReadSample> samples;  // one for each arrival answered for, in that order
    // Shared by whoever still sends from it: fragments of a sample may be in several queues.
    std::shared_ptr<const std::vector<Buffer>> bytes;
};
struct RecordSaved {
    std::uint64_t ticket{0};
    Status status;
};
// Errors: invalid_argument (no such group), unavailable (the group is degraded), io.
struct SamplesPurged {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    Result<std::uint64_t> samples;  // so many were taken out
};
// How an instance stands for a reader that was always there.
enum class InstanceState : std::uint8_t {
    alive,
    disposed,
    no_writers  // unregistered, or their writers are gone
};
[[nodiscard]] std::string_view name(InstanceState state);
struct ListedInstance {
    std::optional<InstanceKey> key;  // nothing: samples whose key is not known
    InstanceState state{InstanceState::alive};
    std::uint64_t values{0};
    std::uint64_t operations{0};
    std::vector<Guid> writers;  // of what is retained
    WallTime received{};        // the newest
    PayloadKind payload_kind{PayloadKind::none};
    Buffer payload;
};
struct InstancesListed {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    Result<std::vector<ListedInstance>> instances;
    std::uint64_t total{0};  // however many were asked for
};
struct CompactionBegun {
    std::uint64_t ticket{0};
    GroupHandle group{0};
    Result<std::uint64_t> logs;  // so many will be rewritten or removed
};
// More of the group waits for the disk than limits.uncommitted_bytes allows (all groups together),
// or no longer. While it does, nothing more should be received for it: what is not received is not
// acknowledged, and not lost.
struct GroupBacklog {
    GroupHandle group{0};
    bool full{false};
};
struct StoreEvent {
    Event event;
};
// How far the reading of groups found at the start has come (StoreOptions::load_later). An error
// says that the store cannot be used, and why: version, io, permission; nothing more is loaded.
struct LoadProgress {
    std::size_t loaded{0};
    std::size_t groups{0};
    Status status;
};
struct StatusReport {
    std::uint64_t ticket{0};
    StoreStatus status;
};
using Completion = std::variant<GroupOpened,
                                Committed,
                                SamplesListed,
                                SamplesRead,
                                RecordSaved,
                                SamplesPurged,
                                CompactionBegun,
                                InstancesListed,
                                GroupBacklog,
                                LoadProgress,
                                StoreEvent,
                                StatusReport>;

}  // namespace durability::store
