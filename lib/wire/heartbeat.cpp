#include "wire/heartbeat.hpp"

#include "wire/submessage_codec.hpp"

namespace durability::wire {
namespace {

constexpr std::size_t heartbeat_octets = submessage_header_size + 28;

// `last` may be `first - 1`: the writer then holds nothing.
bool range_is_valid(SequenceNumber first, SequenceNumber last) {
    return is_valid(first) && last <= max_sequence_number && last.value >= first.value - 1;
}

}  // namespace

Decoded<Heartbeat> decode_heartbeat(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    Heartbeat value;
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.first = read_sequence_number(in);
    value.last = read_sequence_number(in);
    value.count = in.i32();
    value.final = detail::has_flag(flags, submessage_flag::final);
    value.liveliness = detail::has_flag(flags, submessage_flag::liveliness);
    if (!in.ok()) return decode_failure(DecodeError::truncated);

    const bool says_zero = value.first.value == 0 && value.last.value == 0;
    if (says_zero) value.first = SequenceNumber{1};
    if (!range_is_valid(value.first, value.last)) return decode_failure(DecodeError::bad_range);
    return value;
}

void encode_heartbeat(Buffer& out, const Heartbeat& value, std::endian order) {
    ByteWriter writer(out, order);
    const auto flags =
        static_cast<std::uint8_t>(detail::flag_if(value.final, submessage_flag::final) |
                                  detail::flag_if(value.liveliness, submessage_flag::liveliness));
    detail::write_submessage_header(writer, submessage_id::heartbeat, flags, heartbeat_octets);
    detail::write_entity_id(writer, value.reader);
    detail::write_entity_id(writer, value.writer);
    write_sequence_number(writer, value.first);
    write_sequence_number(writer, value.last);
    writer.i32(value.count);
}

std::size_t heartbeat_size(const Heartbeat&) {
    return heartbeat_octets;
}

}  // namespace durability::wire
