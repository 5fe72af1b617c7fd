// ACKNACK <-> value (RTPS 2.5, 8.3.8.1 and 9.4.5.3). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated, bad_range. A base of 0 is let through when the set has no bits.
[[nodiscard]] Decoded<AckNack> decode_acknack(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included; its size is a multiple of 4.
void encode_acknack(Buffer& out, const AckNack& value, std::endian order = std::endian::little);
// Octets that encode_acknack appends.
[[nodiscard]] std::size_t acknack_size(const AckNack& value);

}  // namespace durability::wire
