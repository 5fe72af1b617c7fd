#include "store/dedup.hpp"

#include <algorithm>

namespace durability::store {

bool NumberSet::contains(SequenceNumber number) const {
    if (ranges_.empty() || number > ranges_.back().last) return false;
    const auto at = std::lower_bound(
        ranges_.begin(), ranges_.end(), number, [](const SequenceRange& range, SequenceNumber n) {
            return range.last < n;
        });
    return at != ranges_.end() && at->first <= number;
}

void NumberSet::insert(SequenceRange range) {
    if (range.empty()) return;
    if (!ranges_.empty() && range.first == next(ranges_.back().last)) {
        ranges_.back().last = range.last;
        return;
    }
    // The first range that touches or follows the new one, and the first that lies wholly behind
    // it.
    auto begin = std::lower_bound(
        ranges_.begin(), ranges_.end(), range.first, [](const SequenceRange& r, SequenceNumber n) {
            return next(r.last) < n;
        });
    auto end = begin;
    while (end != ranges_.end() && end->first <= next(range.last)) {
        range.first = std::min(range.first, end->first);
        range.last = std::max(range.last, end->last);
        ++end;
    }
    if (begin != end) {
        *begin = range;
        ranges_.erase(begin + 1, end);
    } else {
        ranges_.insert(begin, range);
    }
    if (ranges_.size() > max_ranges) {
        ranges_[1].first = ranges_[0].first;
        ranges_.erase(ranges_.begin());
    }
}

SequenceNumber NumberSet::greatest() const {
    return ranges_.empty() ? SequenceNumber{0} : ranges_.back().last;
}

}  // namespace durability::store
