// DATA_FRAG <-> value (RTPS 2.5, 8.3.8.3 and 9.4.5.5). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet. Up to three octets behind
// the fragments are taken for padding and cut off. Errors: truncated, bad_range (numbers, counts
// and sizes of zero, fragments outside the sample, a sample shorter than its four-octet header),
// bad_length (offset of the inline QoS, payload size), missing_sentinel.
[[nodiscard]] Decoded<DataFrag> decode_data_frag(ByteView body, std::uint8_t flags);

// Appends the whole submessage, header included, padded with zeros to a multiple of 4.
// Precondition: data_frag_size(fields) - 4 <= 65535.
void encode_data_frag(Buffer& out,
                      const DataFragFields& fields,
                      std::endian order = std::endian::little);
// Octets that encode_data_frag appends.
[[nodiscard]] std::size_t data_frag_size(const DataFragFields& fields);

// How many fragments a sample has; fragment_size and sample_size are at least 1. The result fits 32
// bits.
[[nodiscard]] constexpr std::uint32_t fragment_count(std::uint32_t sample_size,
                                                     std::uint16_t fragment_size) {
    return sample_size / fragment_size + (sample_size % fragment_size != 0 ? 1U : 0U);
}

}  // namespace durability::wire
