#include "runtime/network_change.hpp"

#include <algorithm>

namespace durability::runtime {

NetworkChange judge_change(std::span<const std::uint32_t> known,
                           std::span<const net::Interface> used,
                           std::span<const net::Interface> available,
                           std::span<const net::Interface> chosen) {
    const auto is_there = [&](std::uint32_t address) {
        return std::ranges::any_of(
            available, [&](const net::Interface& one) { return one.address == address; });
    };
    const bool any_gone = !std::ranges::all_of(known, is_there);
    // Loopback is what is left when a cable is pulled: no reason to be somebody else when it is put
    // back.
    const bool any_new = std::ranges::any_of(chosen, [&](const net::Interface& one) {
        return !one.loopback && std::ranges::find(known, one.address) == known.end();
    });
    if (any_gone && any_new) return NetworkChange::replaced;
    return std::ranges::equal(used, chosen) ? NetworkChange::none : NetworkChange::extended;
}

std::vector<std::uint32_t> with_addresses(std::span<const std::uint32_t> known,
                                          std::span<const net::Interface> chosen) {
    std::vector<std::uint32_t> all(known.begin(), known.end());
    for (const net::Interface& interface : chosen)
        all.push_back(interface.address);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace durability::runtime
