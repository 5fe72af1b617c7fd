#include "model/guid.hpp"

#include <fmt/format.h>

namespace durability {
namespace {

std::optional<std::uint8_t> hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
    return std::nullopt;
}

}  // namespace

std::array<std::uint8_t, 16> to_octets(const Guid& guid) {
    std::array<std::uint8_t, 16> octets{};
    std::memcpy(octets.data(), guid.prefix.octets.data(), guid.prefix.octets.size());
    for (std::size_t i = 0; i < 4; ++i) {
        octets[12 + i] = static_cast<std::uint8_t>(guid.entity.value >> (24 - 8 * i));
    }
    return octets;
}

Guid guid_from_octets(const std::array<std::uint8_t, 16>& octets) {
    Guid guid;
    std::memcpy(guid.prefix.octets.data(), octets.data(), guid.prefix.octets.size());
    for (std::size_t i = 12; i < 16; ++i)
        guid.entity.value = (guid.entity.value << 8U) | octets[i];
    return guid;
}

std::string to_string(const GuidPrefix& prefix) {
    return to_hex(prefix.octets);
}

std::string to_string(const EntityId& id) {
    return fmt::format("{:08x}", id.value);
}

std::string to_string(const Guid& guid) {
    return fmt::format("{}:{:08x}", to_hex(guid.prefix.octets), guid.entity.value);
}

std::optional<Guid> parse_guid(std::string_view text) {
    if (text.size() != 33 || text[24] != ':') return std::nullopt;
    std::array<std::uint8_t, 16> octets{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < octets.size(); ++i) {
        if (at == 24) ++at;
        const auto high = hex_digit(text[at]);
        const auto low = hex_digit(text[at + 1]);
        if (!high || !low) return std::nullopt;
        octets[i] = static_cast<std::uint8_t>((*high << 4U) | *low);
        at += 2;
    }
    return guid_from_octets(octets);
}

}  // namespace durability
