#include "service/relayed_samples.hpp"

#include <algorithm>

namespace durability::service {

bool RelayedSamples::add(SequenceNumber number, const SampleId& id) {
    // Numbers that nobody stores; nothing is computed with them.
    if (id.number < SequenceNumber{1} || id.number > max_sequence_number) return false;
    const bool is_new = origins_.size() < max_origins && origins_.insert(id.writer).second;
    if (!runs_.empty()) {
        Run& last = runs_.back();
        const bool follows = last.id.writer == id.writer &&
                             number.value - last.first.value == last.count &&
                             id.number.value - last.id.number.value == last.count;
        if (follows) {
            ++last.count;
            return is_new;
        }
    }
    if (runs_.size() >= max_runs) runs_.pop_front();
    runs_.push_back({number, id, 1});
    return is_new;
}

std::vector<std::pair<Guid, SequenceRange>> RelayedSamples::within(SequenceRange held) const {
    std::vector<std::pair<Guid, SequenceRange>> result;
    for (const Run& run : runs_) {
        const std::int64_t first = std::max(run.first.value, held.first.value);
        const std::int64_t last = std::min(run.first.value + run.count - 1, held.last.value);
        if (first > last) continue;
        const std::int64_t start = run.id.number.value + (first - run.first.value);
        result.emplace_back(
            run.id.writer,
            SequenceRange{SequenceNumber{start}, SequenceNumber{start + (last - first)}});
    }
    return result;
}

}  // namespace durability::service
