// DATA <-> value (RTPS 2.5, 8.3.8.2 and 9.4.5.4). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet. The end of the inline QoS
// is found by walking to its sentinel. Errors: truncated, bad_flags (D and K), bad_range (number),
// bad_length (offset of the inline QoS, a parameter, a payload shorter than its four-octet header),
// missing_sentinel.
[[nodiscard]] Decoded<Data> decode_data(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included. A payload whose size is not a multiple of 4 is
// followed by zeros. Precondition: data_size(fields) - 4 <= 65535.
void encode_data(Buffer& out, const DataFields& fields, std::endian order = std::endian::little);
// Octets that encode_data appends.
[[nodiscard]] std::size_t data_size(const DataFields& fields);

}  // namespace durability::wire
