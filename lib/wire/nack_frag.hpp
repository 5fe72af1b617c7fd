// NACK_FRAG <-> value (RTPS 2.5, 8.3.8.12 and 9.4.5.14). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated, bad_range (sample number or base below 1, a window that passes the last
// fragment number).
[[nodiscard]] Decoded<NackFrag> decode_nack_frag(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included; its size is a multiple of 4.
void encode_nack_frag(Buffer& out, const NackFrag& value, std::endian order = std::endian::little);
// Octets that encode_nack_frag appends.
[[nodiscard]] std::size_t nack_frag_size(const NackFrag& value);

}  // namespace durability::wire
