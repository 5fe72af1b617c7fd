#include "wire/gap.hpp"

#include "wire/submessage_codec.hpp"

namespace durability::wire {

Decoded<Gap> decode_gap(ByteView body, std::uint8_t flags) {
    ByteReader in(body, order_of(flags));
    Gap value;
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.start = read_sequence_number(in);
    const auto list = read_sequence_number_set(in, ZeroBase::refused);
    if (!list) return decode_failure(list.error());
    value.list = *list;
    if (!is_valid(value.start) || value.list.base < value.start) {
        return decode_failure(DecodeError::bad_range);
    }
    return value;
}

void encode_gap(Buffer& out, const Gap& value, std::endian order) {
    ByteWriter writer(out, order);
    detail::write_submessage_header(writer, submessage_id::gap, 0, gap_size(value));
    detail::write_entity_id(writer, value.reader);
    detail::write_entity_id(writer, value.writer);
    write_sequence_number(writer, value.start);
    write_sequence_number_set(writer, value.list);
}

std::size_t gap_size(const Gap& value) {
    return submessage_header_size + 16 + encoded_size(value.list);
}

}  // namespace durability::wire
