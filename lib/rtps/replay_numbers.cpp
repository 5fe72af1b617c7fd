#include "rtps/replay_numbers.hpp"

#include <algorithm>

namespace durability::rtps {
namespace {

using Piece = ReplayNumbers::Piece;

SequenceNumber plus(SequenceNumber number, std::uint64_t count) {
    return SequenceNumber{number.value + static_cast<std::int64_t>(count)};
}

// The first number and the first arrival behind a piece.
SequenceNumber number_end(const Piece& piece) {
    return plus(piece.number, piece.count);
}
Arrival arrival_end(const Piece& piece) {
    return piece.arrival + piece.count;
}

void extend(std::vector<SequenceRange>& ranges, SequenceRange added) {
    if (!ranges.empty() && next(ranges.back().last) == added.first) {
        ranges.back().last = added.last;
    } else {
        ranges.push_back(added);
    }
}

}  // namespace

// The highest numbers of the first arrivals of `range`, as many as follow one another; nothing when
// its first arrival has none.
std::optional<Piece> ReplayNumbers::latest(ArrivalRange range) const {
    Arrival end = range.last + 1;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
        const auto piece = std::ranges::upper_bound(*run, range.first, {}, arrival_end);
        if (piece == run->end()) continue;
        if (piece->arrival > range.first) {
            // A later number than those of the runs below begins here.
            end = std::min(end, piece->arrival);
            continue;
        }
        const std::uint64_t skipped = range.first - piece->arrival;
        end = std::min(end, arrival_end(*piece));
        return Piece{plus(piece->number, skipped), range.first, end - range.first};
    }
    return std::nullopt;
}

void ReplayNumbers::append_fresh(ArrivalRange range) {
    const SequenceNumber first = next(last_);
    last_ = plus(last_, range.size());
    const Piece* previous = runs_.empty() ? nullptr : &runs_.back().back();
    const bool continues = previous != nullptr && number_end(*previous) == first &&
                           arrival_end(*previous) <= range.first;
    if (!continues) {
        runs_.push_back({{first, range.first, range.size()}});
    } else if (arrival_end(*previous) == range.first) {
        runs_.back().back().count += range.size();
    } else {
        runs_.back().push_back({first, range.first, range.size()});
    }
}

ReplayNumbers::Assignment ReplayNumbers::assign(std::span<const ArrivalRange> history,
                                                SequenceNumber above) {
    Assignment result;
    result.first_fresh = next(last_);

    // Reuse while every sample is known and numbers ascend; from the first that is not, everything
    // gets fresh numbers, because order inside a run is all that keeps an old value from following
    // a new one.
    bool reuse = true;
    SequenceNumber previous_number = above;
    for (ArrivalRange range : history) {
        while (reuse && range.first <= range.last) {
            const auto known = latest(range);
            reuse = known && known->number > previous_number;
            if (!reuse) break;
            previous_number = previous(number_end(*known));
            extend(result.owned, {known->number, previous_number});
            range.first += known->count;
        }
        if (range.first > range.last) continue;
        const SequenceNumber first = next(last_);
        append_fresh(range);
        extend(result.owned, {first, last_});
    }
    return result;
}

std::optional<Arrival> ReplayNumbers::find(SequenceNumber number) const {
    const auto first_of = [](const Run& run) { return run.front().number; };
    auto run = std::ranges::upper_bound(runs_, number, {}, first_of);
    if (run == runs_.begin()) return std::nullopt;
    --run;
    const auto piece = std::ranges::upper_bound(*run, number, {}, number_end);
    if (piece == run->end()) return std::nullopt;
    return piece->arrival + static_cast<std::uint64_t>(number.value - piece->number.value);
}

}  // namespace durability::rtps
