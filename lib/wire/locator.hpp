// Locators on the wire (RTPS 2.5, 9.3.2.3) and the well-known ports (9.6.1). Pure; thread-safe.
#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "model/locator.hpp"
#include "wire/decode_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace durability::wire {

inline constexpr std::size_t locator_size = 24;

// A parameter value of exactly 24 octets; any kind of locator. Error: bad_length.
[[nodiscard]] Decoded<Locator> decode_locator(ByteView value, std::endian order);
[[nodiscard]] Locator read_locator(ByteReader& in);
void write_locator(ByteWriter& out, const Locator& locator);

// 239.255.0.1, where SPDP is announced (9.6.1.4).
inline constexpr std::uint32_t spdp_multicast_address = 0xefff0001U;

// Port arithmetic of 9.6.1.1; each function gives nothing when the port would be 0 or above 65535.
struct PortMapping {
    std::uint16_t port_base{7400};
    std::uint32_t domain_gain{250};
    std::uint32_t participant_gain{2};
    std::uint32_t d0{0};
    std::uint32_t d1{10};
    std::uint32_t d2{1};
    std::uint32_t d3{11};

    [[nodiscard]] std::optional<std::uint16_t> multicast_metatraffic(std::uint32_t domain) const;
    [[nodiscard]] std::optional<std::uint16_t> unicast_metatraffic(std::uint32_t domain,
                                                                   std::uint32_t index) const;
    [[nodiscard]] std::optional<std::uint16_t> multicast_user(std::uint32_t domain) const;
    [[nodiscard]] std::optional<std::uint16_t> unicast_user(std::uint32_t domain,
                                                            std::uint32_t index) const;
};

}  // namespace durability::wire
