#include "service/entitlement.hpp"

#include "model/rtps_time.hpp"

#include <algorithm>

namespace durability::service {
namespace {

// By instance (ListedSample::instance). A keyed sample whose key is not known has none: it cannot
// be compared with any other.
using NewestLive = std::unordered_map<std::uint64_t, Timestamp>;

// The living writer that sends it; nullptr when none does.
const Guid* living_sender(const store::ListedSample& sample, const EntitlementInput& input) {
    const auto found = input.living.find(sample.id.writer);
    if (found == input.living.end()) return nullptr;
    const LivingShare& share = found->second;
    const bool is_dropped = sample.is_left && share.drops_unregistered;
    if (share.history.contains(sample.id.number) && !is_dropped) return &found->first;
    const auto relayed = std::ranges::find_if(
        share.relayed, [&](const auto& part) { return part.numbers.contains(sample.id.number); });
    return relayed == share.relayed.end() ? nullptr : &relayed->by;
}

bool expired(const store::ListedSample& sample, const EntitlementInput& input) {
    if (input.lifespan.infinite() || !sample.source_timestamp.valid()) return false;
    return to_wall_time(sample.source_timestamp) + to_duration(input.lifespan) <= input.now;
}

// The newest source timestamp of each instance among what living writers send.
NewestLive newest_live(const EntitlementInput& input) {
    NewestLive newest;
    if (!needs_whole_history(input.reader, input.living)) return newest;
    for (const store::ListedSample& sample : input.retained) {
        if (living_sender(sample, input) == nullptr || !sample.source_timestamp.valid()) continue;
        if (sample.instance == 0) continue;
        auto [entry, added] = newest.try_emplace(sample.instance, sample.source_timestamp);
        if (!added) entry->second = std::max(entry->second, sample.source_timestamp);
    }
    return newest;
}

bool contains(const std::vector<ArrivalRange>& ranges, Arrival arrival) {
    const auto range = std::ranges::lower_bound(ranges, arrival, {}, &ArrivalRange::last);
    return range != ranges.end() && range->first <= arrival;
}

Entitlement judge(const store::ListedSample& sample,
                  const EntitlementInput& input,
                  const NewestLive& newest) {
    if (!input.reader.wants_history || sample.arrival > input.reader.matched_arrival) {
        return Entitlement::not_history;
    }
    if (sample.arrival <= input.reader.frontier &&
        !contains(input.reader.unsettled, sample.arrival)) {
        return Entitlement::acknowledged;
    }
    if (expired(sample, input)) return Entitlement::expired;
    if (living_sender(sample, input) != nullptr) {
        const bool understood = sample.lifecycle == Lifecycle::data ||
                                input.living.at(sample.id.writer).operations_understood;
        return understood ? Entitlement::living_writer : Entitlement::deferred;
    }
    if (sample.is_held) return Entitlement::held;
    if (!newest.empty() && sample.source_timestamp.valid()) {
        const auto live = newest.find(sample.instance);
        if (live != newest.end() && sample.source_timestamp < live->second)
            return Entitlement::superseded;
    }
    return Entitlement::owed;
}

}  // namespace

std::string_view name(Entitlement entitlement) {
    switch (entitlement) {
        case Entitlement::owed:
            return "owed";
        case Entitlement::not_history:
            return "came after it";
        case Entitlement::acknowledged:
            return "acknowledged before the daemon started again";
        case Entitlement::expired:
            return "expired";
        case Entitlement::living_writer:
            return "sent by its living writer";
        case Entitlement::superseded:
            return "superseded by a living writer";
        case Entitlement::deferred:
            return "sent when its living writer has sent the rest";
        case Entitlement::held:
            return "its instance is held by another writer";
    }
    return "?";
}

bool needs_whole_history(const LateReader& reader,
                         const std::unordered_map<Guid, LivingShare>& living) {
    if (!reader.latest_arrival_wins) return false;
    return std::ranges::any_of(living, [](const auto& entry) { return !entry.second.empty(); });
}

void decide(const EntitlementInput& input, EntitlementResult& result) {
    const NewestLive newest = newest_live(input);
    for (const store::ListedSample& sample : input.retained) {
        const Entitlement verdict = judge(sample, input, newest);
        ++result.counts[static_cast<std::size_t>(verdict)];
        if (verdict == Entitlement::owed) append(result.owed, sample.arrival);
        if (verdict == Entitlement::deferred) append(result.deferred, sample.arrival);
        if (verdict == Entitlement::living_writer)
            append(result.promised[*living_sender(sample, input)], sample.arrival);
    }
}

}  // namespace durability::service
