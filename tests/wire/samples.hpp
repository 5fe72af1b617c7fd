// Submessages with nothing at its default, for tests that need one of each kind.
#pragma once

#include "support/hex.hpp"
#include "wire/acknack.hpp"
#include "wire/data.hpp"
#include "wire/data_frag.hpp"
#include "wire/gap.hpp"
#include "wire/header.hpp"
#include "wire/heartbeat.hpp"
#include "wire/heartbeat_frag.hpp"
#include "wire/info.hpp"
#include "wire/nack_frag.hpp"

namespace durability::test {

inline constexpr EntityId a_reader{0x00000107};
inline constexpr EntityId a_writer{0x00000203};

[[nodiscard]] inline GuidPrefix a_prefix(std::uint8_t fill = 0x11) {
    GuidPrefix prefix;
    prefix.octets.fill(fill);
    return prefix;
}

[[nodiscard]] inline wire::Header a_header() {
    return {ProtocolVersion{2, 5}, vendor::own, a_prefix()};
}

[[nodiscard]] inline wire::SequenceNumberSet a_set(std::int64_t base,
                                                   std::initializer_list<std::int64_t> members) {
    wire::SequenceNumberSet set;
    set.base = SequenceNumber{base};
    for (const std::int64_t member : members)
        set.insert(SequenceNumber{member});
    return set;
}

[[nodiscard]] inline wire::Heartbeat a_heartbeat() {
    return {a_reader, a_writer, {3}, {0x100000007}, 9, true, true};
}
[[nodiscard]] inline wire::HeartbeatFrag a_heartbeat_frag() {
    return {a_reader, a_writer, {5}, {17}, 3};
}
[[nodiscard]] inline wire::AckNack an_acknack() {
    return {a_reader, a_writer, a_set(10, {10, 12, 75}), 4, true};
}
[[nodiscard]] inline wire::NackFrag a_nack_frag() {
    wire::NackFrag value{a_reader, a_writer, {5}, {}, 6};
    value.state.base = {2};
    value.state.insert({2});
    value.state.insert({40});
    return value;
}
[[nodiscard]] inline wire::Gap a_gap() {
    return {a_reader, a_writer, {5}, a_set(20, {22, 30})};
}

// The body of a submessage whose header is its first four octets.
[[nodiscard]] inline ByteView body_of(const Buffer& submessage) {
    return ByteView(submessage).subspan(wire::submessage_header_size);
}

}  // namespace durability::test
