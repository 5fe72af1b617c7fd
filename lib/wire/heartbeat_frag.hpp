// HEARTBEAT_FRAG <-> value (RTPS 2.5, 8.3.8.7 and 9.4.5.8). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated, bad_range (sample number below 1, fragment 0).
[[nodiscard]] Decoded<HeartbeatFrag> decode_heartbeat_frag(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included; its size is a multiple of 4.
void encode_heartbeat_frag(Buffer& out,
                           const HeartbeatFrag& value,
                           std::endian order = std::endian::little);
// Octets that encode_heartbeat_frag appends.
[[nodiscard]] std::size_t heartbeat_frag_size(const HeartbeatFrag& value);

}  // namespace durability::wire
