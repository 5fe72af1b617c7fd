#include "wire/data_frag.hpp"

#include "wire/cdr.hpp"
#include "wire/parameter_list.hpp"
#include "wire/submessage_codec.hpp"

#include <algorithm>

namespace durability::wire {
namespace {

// From behind octetsToInlineQos to the inline QoS (9.4.5.5.3).
constexpr std::uint16_t data_frag_octets_to_inline_qos = 28;
constexpr std::size_t data_frag_fixed_octets =
    submessage_header_size + 4 + data_frag_octets_to_inline_qos;

// Errors of the numbers alone, before the payload is looked at.
bool numbers_are_valid(const DataFrag& value) {
    if (!is_valid(value.number)) return false;
    if (value.first.value == 0 || value.count == 0) return false;
    if (value.fragment_size == 0 || value.sample_size == 0) return false;
    if (!value.non_standard && value.sample_size < encapsulation_size) return false;
    const std::uint64_t last = std::uint64_t{value.first.value} + value.count - 1U;
    return last <= fragment_count(value.sample_size, value.fragment_size);
}

// The octets that these fragments have; the last fragment of a sample may be short.
std::size_t expected_payload(const DataFrag& value) {
    const std::uint64_t begin = (std::uint64_t{value.first.value} - 1U) * value.fragment_size;
    const std::uint64_t full = std::uint64_t{value.count} * value.fragment_size;
    return static_cast<std::size_t>(std::min(full, value.sample_size - begin));
}

}  // namespace

Decoded<DataFrag> decode_data_frag(ByteView body, std::uint8_t flags) {
    DataFrag value;
    value.order = order_of(flags);
    value.has_key = detail::has_flag(flags, submessage_flag::data_frag_key);
    value.non_standard = detail::has_flag(flags, submessage_flag::data_frag_non_standard);

    ByteReader in(body, value.order);
    in.skip(2);  // extra flags: none is defined, unknown ones are ignored
    const std::uint16_t offset = in.u16();
    value.reader = detail::read_entity_id(in);
    value.writer = detail::read_entity_id(in);
    value.number = read_sequence_number(in);
    value.first.value = in.u32();
    value.count = in.u16();
    value.fragment_size = in.u16();
    value.sample_size = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (offset < data_frag_octets_to_inline_qos) return decode_failure(DecodeError::bad_length);
    in.skip(offset - data_frag_octets_to_inline_qos);
    if (!in.ok()) return decode_failure(DecodeError::bad_length);
    if (!numbers_are_valid(value)) return decode_failure(DecodeError::bad_range);

    if (detail::has_flag(flags, submessage_flag::data_frag_inline_qos)) {
        const auto size = parameter_list_size(body.subspan(in.position()), value.order);
        if (!size) return decode_failure(size.error());
        value.inline_qos = in.take(*size);
    }
    const std::size_t expected = expected_payload(value);
    if (in.remaining() < expected || in.remaining() - expected > 3) {
        return decode_failure(DecodeError::bad_length);
    }
    value.payload = in.take(expected);
    return value;
}

void encode_data_frag(Buffer& out, const DataFragFields& fields, std::endian order) {
    const std::size_t size = data_frag_size(fields);
    const auto flags = static_cast<std::uint8_t>(
        detail::flag_if(!fields.inline_qos.empty(), submessage_flag::data_frag_inline_qos) |
        detail::flag_if(fields.key, submessage_flag::data_frag_key));

    ByteWriter writer(out, order);
    detail::write_submessage_header(writer, submessage_id::data_frag, flags, size);
    writer.u16(0);
    writer.u16(data_frag_octets_to_inline_qos);
    detail::write_entity_id(writer, fields.reader);
    detail::write_entity_id(writer, fields.writer);
    write_sequence_number(writer, fields.number);
    writer.u32(fields.first.value);
    writer.u16(fields.count);
    writer.u16(fields.fragment_size);
    writer.u32(fields.sample_size);
    writer.bytes(fields.inline_qos);
    writer.bytes(fields.payload);
    writer.zeros(size - writer.size());
}

std::size_t data_frag_size(const DataFragFields& fields) {
    return detail::padded(data_frag_fixed_octets + fields.inline_qos.size() +
                          fields.payload.size());
}

}  // namespace durability::wire
