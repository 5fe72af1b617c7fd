// One local reliable reader (RTPS 2.5, 8.4.10): receives from any number of matched writers,
// orders, asks again for what is missing, and acknowledges what was committed - not what was merely
// received, because an acknowledgement allows the writer to forget (semantics.md, section 3).
//
// No sockets, no clock, no threads: time is an argument, messages go to an Outbox, samples to a
// vector that the caller empties. Not thread-safe; belongs to its participant. Memory is bounded by
// ReaderLimits.
//
// Of every function: a call for a writer that is not matched changes nothing. The caller takes the
// prefix of `writer` from the message header, so that a peer can speak for its own endpoints only.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "rtps/fragment_buffer.hpp"
#include "rtps/outbox.hpp"
#include "rtps/received_sample.hpp"
#include "rtps/writer_proxy.hpp"
#include "wire/submessage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace durability::rtps {

struct ReaderLimits {
    FragmentLimits fragments;
    // Samples held out of order: per writer, and octets of all writers together.
    std::size_t reorder_samples_per_writer{4'096};
    std::size_t reorder_bytes{128U << 20U};
    // Ranges of irrelevant numbers remembered ahead of what was received, per writer.
    std::size_t absent_ranges_per_writer{1'024};
    // Requests in a row without any answer; a new sample or HEARTBEAT starts the count again.
    std::uint32_t repair_retries{20};
    // A sample is given up as lost after that many requests were followed by HEARTBEATs and not by
    // the sample, and so long after the first of them.
    std::uint32_t give_up_rounds{100};
    Duration give_up_after{std::chrono::seconds{30}};
};

enum class AckPolicy : std::uint8_t {
    on_commit,   // committed() says what may be acknowledged
    on_receipt,  // what was delivered is acknowledged
};

struct ReaderOptions {
    AckPolicy ack{AckPolicy::on_commit};
    ReaderLimits limits{};
    // Count of the first ACKNACK and NACK_FRAG; after a restart above all old ones (fact
    // sheet 12.3).
    std::int32_t first_count{1};
    // The same numbers are not asked for again sooner. Doubles while nothing comes.
    Duration repair_interval{std::chrono::milliseconds{10}};
    Duration max_repair_interval{std::chrono::seconds{1}};
    // Equal answers to a writer that sends many HEARTBEATs at once are merged.
    Duration answer_interval{std::chrono::milliseconds{1}};
    // Between the first and the second pre-emptive ACKNACK; doubles up to the second value for so
    // many of them, and from then on up to the third.
    Duration preemptive_interval{std::chrono::milliseconds{10}};
    Duration eager_preemptive_interval{std::chrono::milliseconds{300}};
    std::uint32_t eager_preemptive{0};
    Duration max_preemptive_interval{std::chrono::seconds{2}};
    std::uint32_t preemptive_retries{30};
};

struct MatchOptions {
    // Everything up to here is stored: never delivered, acknowledged from the start.
    SequenceNumber resume_after{0};
    // False: only what is written after the match (the first HEARTBEAT says where that begins).
    bool wants_history{true};
    // The reader existed before a restart, and the writer may know it (fact sheet 12.3).
    bool expects_resume{false};
};

struct WriterStatus {
    SequenceNumber received{0};        // everything up to here was delivered or passed over
    SequenceNumber committed{0};       // and up to here it is acknowledged
    SequenceNumber announced_last{0};  // the last number the writer says it wrote
    std::uint64_t missing{0};          // known to exist, not here
    std::uint64_t held{0};             // here, waiting for their predecessors
    std::uint64_t samples{0};          // samples delivered
    std::uint64_t lost{0};             // numbers that could not be had (R2.4)
    std::uint64_t duplicates{0};
    std::uint64_t dropped{0};   // refused by a limit; asked for again
    std::uint64_t requests{0};  // ACKNACK and NACK_FRAG that asked for something
    bool heartbeat_seen{false};
    // The writer numbers its samples from the start again (R2.3): match it anew with resume_after
    // 0.
    bool numbering_restarted{false};
};

class StatefulReader {
  public:
    explicit StatefulReader(EntityId own, ReaderOptions options = {});

    [[nodiscard]] EntityId id() const { return own_; }

    // Begins with a pre-emptive ACKNACK at the next tick(), repeated with back-off until the
    // writer's first HEARTBEAT. A second match of the same writer starts over with the new options.
    void match(const Guid& writer,
               DestinationPtr destination,
               const MatchOptions& options,
               MonoTime now);
    // Where the writer is reached has changed; nothing else does.
    void set_destination(const Guid& writer, DestinationPtr destination);
    // Forgets the writer and what it sent that was not delivered.
    void unmatch(const Guid& writer);
    // The writer is gone for good: first appends what was held out of order, holes reported as
    // lost.
    void unmatch(const Guid& writer, std::vector<ReceivedSample>& out);
    [[nodiscard]] bool matched(const Guid& writer) const { return writers_.count(writer) != 0; }
    [[nodiscard]] std::size_t matched_count() const { return writers_.size(); }

    // DATA, DATA_FRAG (8.3.8.2, 8.3.8.3). Appends what has become deliverable. `timestamp` is the
    // one in force in the message, invalid if none.
    void on_data(const Guid& writer,
                 const wire::Data& data,
                 Timestamp timestamp,
                 MonoTime now,
                 std::vector<ReceivedSample>& out);
    void on_data_frag(const Guid& writer,
                      const wire::DataFrag& data_frag,
                      Timestamp timestamp,
                      MonoTime now,
                      std::vector<ReceivedSample>& out);
    // GAP (8.3.8.4). Work does not depend on the numbers it spans.
    void on_gap(const Guid& writer,
                const wire::Gap& gap,
                MonoTime now,
                std::vector<ReceivedSample>& out);
    // HEARTBEAT (8.3.8.6): answered at once unless it is final and nothing is missing. Numbers the
    // writer no longer has are counted as lost and skipped once a second message confirms that.
    void on_heartbeat(const Guid& writer,
                      const wire::Heartbeat& heartbeat,
                      MonoTime now,
                      Outbox& outbox,
                      std::vector<ReceivedSample>& out);
    // HEARTBEAT_FRAG (8.3.8.7): asks for the missing fragments up to the one it names.
    void on_heartbeat_frag(const Guid& writer,
                           const wire::HeartbeatFrag& heartbeat_frag,
                           MonoTime now,
                           Outbox& outbox);

    // Everything of `writer` up to `through` is safe and is acknowledged if that is news. More than
    // was delivered cannot be.
    void committed(const Guid& writer, SequenceNumber through, MonoTime now, Outbox& outbox);

    // Asks the writer to show that it lives and what it holds: an ACKNACK without final flag, which
    // is answered with a HEARTBEAT. Fast DDS answers a known reader only when something is
    // requested, so it is asked for the last number it announced once more (fact sheet 6.2).
    void probe(const Guid& writer, MonoTime now, Outbox& outbox);

    // Sends what is due: pre-emptive ACKNACKs, repeated requests. Gives up what was asked for too
    // often, which may make others deliverable.
    void tick(MonoTime now, Outbox& outbox, std::vector<ReceivedSample>& out);
    // When to call tick() next; MonoTime::max() for never. Constant time.
    [[nodiscard]] MonoTime next_deadline() const { return earliest_; }

    // WriterStatus::numbering_restarted alone, at no cost: asked after every HEARTBEAT.
    [[nodiscard]] bool numbering_restarted(const Guid& writer) const;
    // See WriterProxy::deny_restart(); the writer is answered again.
    void deny_restart(const Guid& writer, MonoTime now, Outbox& outbox);
    // Nothing when `writer` is not matched. Counts what is missing, which takes time with what is
    // held.
    [[nodiscard]] std::optional<WriterStatus> status(const Guid& writer) const;
    // Octets of samples held out of order and of samples under assembly.
    [[nodiscard]] std::size_t held_bytes() const { return held_.used; }
    [[nodiscard]] std::size_t assembly_bytes() const { return fragments_.bytes(); }

  private:
    struct Writer {
        Writer(const Guid& guid,
               DestinationPtr to,
               const MatchOptions& options,
               const ReaderLimits& limits);

        WriterProxy proxy;
        DestinationPtr destination;
        MatchOptions options;
        std::uint32_t count{0};

        // Pre-emptive ACKNACKs, until the first HEARTBEAT.
        std::uint32_t preemptive_sent{0};
        Duration preemptive_delay{};

        // The round of requests under way: numbers up to asked_through were asked for at asked_at.
        SequenceNumber asked_through{0};
        std::optional<MonoTime> asked_at;
        Duration repair_delay{};
        std::uint32_t unanswered{0};
        // For giving up: the number in question, and how often a HEARTBEAT came instead of it.
        SequenceNumber stuck_at{0};
        MonoTime stuck_since{};
        std::uint32_t stuck_rounds{0};

        SequenceNumber acked_base{0};  // base of the last ACKNACK
        std::optional<MonoTime> answered_at;
        bool answer_owed{false};
        MonoTime due{MonoTime::max()};
        WriterStatus counters;
    };
    enum class Reply : std::uint8_t {
        if_missing,
        always
    };
    // What the next ACKNACK asks for.
    struct Plan {
        wire::SequenceNumberSet numbers;  // its base is the first number not acknowledged
        std::vector<std::pair<SequenceNumber, wire::FragmentNumberSet>> fragments;
        bool complete{true};  // nothing that the writer announced is missing
        bool repeats{false};  // a new round: also what was asked for before
        [[nodiscard]] bool asks_nothing() const {
            return numbers.num_bits == 0 && fragments.empty();
        }
    };

    [[nodiscard]] Writer* find(const Guid& writer);
    void hold(Writer& writer,
              ReceivedSample sample,
              MonoTime now,
              std::vector<ReceivedSample>& out);
    void after_delivery(Writer& writer,
                        SequenceNumber number,
                        MonoTime now,
                        std::vector<ReceivedSample>& out);
    void advance(Writer& writer, MonoTime now, std::vector<ReceivedSample>& out);
    void settle(Writer& writer, MonoTime now);
    void note_progress(Writer& writer) const;
    void refuse_for_good(Writer& writer,
                         SequenceNumber number,
                         MonoTime now,
                         std::vector<ReceivedSample>& out);
    void count_stuck_round(Writer& writer, MonoTime now);
    void give_up_if_stuck(Writer& writer, MonoTime now, std::vector<ReceivedSample>& out);

    [[nodiscard]] Plan plan(Writer& writer, MonoTime now);
    [[nodiscard]] Duration repeat_after(const Writer& writer) const;
    void answer(Writer& writer, Reply reply, MonoTime now, Outbox& outbox);
    void send_acknack(Writer& writer, const Plan& plan, MonoTime now, Outbox& outbox);
    void note_request(Writer& writer, const Plan& plan, MonoTime now);
    void send_nack_frag(Writer& writer,
                        SequenceNumber number,
                        const wire::FragmentNumberSet& missing,
                        Outbox& outbox);
    void send_preemptive(Writer& writer, Outbox& outbox);
    void tick_writer(Writer& writer,
                     MonoTime now,
                     Outbox& outbox,
                     std::vector<ReceivedSample>& out);
    void schedule(Writer& writer, MonoTime at);
    [[nodiscard]] static std::int32_t next_count(Writer& writer);

    EntityId own_;
    ReaderOptions options_;
    FragmentBuffer fragments_;
    HeldBytes held_;
    std::unordered_map<Guid, Writer> writers_;
    // Datagrams come in runs of one writer; spares the look-up.
    Writer* last_found_{nullptr};
    // No deadline is earlier; may be earlier than all of them.
    MonoTime earliest_{MonoTime::max()};
};

}  // namespace durability::rtps
