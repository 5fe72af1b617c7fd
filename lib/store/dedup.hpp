// Which numbers of one source writer are stored or once were: ranges in ascending order, so that a
// writer whose numbers come without holes costs one range however many it has written.
#pragma once

#include "model/sequence_number.hpp"

#include <cstddef>
#include <vector>

namespace durability::store {

class NumberSet {
  public:
    // More ranges than this are not kept: the lowest hole is then taken for known. A reader that
    // reads in order never comes back to it.
    static constexpr std::size_t max_ranges = 128;

    [[nodiscard]] bool contains(SequenceNumber number) const;
    // O(1) for the number after the greatest, else O(ranges).
    void insert(SequenceNumber number) { insert(SequenceRange{number, number}); }
    void insert(SequenceRange range);
    void clear() { ranges_.clear(); }
    // Zero when there is none.
    [[nodiscard]] SequenceNumber greatest() const;
    [[nodiscard]] const std::vector<SequenceRange>& ranges() const { return ranges_; }

  private:
    std::vector<SequenceRange> ranges_;
};

}  // namespace durability::store
