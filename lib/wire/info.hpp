// The submessages that change the state of the receiver: INFO_TS, INFO_DST, INFO_SRC and INFO_REPLY
// (RTPS 2.5, 8.3.8.8 to 8.3.8.11, 9.4.5.9 to 9.4.5.12). Pure functions; thread-safe.
#pragma once

#include "wire/submessage.hpp"

namespace durability::wire {

// `body` is what follows the submessage header, `flags` its second octet.
// Errors: truncated; decode_info_reply also bad_length (more locators than bytes).
[[nodiscard]] Decoded<InfoTimestamp> decode_info_timestamp(ByteView body, std::uint8_t flags);
[[nodiscard]] Decoded<InfoDestination> decode_info_destination(ByteView body);
[[nodiscard]] Decoded<InfoSource> decode_info_source(ByteView body);
[[nodiscard]] Decoded<InfoReply> decode_info_reply(ByteView body, std::uint8_t flags);

// Append the whole submessage, header included. An invalid timestamp becomes flag 0x02 and no
// content.
void encode_info_timestamp(Buffer& out,
                           const InfoTimestamp& value,
                           std::endian order = std::endian::little);
void encode_info_destination(Buffer& out, const InfoDestination& value);
void encode_info_source(Buffer& out, const InfoSource& value);
void encode_info_reply(Buffer& out,
                       const InfoReply& value,
                       std::endian order = std::endian::little);

[[nodiscard]] std::size_t info_timestamp_size(Timestamp timestamp);
inline constexpr std::size_t info_destination_size = submessage_header_size + 12;
inline constexpr std::size_t info_source_size = submessage_header_size + 20;

}  // namespace durability::wire
