#include "wire/info.hpp"

#include "wire/locator.hpp"
#include "wire/submessage_codec.hpp"

namespace durability::wire {
namespace {

Decoded<std::vector<Locator>> read_locators(ByteReader& in) {
    const std::uint32_t count = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (count > in.remaining() / locator_size) return decode_failure(DecodeError::bad_length);
    std::vector<Locator> locators;
    locators.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
        locators.push_back(read_locator(in));
    return locators;
}

void write_locators(ByteWriter& out, const std::vector<Locator>& locators) {
    out.u32(static_cast<std::uint32_t>(locators.size()));
    for (const Locator& locator : locators)
        write_locator(out, locator);
}

}  // namespace

Decoded<InfoTimestamp> decode_info_timestamp(ByteView body, std::uint8_t flags) {
    InfoTimestamp value;
    if (detail::has_flag(flags, submessage_flag::no_timestamp)) return value;
    ByteReader in(body, order_of(flags));
    value.timestamp.seconds = in.i32();
    value.timestamp.fraction = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return value;
}

Decoded<InfoDestination> decode_info_destination(ByteView body) {
    ByteReader in(body);
    InfoDestination value;
    value.prefix.octets = in.octets<12>();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return value;
}

Decoded<InfoSource> decode_info_source(ByteView body) {
    ByteReader in(body, std::endian::big);  // nothing in it is swapped
    InfoSource value;
    in.skip(4);
    value.version.major = in.u8();
    value.version.minor = in.u8();
    value.vendor.value = in.u16();
    value.prefix.octets = in.octets<12>();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return value;
}

Decoded<InfoReply> decode_info_reply(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    InfoReply value;
    auto unicast = read_locators(in);
    if (!unicast) return decode_failure(unicast.error());
    value.unicast = std::move(*unicast);
    if (!detail::has_flag(flags, submessage_flag::reply_multicast)) return value;
    auto multicast = read_locators(in);
    if (!multicast) return decode_failure(multicast.error());
    value.multicast = std::move(*multicast);
    return value;
}

void encode_info_timestamp(Buffer& out, const InfoTimestamp& value, std::endian order) {
    ByteWriter writer(out, order);
    const bool valid = value.timestamp.valid();
    detail::write_submessage_header(writer,
                                    submessage_id::info_timestamp,
                                    detail::flag_if(!valid, submessage_flag::no_timestamp),
                                    info_timestamp_size(value.timestamp));
    if (!valid) return;
    writer.i32(value.timestamp.seconds);
    writer.u32(value.timestamp.fraction);
}

void encode_info_destination(Buffer& out, const InfoDestination& value) {
    ByteWriter writer(out);
    detail::write_submessage_header(
        writer, submessage_id::info_destination, 0, info_destination_size);
    writer.bytes(value.prefix.octets);
}

void encode_info_source(Buffer& out, const InfoSource& value) {
    ByteWriter writer(out);
    detail::write_submessage_header(writer, submessage_id::info_source, 0, info_source_size);
    writer.u32(0);
    writer.u8(value.version.major);
    writer.u8(value.version.minor);
    writer.u8(static_cast<std::uint8_t>(value.vendor.value >> 8U));
    writer.u8(static_cast<std::uint8_t>(value.vendor.value & 0xffU));
    writer.bytes(value.prefix.octets);
}

void encode_info_reply(Buffer& out, const InfoReply& value, std::endian order) {
    const bool multicast = !value.multicast.empty();
    std::size_t size = submessage_header_size + 4 + value.unicast.size() * locator_size;
    if (multicast) size += 4 + value.multicast.size() * locator_size;
    ByteWriter writer(out, order);
    detail::write_submessage_header(writer,
                                    submessage_id::info_reply,
                                    detail::flag_if(multicast, submessage_flag::reply_multicast),
                                    size);
    write_locators(writer, value.unicast);
    if (multicast) write_locators(writer, value.multicast);
}

std::size_t info_timestamp_size(Timestamp timestamp) {
    return submessage_header_size + (timestamp.valid() ? 8U : 0U);
}

}  // namespace durability::wire
