// The numbers a replay writer has given out towards one remote process (semantics.md, section 7;
// fact sheet 12.1 and 12.2). Pure; knows neither readers nor payloads.
//
// A sample gets its number when a reader of the process first needs it, compact from 1, and a later
// reader is sent the same number again: readers of one Cyclone DDS process share one position in
// this writer's numbers, and those that already passed a number ignore it. A sample may be given a
// second, higher number when the order of arrival demands it; the highest one counts from then on.
//
// Memory and time go with the number of pieces: stretches of numbers that stand for arrivals
// without a hole. A long history of one busy topic is a single one.
#pragma once

#include "model/sample.hpp"
#include "model/sequence_number.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace durability::rtps {

class ReplayNumbers {
  public:
    // Numbers number .. number + count - 1 stand for arrivals arrival .. arrival + count - 1.
    struct Piece {
        SequenceNumber number{1};
        Arrival arrival{0};
        std::uint64_t count{0};
        friend bool operator==(const Piece&, const Piece&) = default;
    };
    // Consecutive numbers with ascending arrivals.
    using Run = std::vector<Piece>;

    ReplayNumbers() = default;
    // Numbers 1..last_used were given out by an earlier run of the daemon and stand for nothing
    // now.
    explicit ReplayNumbers(SequenceNumber last_used) : last_(last_used) {}
    // Likewise, but what some of them stand for is known: `runs`, none of them empty, in ascending
    // order of numbers.
    ReplayNumbers(std::vector<Run> runs, SequenceNumber last_used)
        : runs_(std::move(runs)), last_(last_used) {}
    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

    struct Assignment {
        std::vector<SequenceRange> owned;  // ascending; what the reader is to be sent
        SequenceNumber first_fresh{1};     // numbers from here on were not used before
    };
    // Numbers for `history` (ascending), such that number order is arrival order, and all of them
    // above `above`. Reuses what the process knows as long as that is possible, then continues with
    // fresh numbers.
    Assignment assign(std::span<const ArrivalRange> history,
                      SequenceNumber above = SequenceNumber{0});

    // Gives out one that stands for no sample.
    SequenceNumber skip() { return last_ = next(last_); }

    // What a number stands for; nothing for a number that was never used or stands for nothing.
    [[nodiscard]] std::optional<Arrival> find(SequenceNumber number) const;
    // The greatest number given out; 0 when there is none.
    [[nodiscard]] SequenceNumber last() const { return last_; }

  private:
    [[nodiscard]] std::optional<Piece> latest(ArrivalRange range) const;
    void append_fresh(ArrivalRange range);

    std::vector<Run> runs_;  // ascending numbers
    SequenceNumber last_{0};
};

}  // namespace durability::rtps
