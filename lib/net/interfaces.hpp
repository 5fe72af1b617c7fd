// The network interfaces a participant uses. Read from the system; called at start and on changes.
#pragma once

#include "durability/error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace durability::net {

struct Interface {
    std::string name;
    int index{0};
    std::uint32_t address{0};  // IPv4, host byte order
    std::uint32_t netmask{0};
    bool loopback{false};
    bool multicast{false};
    friend bool operator==(const Interface&, const Interface&) = default;
};

// Every IPv4 address of an interface that is up. Errors: io.
[[nodiscard]] Result<std::vector<Interface>> system_interfaces();

// Those to use: the ones named (by interface name or address) in `wanted`; with nothing named, all
// that can multicast and are not loopback; with none of these, loopback. Names that are not there
// now are left out: an interface may come later (cases R11.1). Pure.
[[nodiscard]] std::vector<Interface> select_interfaces(std::span<const Interface> available,
                                                       std::span<const std::string> wanted);

// "10.0.0.7", of an address in host byte order.
[[nodiscard]] std::string to_text(std::uint32_t address);
// "10.0.0.7" in host byte order; nothing for anything else.
[[nodiscard]] Result<std::uint32_t> parse_ipv4(const std::string& text);

}  // namespace durability::net
