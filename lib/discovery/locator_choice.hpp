// Which of the addresses a participant announces is used. Pure.
#pragma once

#include "model/locator.hpp"

#include <optional>
#include <span>
#include <vector>

namespace durability::discovery {

// One locator, because a process listens on each of them and would get everything twice. In this
// order: `current` while it is still announced (no flapping between the interfaces of one host);
// the one with the address a datagram of the participant came from, since that path is known to
// work; the first that is not loopback; the first. Unicast before multicast. Only UDPv4; nothing
// when there is none.
[[nodiscard]] std::vector<Locator> choose_locators(std::span<const Locator> unicast,
                                                   std::span<const Locator> multicast,
                                                   const std::optional<Locator>& came_from,
                                                   std::span<const Locator> current = {});

}  // namespace durability::discovery
