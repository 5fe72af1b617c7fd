// GAP <-> value (RTPS 2.5, 8.3.8.4 and 9.4.5.6). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated, bad_range (start below 1, base of the list below start).
// The optional group and filter fields behind flags 0x02 and 0x04 are skipped.
[[nodiscard]] Decoded<Gap> decode_gap(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included; its size is a multiple of 4.
void encode_gap(Buffer& out, const Gap& value, std::endian order = std::endian::little);
// Octets that encode_gap appends.
[[nodiscard]] std::size_t gap_size(const Gap& value);

}  // namespace durability::wire
