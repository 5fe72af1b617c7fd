// Numbers that will not come, as disjoint ranges: costs as many steps as there are ranges, whatever
// numbers they span, and never holds more than a given number of them.
#pragma once

#include "model/sequence_number.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace durability::rtps {

class AbsentRanges {
  public:
    // Why a number will not come: the writer said so, or it is unobtainable.
    enum class Reason : std::uint8_t {
        irrelevant,
        lost
    };
    struct Range {
        SequenceRange numbers;
        Reason reason{Reason::irrelevant};
    };

    explicit AbsentRanges(std::size_t max_ranges) : max_ranges_(max_ranges) {}

    // Adds the numbers of `range` that are not absent yet. Beyond the bound the highest ranges are
    // forgotten: their numbers are asked for, and answered, again.
    void insert(SequenceRange range, Reason reason);
    // Forgets everything up to and including `number`.
    void erase_through(SequenceNumber number);
    void clear() { ranges_.clear(); }

    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    [[nodiscard]] std::size_t size() const { return ranges_.size(); }
    // The range that holds `number`, or the first one above it.
    [[nodiscard]] std::optional<Range> at_or_above(SequenceNumber number) const;
    // How many absent numbers there are in `range`.
    [[nodiscard]] std::uint64_t count_in(SequenceRange range) const;

  private:
    struct Tail {
        SequenceNumber last;
        Reason reason{Reason::irrelevant};
    };
    void put(SequenceRange range, Reason reason);

    std::size_t max_ranges_;
    std::map<SequenceNumber, Tail> ranges_;  // by first number
};

}  // namespace durability::rtps
