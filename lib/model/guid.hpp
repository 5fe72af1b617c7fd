// Identities on the wire (RTPS 2.5, 8.2.4 and 9.3.1). Values; never byte-swapped.
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <compare>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace durability {

struct GuidPrefix {
    std::array<std::uint8_t, 12> octets{};
    friend auto operator<=>(const GuidPrefix&, const GuidPrefix&) = default;
};
inline constexpr GuidPrefix unknown_prefix{};

// The low octet of an entity id: what kind of endpoint, keyed or not, and who defined it (9.3.1.2).
enum class EntityKind : std::uint8_t {
    unknown = 0x00,
    writer_with_key = 0x02,
    writer_no_key = 0x03,
    reader_no_key = 0x04,
    reader_with_key = 0x07,
    participant = 0x01,
};

struct EntityId {
    std::uint32_t value{0};  // the four octets as a big-endian number: 0x000100c2
    friend auto operator<=>(const EntityId&, const EntityId&) = default;

    // The kind without the two bits that say who defined the entity.
    [[nodiscard]] constexpr std::uint8_t kind() const { return value & 0x3fU; }
    [[nodiscard]] constexpr bool is_builtin() const { return (value & 0xc0U) == 0xc0U; }
    [[nodiscard]] constexpr bool is_writer() const { return kind() == 0x02 || kind() == 0x03; }
    [[nodiscard]] constexpr bool is_reader() const { return kind() == 0x04 || kind() == 0x07; }
    [[nodiscard]] constexpr bool is_keyed() const { return kind() == 0x02 || kind() == 0x07; }
};

namespace entity {
inline constexpr EntityId unknown{0};
inline constexpr EntityId participant{0x000001c1};
inline constexpr EntityId spdp_writer{0x000100c2};
inline constexpr EntityId spdp_reader{0x000100c7};
inline constexpr EntityId publications_writer{0x000003c2};
inline constexpr EntityId publications_reader{0x000003c7};
inline constexpr EntityId subscriptions_writer{0x000004c2};
inline constexpr EntityId subscriptions_reader{0x000004c7};
inline constexpr EntityId participant_message_writer{0x000200c2};
inline constexpr EntityId participant_message_reader{0x000200c7};
inline constexpr EntityId type_request_writer{0x000300c3};
inline constexpr EntityId type_request_reader{0x000300c4};
inline constexpr EntityId type_reply_writer{0x000301c3};
inline constexpr EntityId type_reply_reader{0x000301c4};
}  // namespace entity

struct Guid {
    GuidPrefix prefix;
    EntityId entity;
    friend auto operator<=>(const Guid&, const Guid&) = default;
};
inline constexpr Guid unknown_guid{};

// The sixteen octets of a GUID as they stand on the wire.
[[nodiscard]] std::array<std::uint8_t, 16> to_octets(const Guid& guid);
[[nodiscard]] Guid guid_from_octets(const std::array<std::uint8_t, 16>& octets);

// 24 hex digits; 24 hex digits, a colon and 8 hex digits. parse_guid accepts the latter form only.
[[nodiscard]] std::string to_string(const GuidPrefix& prefix);
[[nodiscard]] std::string to_string(const EntityId& id);
[[nodiscard]] std::string to_string(const Guid& guid);
[[nodiscard]] std::optional<Guid> parse_guid(std::string_view text);

// Two octets that name the implementation (RTPS 2.5, 9.3.1.3; list kept by the OMG).
struct VendorId {
    std::uint16_t value{0};
    friend auto operator<=>(const VendorId&, const VendorId&) = default;
};
namespace vendor {
inline constexpr VendorId unknown{0x0000};
inline constexpr VendorId rti{0x0101};
inline constexpr VendorId opendds{0x0103};
inline constexpr VendorId eprosima{0x010f};
inline constexpr VendorId eclipse{0x0110};
// Not assigned to anybody; above the ids whose owners a tie in ownership must not lose to (fact
// sheet 3.5).
inline constexpr VendorId own{0x017f};
}  // namespace vendor

struct ProtocolVersion {
    std::uint8_t major{2};
    std::uint8_t minor{5};
    friend auto operator<=>(const ProtocolVersion&, const ProtocolVersion&) = default;
};

}  // namespace durability

template <>
struct std::hash<durability::GuidPrefix> {
    std::size_t operator()(const durability::GuidPrefix& prefix) const noexcept {
        std::uint64_t high = 0;
        std::uint32_t low = 0;
        std::memcpy(&high, prefix.octets.data(), 8);
        std::memcpy(&low, prefix.octets.data() + 8, 4);
        // Peers choose their prefixes, so they are mixed; tables are bounded by limits in any case.
        std::uint64_t mixed = high ^ (std::uint64_t{low} * 0x9e3779b97f4a7c15ULL);
        mixed ^= mixed >> 29U;
        return static_cast<std::size_t>(mixed * 0xbf58476d1ce4e5b9ULL);
    }
};
template <>
struct std::hash<durability::EntityId> {
    std::size_t operator()(const durability::EntityId& id) const noexcept {
        return static_cast<std::size_t>(id.value * 0x9e3779b97f4a7c15ULL);
    }
};
template <>
struct std::hash<durability::Guid> {
    std::size_t operator()(const durability::Guid& guid) const noexcept {
        return std::hash<durability::GuidPrefix>{}(guid.prefix) ^
               (std::hash<durability::EntityId>{}(guid.entity) << 1U);
    }
};
