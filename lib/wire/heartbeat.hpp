// HEARTBEAT <-> value (RTPS 2.5, 8.3.8.6 and 9.4.5.7). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated, bad_range (first below 1, last below first - 1, a number that cannot exist).
// The pair 0..0 is read as the empty 1..0, because older writers say it so (cases R10.1).
// The optional group fields behind flag 0x08 are skipped.
[[nodiscard]] Decoded<Heartbeat> decode_heartbeat(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included; its size is a multiple of 4.
void encode_heartbeat(Buffer& out, const Heartbeat& value, std::endian order = std::endian::little);
// Octets that encode_heartbeat appends.
[[nodiscard]] std::size_t heartbeat_size(const Heartbeat& value);

}  // namespace durability::wire
