#include "rtps/replay_numbers.hpp"

#include <algorithm>

namespace durability::rtps {
namespace {

void extend(std::vector<SequenceRange>& ranges, SequenceNumber number) {
    if (!ranges.empty() && next(ranges.back().last) == number) {
        ranges.back().last = number;
    } else {
        ranges.push_back({number, number});
    }
}

}  // namespace

std::optional<ReplayNumbers::Place> ReplayNumbers::latest(Arrival arrival,
                                                          std::optional<Place> hint) const {
    // The usual case: the next sample of the run that held the previous one, and no later run.
    if (hint && hint->run + 1 == runs_.size()) {
        const auto& items = runs_[hint->run].items;
        const std::size_t index = hint->index + 1;
        if (index < items.size() && items[index].arrival == arrival) return Place{hint->run, index};
    }
    for (std::size_t run = runs_.size(); run-- > 0;) {
        const auto& items = runs_[run].items;
        const auto found = std::ranges::lower_bound(items, arrival, {}, &HistoryItem::arrival);
        if (found != items.end() && found->arrival == arrival) {
            return Place{run, static_cast<std::size_t>(found - items.begin())};
        }
    }
    return std::nullopt;
}

void ReplayNumbers::append_fresh(HistoryItem item) {
    ++last_;
    const bool continues =
        !runs_.empty() &&
        runs_.back().first.value + static_cast<std::int64_t>(runs_.back().items.size()) ==
            last_.value &&
        runs_.back().items.back().arrival < item.arrival;
    if (!continues) runs_.push_back(Run{last_, {}});
    runs_.back().items.push_back(item);
}

ReplayNumbers::Assignment ReplayNumbers::assign(std::span<const HistoryItem> history) {
    Assignment result;
    result.first_fresh = next(last_);

    // Reuse while every sample is known and numbers ascend; from the first that is not, everything
    // gets fresh numbers, because order inside a run is all that keeps an old value from following
    // a new one.
    std::size_t at = 0;
    SequenceNumber previous_number{0};
    std::optional<Place> place;
    for (; at < history.size(); ++at) {
        place = latest(history[at].arrival, place);
        if (!place) break;
        const SequenceNumber number{runs_[place->run].first.value +
                                    static_cast<std::int64_t>(place->index)};
        if (number <= previous_number) break;
        extend(result.owned, number);
        previous_number = number;
    }
    for (; at < history.size(); ++at) {
        append_fresh(history[at]);
        extend(result.owned, last_);
    }
    return result;
}

std::optional<HistoryItem> ReplayNumbers::find(SequenceNumber number) const {
    auto run = std::ranges::upper_bound(runs_, number, {}, &Run::first);
    if (run == runs_.begin()) return std::nullopt;
    --run;
    const auto index = static_cast<std::size_t>(number.value - run->first.value);
    if (index >= run->items.size()) return std::nullopt;
    return run->items[index];
}

}  // namespace durability::rtps
