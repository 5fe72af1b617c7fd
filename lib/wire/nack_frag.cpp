#include "wire/nack_frag.hpp"

#include "wire/submessage_codec.hpp"

namespace durability::wire {

Decoded<NackFrag> decode_nack_frag(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    NackFrag value;
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.number = read_sequence_number(in);
    const auto state = read_fragment_number_set(in);
    if (!state) return decode_failure(state.error());
    value.state = *state;
    value.count = in.i32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (!is_valid(value.number)) return decode_failure(DecodeError::bad_range);
    return value;
}

void encode_nack_frag(Buffer& out, const NackFrag& value, std::endian order) {
    ByteWriter writer(out, order);
    detail::write_submessage_header(writer, submessage_id::nack_frag, 0, nack_frag_size(value));
    detail::write_entity_id(writer, value.reader);
    detail::write_entity_id(writer, value.writer);
    write_sequence_number(writer, value.number);
    write_fragment_number_set(writer, value.state);
    writer.i32(value.count);
}

std::size_t nack_frag_size(const NackFrag& value) {
    return submessage_header_size + 16 + encoded_size(value.state) + 4;
}

}  // namespace durability::wire
