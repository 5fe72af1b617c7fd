// What SPDP says about a participant (RTPS 2.5, 8.5.3.2 and 9.6.3.1): payload <-> value. Pure.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/rtps_time.hpp"
#include "wire/decode_error.hpp"
#include "wire/qos_parameters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace durability::discovery {

// Bits of PID_BUILTIN_ENDPOINT_SET (RTPS 2.5, 9.3.2.7).
namespace builtin_endpoint {
inline constexpr std::uint32_t participant_writer = 1U << 0U;
inline constexpr std::uint32_t participant_reader = 1U << 1U;
inline constexpr std::uint32_t publications_writer = 1U << 2U;
inline constexpr std::uint32_t publications_reader = 1U << 3U;
inline constexpr std::uint32_t subscriptions_writer = 1U << 4U;
inline constexpr std::uint32_t subscriptions_reader = 1U << 5U;
inline constexpr std::uint32_t participant_message_writer = 1U << 10U;
inline constexpr std::uint32_t participant_message_reader = 1U << 11U;
// XTypes 1.3, 7.6.3.3.1.
inline constexpr std::uint32_t type_request_writer = 1U << 12U;
inline constexpr std::uint32_t type_request_reader = 1U << 13U;
inline constexpr std::uint32_t type_reply_writer = 1U << 14U;
inline constexpr std::uint32_t type_reply_reader = 1U << 15U;
inline constexpr std::uint32_t type_lookup =
    type_request_writer | type_request_reader | type_reply_writer | type_reply_reader;
// What this implementation has.
inline constexpr std::uint32_t own =
    0x0000003fU | participant_message_writer | participant_message_reader | type_lookup;
}  // namespace builtin_endpoint

// What a participant says of itself in pairs of name and value (PID_PROPERTY_LIST, 9.6.3.1).
using Properties = std::vector<std::pair<std::string, std::string>>;
// Of others' properties only those of our own kind mean anything to us; the rest is not kept.
inline constexpr std::string_view own_property_prefix = "durabilityd.";
inline constexpr std::size_t max_own_properties = 16;

struct ParticipantData {
    Guid guid;  // the entity is always 000001c1
    ProtocolVersion version;
    VendorId vendor;
    std::vector<Locator> metatraffic_unicast;
    std::vector<Locator> metatraffic_multicast;
    std::vector<Locator> default_unicast;
    std::vector<Locator> default_multicast;
    std::uint32_t builtin_endpoints{0};
    QosDuration lease{100, 0};               // the default of the standard
    std::optional<std::uint32_t> domain_id;  // Fast DDS 2.x never says
    std::string domain_tag;
    std::string entity_name;
    bool expects_inline_qos{false};
    Properties properties;  // those with own_property_prefix
    friend bool operator==(const ParticipantData&, const ParticipantData&) = default;
};

// `payload` begins with the encapsulation header; PL_CDR in either byte order. `sender` is the
// vendor of the message header, used where the list names none. Locators of unknown kinds are left
// out, and so are properties of others and a property list that cannot be read: it is not what
// anybody is found by. Without a participant GUID, with a damaged list, a known parameter of wrong
// size, a known single parameter given twice or an unknown one that must be understood: an error.
[[nodiscard]] wire::Decoded<ParticipantData> decode_participant(ByteView payload,
                                                                const wire::StringLimits& limits,
                                                                VendorId sender);

// PL_CDR_LE with encapsulation header. Everything Cyclone DDS and Fast DDS insist on is present if
// `data` has it (fact sheet 1.2); no must-understand bit is set on anything but a domain tag, whose
// id the standard defines with it.
[[nodiscard]] Buffer encode_participant(const ParticipantData& data);

// The key of a dispose: a parameter list with PID_PARTICIPANT_GUID (or PID_KEY_HASH), or the plain
// sixteen octets in CDR (fact sheet 1.5).
[[nodiscard]] wire::Decoded<Guid> decode_participant_key(ByteView payload);
[[nodiscard]] Buffer encode_participant_key(const Guid& participant);

}  // namespace durability::discovery
