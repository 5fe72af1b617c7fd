// What a reliable reader knows about the numbers of one remote writer. Pure bookkeeping: no timers,
// no messages; StatefulReader decides with it what to send. Not thread-safe.
//
// A number is, for this writer, one of (RTPS 2.5, 8.4.10.5 keeps the same per change):
//   up to committed()            delivered and safe, or absent
//   committed()+1 .. received()  delivered, not safe yet: neither acknowledged nor requested
//   above received()             in ahead_ (held until its predecessors are there), in absent_
//   (will not
//                                come), missing (up to announced_last()), or unknown (above it)
// After advance() received()+1 is in neither ahead_ nor absent_.
//
// One forged message must not disable a genuine writer for good. So nothing a single message says
// moves received() over numbers that never came: a HEARTBEAT that jumps ahead is believed when
// another message agrees with it, a GAP as far as HEARTBEAT or DATA have shown that the writer has
// got.
#pragma once

#include "base/time.hpp"
#include "model/guid.hpp"
#include "rtps/absent_ranges.hpp"
#include "rtps/received_sample.hpp"
#include "wire/sequence_set.hpp"
#include "wire/submessage.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace durability::rtps {

// Octets held out of order by all writers of a reader, and how many they may be.
struct HeldBytes {
    std::size_t used{0};
    std::size_t limit{0};
};

enum class Arrived : std::uint8_t {
    in_order,   // the next number: to be delivered now
    ahead,      // to be held
    duplicate,  // delivered, held or passed over before
    refused,    // beyond a limit: to be dropped, it is asked for again
};

class WriterProxy {
  public:
    struct Start {
        // Everything up to here is stored already.
        SequenceNumber resume_after{0};
        // Whether what the writer wrote before the match is wanted. Without meaning when there is
        // something to resume: then everything after it is.
        bool wants_history{true};
    };
    WriterProxy(const Guid& guid,
                Start start,
                std::size_t max_ahead,
                std::size_t max_absent_ranges);

    [[nodiscard]] const Guid& guid() const { return guid_; }
    [[nodiscard]] SequenceNumber received() const { return received_; }
    [[nodiscard]] SequenceNumber committed() const { return committed_; }
    // The last number the newest HEARTBEAT named, at least received().
    [[nodiscard]] SequenceNumber announced_last() const;
    [[nodiscard]] bool heartbeat_seen() const { return heartbeat_seen_; }
    // A HEARTBEAT named numbers far below what is already stored: the writer counts from the start
    // again.
    [[nodiscard]] bool numbering_restarted() const { return numbering_restarted_; }
    // It has not: it has dropped what it wrote last. So it stays until it writes again.
    void deny_restart() {
        numbering_restarted_ = false;
        low_since_.reset();
        dropped_from_ = committed_;
    }
    [[nodiscard]] std::size_t ahead_count() const { return ahead_.size(); }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

    // Where a sample of that number belongs. `in_order` is the only answer for which the caller
    // delivers the sample itself and then calls delivered().
    [[nodiscard]] Arrived classify(SequenceNumber number) const;
    // The caller delivered the next number.
    void delivered(SequenceNumber number) {
        received_ = number;
        start_is_a_guess_ = false;
    }
    // Nothing is held, absent or waiting for confirmation: after delivered() no advance() is
    // needed.
    [[nodiscard]] bool plain() const {
        return ahead_.empty() && absent_.empty() && !unconfirmed_first_;
    }
    // Keeps a sample that came too early, copying what it borrows. False when a limit refuses it;
    // then nothing changed. Higher numbers give way to lower ones.
    [[nodiscard]] bool hold(ReceivedSample sample, HeldBytes& held, MonoTime now);

    // Whether the HEARTBEAT is news: counts grow, but after half a second any count is taken again.
    [[nodiscard]] bool accept_heartbeat_count(std::int32_t count, MonoTime now);
    void on_heartbeat(SequenceNumber first, SequenceNumber last, MonoTime now);
    void on_gap(const wire::Gap& gap, MonoTime now);
    // Gives a number up that was not received: it counts as lost.
    void give_up(SequenceNumber number);
    // The most that may be called safe is what was received.
    bool commit(SequenceNumber through);
    // Appends everything that has become next.
    void advance(HeldBytes& held, std::vector<ReceivedSample>& out);
    // Appends everything held, the holes before it as lost: the writer will not fill them any more.
    void flush(HeldBytes& held, std::vector<ReceivedSample>& out);
    // Gives back the octets held.
    void discard_held(HeldBytes& held);

    // The first missing number at or above `from`; nothing if none is known to be missing.
    [[nodiscard]] std::optional<SequenceNumber> first_missing(SequenceNumber from) const;
    [[nodiscard]] std::uint64_t missing_count() const;

  private:
    [[nodiscard]] SequenceNumber evidence() const;
    [[nodiscard]] bool is_absent(SequenceNumber number) const;
    void watch_for_restart(SequenceNumber last, MonoTime now);
    void on_first(SequenceNumber first);
    void confirm(SequenceNumber first);
    void apply_early_gaps(MonoTime now);
    [[nodiscard]] bool deliver_held(HeldBytes& held, std::vector<ReceivedSample>& out);
    [[nodiscard]] bool skip_absent(std::vector<ReceivedSample>& out);
    void choose_start(SequenceNumber first, SequenceNumber last);

    Guid guid_;
    SequenceNumber resume_after_;
    SequenceNumber received_;
    SequenceNumber committed_;
    SequenceNumber heartbeat_last_{0};
    SequenceNumber highest_data_{0};
    bool heartbeat_seen_{false};
    // False until the first HEARTBEAT has said where a reader without interest in history begins.
    bool start_known_;
    // Without history: numbers may still turn out to begin lower, as nothing was delivered yet.
    bool start_is_a_guess_{false};
    bool numbering_restarted_{false};
    // The writer may name numbers below this one without having restarted.
    SequenceNumber dropped_from_{0};
    std::optional<MonoTime> low_since_;
    // firstSN of a HEARTBEAT that skips numbers we miss and that nothing else has confirmed yet.
    std::optional<SequenceNumber> unconfirmed_first_;
    std::uint32_t last_count_{0};
    std::optional<MonoTime> count_accepted_at_;
    std::uint64_t lost_{0};
    std::size_t max_ahead_;
    std::map<SequenceNumber, ReceivedSample> ahead_;
    AbsentRanges absent_;
    // From GAPs: numbers that nothing had shown to exist when it came, and when that was.
    AbsentRanges early_gaps_;
    MonoTime early_gaps_at_{};
};

}  // namespace durability::rtps
