// Made-up participants on loopback, told apart by a number: 0 is ours, the others are peers.
#pragma once

#include "discovery/endpoint_data.hpp"
#include "model/guid.hpp"

#include <cstdint>

namespace durability::test {

// Ours.
inline constexpr EntityId reader_id{0x00000104};
inline constexpr EntityId other_reader_id{0x00000204};
inline constexpr EntityId replay_id{0x00000303};
// Endpoints of peers.
inline constexpr EntityId writer_entity{0x00000a03};
inline constexpr EntityId reader_entity{0x00000b04};

[[nodiscard]] inline GuidPrefix prefix(std::uint8_t which) {
    GuidPrefix result;
    result.octets = {0x01, 0x7f, which, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return result;
}

[[nodiscard]] inline Locator locator(std::uint8_t which) {
    return Locator::udp_v4(0x7f000001U, static_cast<std::uint16_t>(7000 + which));
}

[[nodiscard]] inline discovery::EndpointData endpoint(
    const Guid& guid, ReliabilityKind reliability = ReliabilityKind::reliable) {
    discovery::EndpointData data;
    data.guid = guid;
    data.participant = {guid.prefix, entity::participant};
    data.topic = "Square";
    data.type = "ShapeType";
    data.version = {2, 5};
    data.qos.durability = DurabilityKind::transient;
    data.qos.reliability = reliability;
    return data;
}

}  // namespace durability::test
