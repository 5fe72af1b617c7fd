#include "wire/data.hpp"

#include "wire/cdr.hpp"
#include "wire/parameter_list.hpp"
#include "wire/submessage_codec.hpp"

namespace durability::wire {
namespace {

// From behind octetsToInlineQos to the inline QoS: two entity ids and a number (9.4.5.4.3).
constexpr std::uint16_t data_octets_to_inline_qos = 16;
constexpr std::size_t data_fixed_octets = submessage_header_size + 4 + data_octets_to_inline_qos;

}  // namespace

Decoded<Data> decode_data(ByteView body, std::uint8_t flags) {
    Data value;
    value.order = order_of(flags);
    value.has_data = detail::has_flag(flags, submessage_flag::data_payload);
    value.has_key = detail::has_flag(flags, submessage_flag::data_key);
    value.non_standard = detail::has_flag(flags, submessage_flag::data_non_standard);

    ByteReader in(body, value.order);
    in.skip(2);  // extra flags: none is defined, unknown ones are ignored
    const std::uint16_t offset = in.u16();
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.number = read_sequence_number(in);
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (offset < data_octets_to_inline_qos) return decode_failure(DecodeError::bad_length);
    // A later minor version may put fields in front of the inline QoS; they are skipped.
    in.skip(offset - data_octets_to_inline_qos);
    if (!in.ok()) return decode_failure(DecodeError::bad_length);
    if (value.has_data && value.has_key) return decode_failure(DecodeError::bad_flags);
    if (!is_valid(value.number)) return decode_failure(DecodeError::bad_range);

    if (detail::has_flag(flags, submessage_flag::data_inline_qos)) {
        const auto size = parameter_list_size(body.subspan(in.position()), value.order);
        if (!size) return decode_failure(size.error());
        value.inline_qos = in.take(*size);
    }
    if (!value.has_data && !value.has_key) return value;
    value.payload = in.rest();
    if (!value.non_standard && value.payload.size() < encapsulation_size) {
        return decode_failure(DecodeError::bad_length);
    }
    return value;
}

void encode_data(Buffer& out, const DataFields& fields, std::endian order) {
    const std::size_t size = data_size(fields);
    const bool with_payload = fields.payload_kind != PayloadKind::none;
    const auto flags = static_cast<std::uint8_t>(
        detail::flag_if(!fields.inline_qos.empty(), submessage_flag::data_inline_qos) |
        detail::flag_if(fields.payload_kind == PayloadKind::data, submessage_flag::data_payload) |
        detail::flag_if(fields.payload_kind == PayloadKind::key, submessage_flag::data_key));

    ByteWriter writer(out, order);
    detail::write_submessage_header(writer, submessage_id::data, flags, size);
    writer.u16(0);
    writer.u16(data_octets_to_inline_qos);
    detail::write_entity_id(writer, fields.reader);
    detail::write_entity_id(writer, fields.writer);
    write_sequence_number(writer, fields.number);
    writer.bytes(fields.inline_qos);
    if (with_payload) writer.bytes(fields.payload);
    writer.zeros(size - writer.size());
}

std::size_t data_size(const DataFields& fields) {
    const std::size_t payload =
        fields.payload_kind == PayloadKind::none ? 0 : fields.payload.size();
    return detail::padded(data_fixed_octets + fields.inline_qos.size() + payload);
}

}  // namespace durability::wire
