#include "rtps/absent_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace durability::rtps {

void AbsentRanges::insert(SequenceRange range, Reason reason) {
    if (range.empty()) return;
    // Fill what lies between the ranges that are there already; these keep their reason.
    SequenceNumber at = range.first;
    auto present = ranges_.upper_bound(at);
    if (present != ranges_.begin() && std::prev(present)->second.last >= at) --present;
    while (present != ranges_.end() && present->first <= range.last) {
        const SequenceNumber hole_end = previous(present->first);
        const SequenceNumber behind = next(present->second.last);
        if (at <= hole_end) put({at, hole_end}, reason);
        at = std::max(at, behind);
        // put() may have merged the range away, so it is looked up again.
        present = ranges_.lower_bound(at);
    }
    if (at <= range.last) put({at, range.last}, reason);
    while (ranges_.size() > max_ranges_)
        ranges_.erase(std::prev(ranges_.end()));
}

void AbsentRanges::put(SequenceRange range, Reason reason) {
    // Touching ranges with the same reason become one.
    const auto behind = ranges_.find(next(range.last));
    if (behind != ranges_.end() && behind->second.reason == reason) {
        range.last = behind->second.last;
        ranges_.erase(behind);
    }
    const auto above = ranges_.lower_bound(range.first);
    if (above != ranges_.begin()) {
        const auto before = std::prev(above);
        if (next(before->second.last) == range.first && before->second.reason == reason) {
            before->second.last = range.last;
            return;
        }
    }
    ranges_.emplace_hint(above, range.first, Tail{range.last, reason});
}

void AbsentRanges::erase_through(SequenceNumber number) {
    while (!ranges_.empty() && ranges_.begin()->first <= number) {
        const auto lowest = ranges_.begin();
        const Tail tail = lowest->second;
        ranges_.erase(lowest);
        if (tail.last <= number) continue;
        ranges_.emplace_hint(ranges_.begin(), next(number), tail);
        return;
    }
}

std::optional<AbsentRanges::Range> AbsentRanges::at_or_above(SequenceNumber number) const {
    auto at = ranges_.upper_bound(number);
    if (at != ranges_.begin() && std::prev(at)->second.last >= number) --at;
    if (at == ranges_.end()) return std::nullopt;
    return Range{{at->first, at->second.last}, at->second.reason};
}

std::uint64_t AbsentRanges::count_in(SequenceRange range) const {
    std::uint64_t count = 0;
    for (const auto& [first, tail] : ranges_) {
        const SequenceNumber from = std::max(first, range.first);
        const SequenceNumber to = std::min(tail.last, range.last);
        if (from <= to) count += static_cast<std::uint64_t>(to.value - from.value) + 1U;
    }
    return count;
}

}  // namespace durability::rtps
