// Where datagrams go (RTPS 2.5, 9.3.2).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace durability {

enum class LocatorKind : std::int32_t {
    invalid = -1,
    udp_v4 = 1,
    udp_v6 = 2,
    shared_memory = 16
};

struct Locator {
    std::int32_t kind{-1};  // a LocatorKind, or a kind we do not know and ignore
    std::uint32_t port{0};
    std::array<std::uint8_t, 16> address{};  // IPv4 in the last four octets
    friend auto operator<=>(const Locator&, const Locator&) = default;

    [[nodiscard]] constexpr bool is_udp_v4() const {
        return kind == static_cast<std::int32_t>(LocatorKind::udp_v4) && port > 0 && port <= 65535;
    }
    [[nodiscard]] constexpr std::uint32_t ipv4() const {
        return (std::uint32_t{address[12]} << 24U) | (std::uint32_t{address[13]} << 16U) |
               (std::uint32_t{address[14]} << 8U) | address[15];
    }
    [[nodiscard]] constexpr bool is_multicast() const {
        return is_udp_v4() && (address[12] & 0xf0U) == 0xe0U;
    }
    [[nodiscard]] static constexpr Locator udp_v4(std::uint32_t ipv4_address,
                                                  std::uint16_t udp_port) {
        Locator locator;
        locator.kind = static_cast<std::int32_t>(LocatorKind::udp_v4);
        locator.port = udp_port;
        for (unsigned i = 0; i < 4; ++i) {
            locator.address[12 + i] = static_cast<std::uint8_t>(ipv4_address >> (24U - 8U * i));
        }
        return locator;
    }
};

// "127.0.0.1:7410", or the kind and hex digits where it is not UDPv4.
[[nodiscard]] std::string to_string(const Locator& locator);

}  // namespace durability
