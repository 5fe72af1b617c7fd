#include "wire/heartbeat_frag.hpp"

#include "wire/submessage_codec.hpp"

namespace durability::wire {
namespace {

constexpr std::size_t heartbeat_frag_octets = submessage_header_size + 24;

}  // namespace

Decoded<HeartbeatFrag> decode_heartbeat_frag(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    HeartbeatFrag value;
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.number = read_sequence_number(in);
    value.last.value = in.u32();
    value.count = in.i32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (!is_valid(value.number) || value.last.value == 0) {
        return decode_failure(DecodeError::bad_range);
    }
    return value;
}

void encode_heartbeat_frag(Buffer& out, const HeartbeatFrag& value, std::endian order) {
    ByteWriter writer(out, order);
    detail::write_submessage_header(
        writer, submessage_id::heartbeat_frag, 0, heartbeat_frag_octets);
    detail::write_entity_id(writer, value.reader);
    detail::write_entity_id(writer, value.writer);
    write_sequence_number(writer, value.number);
    writer.u32(value.last.value);
    writer.i32(value.count);
}

std::size_t heartbeat_frag_size(const HeartbeatFrag&) {
    return heartbeat_frag_octets;
}

}  // namespace durability::wire
