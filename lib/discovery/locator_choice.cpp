#include "discovery/locator_choice.hpp"

#include <algorithm>

namespace durability::discovery {
namespace {

bool is_loopback(const Locator& locator) {
    return (locator.ipv4() >> 24U) == 127U;
}

bool is_usable_unicast(const Locator& locator) {
    return locator.is_udp_v4() && !locator.is_multicast() && locator.ipv4() != 0;
}

}  // namespace

std::vector<Locator> choose_locators(std::span<const Locator> unicast,
                                     std::span<const Locator> multicast,
                                     const std::optional<Locator>& came_from,
                                     std::span<const Locator> current) {
    if (current.size() == 1 &&
        std::find(unicast.begin(), unicast.end(), current[0]) != unicast.end()) {
        return {current[0]};
    }
    const Locator* best = nullptr;
    int best_rank = 0;
    for (const Locator& locator : unicast) {
        if (!is_usable_unicast(locator)) continue;
        const bool same_address = came_from && came_from->ipv4() == locator.ipv4();
        const int rank = same_address ? 3 : (is_loopback(locator) ? 1 : 2);
        if (rank > best_rank) {
            best = &locator;
            best_rank = rank;
        }
    }
    if (best != nullptr) return {*best};
    const auto group = std::find_if(multicast.begin(), multicast.end(), [](const Locator& locator) {
        return locator.is_multicast();
    });
    if (group != multicast.end()) return {*group};
    return {};
}

}  // namespace durability::discovery
