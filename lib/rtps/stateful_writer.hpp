// One local reliable writer with a small history of its own (RTPS 2.5, 8.4.9): discovery announces
// its endpoints and liveliness with it. Not for application data; that is ReplayWriter.
//
// The history is KEEP_LAST 1 per instance: a new change of an instance replaces the older one,
// whose number becomes a GAP. Changes can be meant for one participant only, and can have another
// payload for one vendor. A VOLATILE writer owes a reader what is added after its match, and
// forgets a change when all who are owed it have acknowledged.
//
// No sockets, no clock, no threads. Not thread-safe; belongs to its participant.
#pragma once

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "model/guid.hpp"
#include "model/rtps_time.hpp"
#include "model/sample.hpp"
#include "model/sequence_number.hpp"
#include "rtps/outbox.hpp"
#include "rtps/reader_proxy.hpp"
#include "wire/submessage.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace durability::rtps {

struct WriterOptions {
    // Above everything an earlier run used (fact sheet 12.3); numbers are at least 1.
    SequenceNumber first_number{1};
    std::int32_t first_heartbeat_count{1};
    // Changes kept; beyond that the oldest is dropped and counted in evicted().
    std::size_t max_changes{40'000};
    // What is pushed to a reader without being asked, at once and per repetition; the rest it asks
    // for.
    std::size_t push_bytes{128U << 10U};
    // Repetitions of what a new reader has not acknowledged, counted from the match (fact
    // sheet 12.6).
    std::array<Duration, 3> repeat_after{
        std::chrono::milliseconds{1}, std::chrono::milliseconds{3}, std::chrono::milliseconds{6}};
    // HEARTBEATs to readers that have not acknowledged everything; doubles up to the second value.
    Duration heartbeat_interval{std::chrono::milliseconds{100}};
    Duration max_heartbeat_interval{std::chrono::seconds{2}};
    // HEARTBEATs in a row without any answer of the reader, then silence until it speaks or there
    // is news.
    std::uint32_t heartbeat_retries{60};
    // The same change is not repaired for the same reader sooner (R9.4).
    Duration repair_interval{std::chrono::milliseconds{20}};
    std::uint16_t fragment_size{1'344};
    // Readers get what is added after their match. Until one has shown that it saw a HEARTBEAT, all
    // that it is sent begins with an empty one: Cyclone DDS takes everything up to the first
    // HEARTBEAT for irrelevant to a VOLATILE reader (fact sheet 4.4).
    bool volatile_history{false};
};

// What add() takes. The payload has its encapsulation header; the inline QoS is an encoded
// parameter list.
struct Change {
    PayloadKind payload_kind{PayloadKind::data};
    Buffer payload;
    Buffer inline_qos;
    Timestamp source_timestamp{};
    // Changes of one instance replace each other.
    std::optional<KeyHash> instance;
    // Disposes the instance: readers matched later need not hear of it, and it is forgotten when
    // every reader has acknowledged it.
    bool dispose{false};
    // For this participant only; the others are told that the number is irrelevant.
    std::optional<GuidPrefix> only_for;
    // What readers of that vendor get instead of `payload` (fact sheet, rule 7).
    struct VendorPayload {
        VendorId vendor;
        Buffer payload;
    };
    std::optional<VendorPayload> vendor_payload;
};

// A reader has acknowledged everything up to `number` for the first time.
struct AckedUpTo {
    Guid reader;
    SequenceNumber number;
    friend bool operator==(const AckedUpTo&, const AckedUpTo&) = default;
};

class StatefulWriter {
  public:
    explicit StatefulWriter(EntityId own, WriterOptions options = {});

    [[nodiscard]] EntityId id() const { return own_; }

    // Takes the change into the history and returns its number. It is sent by the next tick(),
    // which is due at once.
    SequenceNumber add(Change change);
    // The number of the newest change; first_number - 1 when nothing was ever added.
    [[nodiscard]] SequenceNumber last() const { return last_; }
    [[nodiscard]] std::size_t changes() const { return history_.size(); }
    [[nodiscard]] std::uint64_t evicted() const { return evicted_; }

    // Sends the history and a HEARTBEAT at once, and again after 1, 3 and 6 ms until the reader
    // acknowledges; what a participant sends before it has processed our SPDP is lost (fact
    // sheet 12.6). A second match of the same reader starts over: its participant came back.
    void match(const Guid& reader, DestinationPtr destination, MonoTime now, Outbox& outbox);
    void unmatch(const Guid& reader);
    [[nodiscard]] bool matched(const Guid& reader) const { return readers_.count(reader) != 0; }

    // ACKNACK (8.3.8.1): set bits are requests whatever the final flag; without it a HEARTBEAT goes
    // back (also for the pre-emptive ones: base 0 or 1, empty set, any count). Ignored unless the
    // reader is matched, and if it acknowledges what was never written.
    void on_acknack(const Guid& reader, const wire::AckNack& acknack, MonoTime now, Outbox& outbox);
    // NACK_FRAG (8.3.8.10).
    void on_nack_frag(const Guid& reader,
                      const wire::NackFrag& nack_frag,
                      MonoTime now,
                      Outbox& outbox);

    // Sends new changes and due HEARTBEATs.
    void tick(MonoTime now, Outbox& outbox);
    // When to call tick() next: MonoTime::min() for at once, MonoTime::max() for never. Constant
    // time.
    [[nodiscard]] MonoTime next_deadline() const { return unsent_ ? MonoTime::min() : earliest_; }

    // The reader has everything up to `number`. False when it is not matched.
    [[nodiscard]] bool acknowledged_by(const Guid& reader, SequenceNumber number) const;
    // Takes the oldest event; at most one waits for each reader.
    [[nodiscard]] std::optional<AckedUpTo> next_event();

  private:
    using History = std::map<SequenceNumber, Change>;

    [[nodiscard]] bool relevant(const Change& change, const ReaderProxy& reader) const;
    [[nodiscard]] ByteView payload_for(const Change& change, const ReaderProxy& reader) const;
    // The last number this reader has to be told about.
    [[nodiscard]] SequenceNumber owed_through(const ReaderProxy& reader) const;
    // firstSN for this reader: what it still needs, or the oldest change.
    [[nodiscard]] SequenceNumber first_for(const ReaderProxy& reader) const;
    void remove(History::iterator at);
    void forget_acknowledged();
    [[nodiscard]] bool owed_to_nobody(SequenceNumber number, const Change& change) const;

    // Sends changes from..last(), GAPs for the numbers between, until `bytes` octets have gone out.
    // Returns the last number that was dealt with.
    SequenceNumber push(const ReaderProxy& reader,
                        SequenceNumber from,
                        std::size_t bytes,
                        Outbox& outbox);
    struct Repaired {
        bool any{false};        // something was sent
        bool too_early{false};  // something was not, because it had been a moment ago
    };
    Repaired repair(ReaderProxy& reader,
                    const wire::SequenceNumberSet& wanted,
                    MonoTime now,
                    Outbox& outbox);
    void send_change(const ReaderProxy& reader,
                     SequenceNumber number,
                     const Change& change,
                     Outbox& outbox);
    // Fragments first..last of the change, as many as there are.
    void send_fragments(const ReaderProxy& reader,
                        SequenceNumber number,
                        const Change& change,
                        FragmentNumber first,
                        FragmentNumber last,
                        Outbox& outbox);
    void send_gap(const ReaderProxy& reader, SequenceNumber number, Outbox& outbox);
    void send_heartbeat(const ReaderProxy& reader, bool final, Outbox& outbox);
    void send_heartbeat(const ReaderProxy& reader, SequenceRange range, bool final, Outbox& outbox);
    void send_introduction(const ReaderProxy& reader, Outbox& outbox);

    void answer_preemptive(ReaderProxy& reader, MonoTime now, Outbox& outbox);
    void acknowledge(ReaderProxy& reader, SequenceNumber acked, MonoTime now);
    void push_news(ReaderProxy& reader, MonoTime now, Outbox& outbox);
    void tick_reader(ReaderProxy& reader, MonoTime now, Outbox& outbox);
    void schedule_heartbeat(ReaderProxy& reader, MonoTime now);
    void schedule(ReaderProxy& reader, MonoTime at);

    EntityId own_;
    WriterOptions options_;
    SequenceNumber last_;
    std::uint32_t heartbeat_count_;
    History history_;
    std::map<KeyHash, SequenceNumber> instances_;
    std::unordered_map<Guid, ReaderProxy> readers_;
    std::deque<Guid> events_;  // readers whose acked() is above reported()
    std::uint64_t evicted_{0};
    std::size_t disposes_{0};
    bool unsent_{false};
    MonoTime earliest_{MonoTime::max()};
};

}  // namespace durability::rtps
