// What a replay writer knows about one late reader, and what to send it next.
//
// For this reader every number of its process is one of:
//   below acked_                       the reader has it, or was told that it is irrelevant
//   acked_ .. next_send_ - 1           sent or declared irrelevant, not acknowledged yet
//   next_send_ .. high_                still to be sent (in owned_) or to be declared irrelevant
//   open_                              the highest of these: nothing is said about them before
//                                      close(); a reader of Cyclone DDS is shown that they exist,
//                                      so that it can still be addressed alone (fact sheet 12.2)
//   (not in it) above high_                        nothing this reader was ever told about
// Payloads are in memory only for the unacknowledged window and what was read ahead of it
// (loaded_); a repair of anything older is read from the store again.
//
// Not thread-safe; belongs to its ReplayWriter.
#pragma once

#include "base/time.hpp"
#include "model/sample.hpp"
#include "rtps/outbox.hpp"
#include "rtps/replay_numbers.hpp"
#include "wire/submessage.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace durability::rtps {

struct ReplayOptions {
    // Octets sent and not acknowledged per reader; datagrams and windows as measured in fact
    // sheet 12.5.
    std::size_t window{128U * 1024U};
    std::size_t read_ahead{128U * 1024U};
    std::size_t max_samples_read{2'048};  // at once, however small they are
    std::size_t max_datagram{14U * 1024U};
    std::size_t fragment_size{13'440};
    // A sample larger than the window. Its reader can confirm no part of it but by asking for what
    // is missing, which Cyclone DDS does no sooner than 100 ms after a HEARTBEAT: so the rest of a
    // sample that was begun goes out at this pace, which no receive buffer was seen to lose at
    // (fact sheet 12.5). The next sample waits until it is acknowledged.
    std::size_t paced_octets{48U * 1024U};
    Duration pace_interval{std::chrono::milliseconds{1}};
    Duration repair_interval{
        std::chrono::milliseconds{20}};  // the same number is not repeated sooner
    Duration first_heartbeat_delay{std::chrono::milliseconds{20}};
    Duration max_heartbeat_delay{std::chrono::seconds{3}};
    std::int32_t first_count{1};  // counts go on above those of an earlier run (fact sheet 12.3)
};

// One sample as it goes out. `bytes` keeps inline QoS and payload alive.
struct ReplaySample {
    Arrival arrival{0};
    bool available{
        false};  // false: evicted or unreadable meanwhile; the number is declared irrelevant
    PayloadKind payload_kind{PayloadKind::data};
    Timestamp source_timestamp{};
    std::uint64_t instance{0};  // see ReplayReader::supersede(); 0: not known
    Buffer inline_qos;          // encoded for the vendor of this reader, without a coherent set
    // The set it is of: whose, and the number of its first sample there. Numbered anew for the
    // reader: by the first of its samples that is sent.
    std::optional<SampleId> coherent_set;
    ByteView payload;
    std::shared_ptr<const void> bytes;
};

// How one vendor's reader behaves; from discovery/peer_facts.
struct ReplayReaderTraits {
    bool reliable{true};
    // The readers of its process share one position in our numbers (Cyclone DDS).
    bool shares_position{false};
};

struct ReplayContext {
    EntityId writer;
    const ReplayOptions& options;
    std::int32_t& heartbeat_count;
    const ReplayNumbers& numbers;
    // An ACKNACK of this process has shown that it saw a HEARTBEAT of ours: until then every
    // contact begins with an empty one (fact sheet 4.4).
    bool process_confirmed;
    // Fresh numbers from here on must not be sent yet: other readers of the process have not
    // confirmed that these are irrelevant to them (semantics.md, section 7). max_sequence_number:
    // no barrier.
    SequenceNumber barrier;
    // Readers of the process that have different shares begin together: none may be brought in sync
    // by what another is shown, so the first HEARTBEAT says how far the numbers go.
    bool singly;
};

class ReplayReader {
  public:
    ReplayReader(const Guid& guid, DestinationPtr destination, ReplayReaderTraits traits)
        : guid_(guid), destination_(std::move(destination)), traits_(traits) {}

    [[nodiscard]] const Guid& guid() const { return guid_; }
    [[nodiscard]] const ReplayReaderTraits& traits() const { return traits_; }
    [[nodiscard]] bool begun() const { return begun_; }
    // Everything up to high_ is acknowledged (best-effort: sent).
    [[nodiscard]] bool complete() const { return settled() && open_.empty(); }
    // The same, up to what was left open.
    [[nodiscard]] bool settled() const { return begun_ && acked_ > sendable(); }
    [[nodiscard]] bool is_open(SequenceRange range) const;
    [[nodiscard]] const std::vector<SequenceRange>& open() const { return open_; }
    [[nodiscard]] SequenceNumber acked() const { return acked_; }
    [[nodiscard]] SequenceNumber high() const { return high_; }
    [[nodiscard]] std::uint64_t samples_owned() const { return samples_owned_; }
    // Of these, sent at least once, and acknowledged.
    [[nodiscard]] std::uint64_t samples_sent() const { return owned_below(next_send_); }
    [[nodiscard]] std::uint64_t samples_acknowledged() const { return owned_below(acked_); }
    [[nodiscard]] bool owns_any(SequenceRange range) const;
    // Of its own numbers; nothing when all are acknowledged.
    [[nodiscard]] std::optional<SequenceNumber> first_unacknowledged() const {
        return next_owned(acked_);
    }

    // The reader's share is known: `owned` of the numbers 1..high. `open`, above all of these:
    // whether they are its own is decided by close(). `end`, above those: an empty DATA, which ends
    // a coherent set; nothing when there is to be none.
    void begin(std::vector<SequenceRange> owned,
               std::vector<SequenceRange> open,
               SequenceNumber high,
               MonoTime now,
               std::optional<SequenceNumber> end = {});
    // Of the open numbers `owned` are the reader's; the others are irrelevant to it.
    void close(const std::vector<SequenceRange>& owned, MonoTime now);
    // Samples of the instance that `is_replaced` holds for, by their source timestamps, are not
    // sent any more, nor repeated. What was begun of a large one ends with a GAP. Returns how many.
    std::size_t supersede(std::uint64_t instance,
                          const std::function<bool(Timestamp)>& is_replaced,
                          MonoTime now);
    // Numbers up to `high` now exist for others of its process; they are irrelevant to this reader.
    void extend(SequenceNumber high, MonoTime now);

    void on_acknack(const wire::AckNack& acknack,
                    const ReplayContext& context,
                    MonoTime now,
                    Outbox& out);
    void on_nack_frag(const wire::NackFrag& nack,
                      const ReplayContext& context,
                      MonoTime now,
                      Outbox& out);
    // Sends what the window allows, heartbeats that are due.
    void pump(const ReplayContext& context, MonoTime now, Outbox& out);
    // A HEARTBEAT that says once more what is known to the reader, an empty range before it has
    // begun, and that the writer is alive.
    void put_liveliness(const ReplayContext& context, Outbox& out) const;
    // When pump() wants to be called next without any input; MonoTime::max() for never.
    [[nodiscard]] MonoTime next_deadline() const { return std::min(heartbeat_due_, pace_due_); }

    // Whether next_read() has something to ask for.
    [[nodiscard]] bool wants_read(const ReplayOptions& options) const;
    // The samples to read next, ascending; empty when nothing is wanted now. Up to
    // ReplayOptions::read_ahead octets of them are enough.
    [[nodiscard]] std::vector<Arrival> next_read(const ReplayContext& context);
    // What the last next_read() asked for, in the same order: all of it or the beginning.
    void provide(std::vector<ReplaySample> samples,
                 const ReplayContext& context,
                 MonoTime now,
                 Outbox& out);

  private:
    struct Loaded {
        SequenceNumber number;
        ReplaySample sample;
        std::uint32_t fragments{0};        // it goes out in so many; 0: whole
        std::size_t charged{0};            // octets of it that count against the window
        std::uint32_t fragments_sent{0};   // of a fragmented sample: 1..fragments_sent went out
        std::uint32_t fragments_acked{0};  // of those, 1..fragments_acked are confirmed
        MonoTime repaired{MonoTime::min()};
    };
    struct PendingRead {
        bool repair{false};
        std::vector<SequenceNumber> numbers;
    };

    // A coherent set as far as it is loaded, and the number of its first sample here.
    struct LoadedSet {
        SequenceNumber first;
        SampleId id;
    };

    // What may be spoken about ends here.
    [[nodiscard]] SequenceNumber sendable() const {
        return open_.empty() ? high_ : previous(open_.front().first);
    }
    [[nodiscard]] bool needs_empty_heartbeat(const ReplayContext& context) const;
    [[nodiscard]] bool owns(SequenceNumber number) const;
    [[nodiscard]] std::optional<SequenceNumber> next_owned(SequenceNumber from) const;
    [[nodiscard]] std::uint64_t owned_below(SequenceNumber end) const;
    [[nodiscard]] Loaded* find_loaded(SequenceNumber number);
    [[nodiscard]] std::uint32_t fragment_count(const ReplaySample& sample,
                                               const ReplayContext& context) const;
    [[nodiscard]] std::vector<Arrival> next_repair_read(const ReplayContext& context);

    // Tells the sample, which is to go out under that number, of which set it is.
    void number_set(SequenceNumber number, ReplaySample& sample);
    void acknowledge(SequenceNumber base);
    void charge(Loaded& loaded, std::size_t octets);
    [[nodiscard]] bool send_next(const ReplayContext& context, Outbox& out);
    // The first sample of which some fragments went out and others did not; null when there is
    // none.
    [[nodiscard]] Loaded* under_way();
    void pace(const ReplayContext& context, MonoTime now);
    [[nodiscard]] bool send_loaded(Loaded& loaded, const ReplayContext& context, Outbox& out);
    void send_data(SequenceNumber number,
                   const ReplaySample& sample,
                   const ReplayContext& context,
                   Outbox& out);
    void send_end(const ReplayContext& context, Outbox& out);
    void send_fragment(SequenceNumber number,
                       const ReplaySample& sample,
                       std::uint32_t fragment,
                       const ReplayContext& context,
                       Outbox& out);
    void send_gap(SequenceRange range, const ReplayContext& context, Outbox& out) const;
    void put_heartbeat(SequenceNumber last,
                       bool final,
                       const ReplayContext& context,
                       Outbox& out,
                       bool liveliness = false) const;
    void send_heartbeat(const ReplayContext& context, MonoTime now, Outbox& out);
    void send_empty_heartbeat(const ReplayContext& context, Outbox& out) const;
    void repair(const wire::SequenceNumberSet& wanted,
                const ReplayContext& context,
                MonoTime now,
                Outbox& out);
    void repair_one(SequenceNumber number, const ReplayContext& context, MonoTime now, Outbox& out);

    Guid guid_;
    DestinationPtr destination_;
    ReplayReaderTraits traits_;
    bool begun_{false};
    std::vector<SequenceRange> owned_;
    std::vector<SequenceRange> open_;
    std::optional<SequenceNumber> end_;  // in owned_, or in open_
    std::uint64_t samples_owned_{0};
    SequenceNumber high_{0};
    SequenceNumber acked_{1};
    SequenceNumber next_send_{1};
    SequenceNumber next_load_{1};          // the next number to ask the store for
    std::deque<Loaded> loaded_;            // ascending owned numbers in acked_ .. next_load_ - 1
    std::deque<LoadedSet> sets_;           // ascending, back to the one acked_ may be in
    std::size_t loaded_octets_{0};         // of those, not sent yet
    std::size_t fragmented_{0};            // samples in loaded_ that go out in fragments
    std::vector<SequenceNumber> repairs_;  // wanted again and no longer in loaded_
    std::optional<PendingRead> reading_;
    std::size_t in_flight_{0};
    std::size_t since_heartbeat_{0};
    std::size_t paced_left_{0};  // of a sample under way, beyond the window
    MonoTime pace_due_{MonoTime::max()};
    MonoTime heartbeat_due_{MonoTime::max()};
    Duration heartbeat_delay_{};
};

}  // namespace durability::rtps
