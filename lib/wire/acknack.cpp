#include "wire/acknack.hpp"

#include "wire/submessage_codec.hpp"

namespace durability::wire {

Decoded<AckNack> decode_acknack(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    AckNack value;
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    const auto state = read_sequence_number_set(in, ZeroBase::if_empty);
    if (!state) return decode_failure(state.error());
    value.state = *state;
    value.count = in.i32();
    value.final = detail::has_flag(flags, submessage_flag::final);
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return value;
}

void encode_acknack(Buffer& out, const AckNack& value, std::endian order) {
    ByteWriter writer(out, order);
    detail::write_submessage_header(writer,
                                    submessage_id::acknack,
                                    detail::flag_if(value.final, submessage_flag::final),
                                    acknack_size(value));
    detail::write_entity_id(writer, value.reader);
    detail::write_entity_id(writer, value.writer);
    write_sequence_number_set(writer, value.state);
    writer.i32(value.count);
}

std::size_t acknack_size(const AckNack& value) {
    return submessage_header_size + 8 + encoded_size(value.state) + 4;
}

}  // namespace durability::wire
