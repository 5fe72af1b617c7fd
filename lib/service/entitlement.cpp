#include "service/entitlement.hpp"

#include "model/rtps_time.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace durability::service {
namespace {

struct KeyHashHasher {
    std::size_t operator()(const KeyHash& key) const noexcept {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::memcpy(&low, key.data(), 8);
        std::memcpy(&high, key.data() + 8, 8);
        return static_cast<std::size_t>((low ^ (high * 0x9e3779b97f4a7c15ULL)) *
                                        0xbf58476d1ce4e5b9ULL);
    }
};
using NewestLive = std::unordered_map<KeyHash, Timestamp, KeyHashHasher>;

// Unkeyed topics have one instance, named by a hash of zeros. A keyed sample whose key is not known
// cannot be compared with any other.
std::optional<KeyHash> instance_of(const store::ListedSample& sample, bool keyed) {
    return keyed ? sample.key_hash : KeyHash{};
}

bool sent_by_living_writer(const store::ListedSample& sample, const EntitlementInput& input) {
    const auto share = input.living.find(sample.id.writer);
    return share != input.living.end() && share->second.history.contains(sample.id.number);
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
        if (!sent_by_living_writer(sample, input) || !sample.source_timestamp.valid()) continue;
        const auto instance = instance_of(sample, input.keyed);
        if (!instance) continue;
        auto [entry, added] = newest.try_emplace(*instance, sample.source_timestamp);
        if (!added) entry->second = std::max(entry->second, sample.source_timestamp);
    }
    return newest;
}

Entitlement judge(const store::ListedSample& sample,
                  const EntitlementInput& input,
                  const NewestLive& newest) {
    if (!input.reader.wants_history || sample.arrival > input.reader.matched_arrival) {
        return Entitlement::not_history;
    }
    if (sample.arrival <= input.reader.frontier) return Entitlement::acknowledged;
    if (expired(sample, input)) return Entitlement::expired;
    if (sent_by_living_writer(sample, input)) return Entitlement::living_writer;
    if (!newest.empty() && sample.source_timestamp.valid()) {
        if (const auto instance = instance_of(sample, input.keyed)) {
            const auto live = newest.find(*instance);
            if (live != newest.end() && sample.source_timestamp < live->second)
                return Entitlement::superseded;
        }
    }
    return Entitlement::owed;
}

}  // namespace

std::string_view name(Entitlement entitlement) {
    switch (entitlement) {
        case Entitlement::owed:
            return "owed";
        case Entitlement::not_history:
            return "not history";
        case Entitlement::acknowledged:
            return "acknowledged";
        case Entitlement::expired:
            return "expired";
        case Entitlement::living_writer:
            return "sent by its living writer";
        case Entitlement::superseded:
            return "superseded by a living writer";
    }
    return "?";
}

bool needs_whole_history(const LateReader& reader,
                         const std::unordered_map<Guid, LivingShare>& living) {
    if (!reader.latest_arrival_wins) return false;
    return std::ranges::any_of(living,
                               [](const auto& entry) { return !entry.second.history.empty(); });
}

void decide(const EntitlementInput& input, EntitlementResult& result) {
    const NewestLive newest = newest_live(input);
    for (const store::ListedSample& sample : input.retained) {
        const Entitlement verdict = judge(sample, input, newest);
        ++result.counts[static_cast<std::size_t>(verdict)];
        if (verdict == Entitlement::owed) append(result.owed, sample.arrival);
    }
}

}  // namespace durability::service
