#include "rtps/gap_builder.hpp"

#include <utility>

namespace durability::rtps {

std::optional<wire::Gap> GapBuilder::add(SequenceRange range) {
    if (range.empty()) return std::nullopt;
    if (open_) {
        wire::SequenceNumberSet& list = open_->list;
        if (list.num_bits == 0 && range.first == list.base) {
            list.base = next(range.last);
            return std::nullopt;
        }
        if (list.fits(range.last)) {
            for (SequenceNumber number = range.first; number <= range.last; ++number) {
                list.insert(number);
            }
            return std::nullopt;
        }
    }
    std::optional<wire::Gap> finished = finish();
    open_.emplace();
    open_->reader = reader_;
    open_->writer = writer_;
    open_->start = range.first;
    open_->list.base = next(range.last);
    return finished;
}

std::optional<wire::Gap> GapBuilder::finish() {
    return std::exchange(open_, std::nullopt);
}

}  // namespace durability::rtps
