#include "wire/parameter_list.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "wire/locator.hpp"
#include "wire/sequence_set.hpp"

#include <limits>

namespace durability::wire {
namespace {

constexpr std::size_t parameter_header_size = 4;
// The length is 16 bits wide and a multiple of 4.
constexpr std::size_t max_value_size = 65532;

constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

void write_parameter_header(ByteWriter& out, std::uint16_t id, std::size_t size) {
    out.u16(id);
    out.u16(static_cast<std::uint16_t>(size));
}

}  // namespace

std::optional<Decoded<Parameter>> ParameterReader::next() {
    while (!at_sentinel_ && !failed_) {
        if (position_ == list_.size()) return stop(DecodeError::missing_sentinel);
        ByteReader in(list_.subspan(position_), order_);
        const std::uint16_t id = in.u16();
        const std::uint16_t length = in.u16();
        if (!in.ok()) return stop(DecodeError::truncated);
        if (id == pid::sentinel) {  // its length means nothing (9.4.2.11)
            position_ += parameter_header_size;
            at_sentinel_ = true;
            return std::nullopt;
        }
        if (length % 4 != 0) return stop(DecodeError::bad_length);
        const ByteView value = in.take(length);
        if (!in.ok()) return stop(DecodeError::truncated);
        position_ += parameter_header_size + length;
        if (id != pid::pad) return Parameter{id, value};
    }
    return std::nullopt;
}

std::optional<Decoded<Parameter>> ParameterReader::stop(DecodeError error) {
    failed_ = true;
    return decode_failure(error);
}

Decoded<std::size_t> parameter_list_size(ByteView bytes, std::endian order) {
    ParameterReader reader(bytes, order);
    while (const auto parameter = reader.next()) {
        if (!*parameter) return decode_failure(parameter->error());
    }
    return reader.position();
}

void ParameterListBuilder::u32(std::uint16_t id, std::uint32_t value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 4);
    writer.u32(value);
}

void ParameterListBuilder::i32(std::uint16_t id, std::int32_t value) {
    u32(id, static_cast<std::uint32_t>(value));
}

void ParameterListBuilder::boolean(std::uint16_t id, bool value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 4);
    writer.u8(value ? 1 : 0);
    writer.zeros(3);
}

void ParameterListBuilder::octets(std::uint16_t id, ByteView value) {
    if (value.size() > max_value_size) {
        ok_ = false;
        return;
    }
    ByteWriter writer(out_);
    write_parameter_header(writer, id, padded(value.size()));
    writer.bytes(value);
    writer.align(4);
}

void ParameterListBuilder::octet_sequence(std::uint16_t id, ByteView value) {
    if (value.size() > max_value_size - 4) {
        ok_ = false;
        return;
    }
    ByteWriter writer(out_);
    write_parameter_header(writer, id, padded(4 + value.size()));
    writer.u32(static_cast<std::uint32_t>(value.size()));
    writer.bytes(value);
    writer.align(4);
}

void ParameterListBuilder::string(std::uint16_t id, std::string_view value) {
    if (value.size() > max_value_size - 5) {
        ok_ = false;
        return;
    }
    ByteWriter writer(out_);
    write_parameter_header(writer, id, padded(4 + value.size() + 1));
    writer.u32(static_cast<std::uint32_t>(value.size() + 1));
    out_.insert(out_.end(), value.begin(), value.end());
    writer.u8(0);
    writer.align(4);
}

void ParameterListBuilder::properties(std::uint16_t id,
                                      std::span<const std::pair<std::string, std::string>> pairs) {
    Buffer value;
    ByteWriter content(value);
    content.u32(static_cast<std::uint32_t>(pairs.size()));
    for (const auto& [name, text] : pairs) {
        for (const std::string* string : {&name, &text}) {
            content.align(4);
            content.u32(static_cast<std::uint32_t>(string->size() + 1));
            value.insert(value.end(), string->begin(), string->end());
            content.u8(0);
        }
    }
    octets(id, value);
}

void ParameterListBuilder::guid(std::uint16_t id, const Guid& value) {
    octets(id, to_octets(value));
}

void ParameterListBuilder::duration(std::uint16_t id, QosDuration value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 8);
    writer.i32(value.seconds);
    writer.u32(value.fraction);
}

void ParameterListBuilder::locator(std::uint16_t id, const Locator& value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, locator_size);
    write_locator(writer, value);
}

void ParameterListBuilder::sequence_number(std::uint16_t id, SequenceNumber value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 8);
    write_sequence_number(writer, value);
}

void ParameterListBuilder::protocol_version(std::uint16_t id, ProtocolVersion value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 4);
    writer.u8(value.major);
    writer.u8(value.minor);
    writer.zeros(2);
}

void ParameterListBuilder::vendor(std::uint16_t id, VendorId value) {
    ByteWriter writer(out_);
    write_parameter_header(writer, id, 4);
    writer.u8(static_cast<std::uint8_t>(value.value >> 8U));
    writer.u8(static_cast<std::uint8_t>(value.value & 0xffU));
    writer.zeros(2);
}

void ParameterListBuilder::finish() {
    ByteWriter writer(out_);
    write_parameter_header(writer, pid::sentinel, 0);
}

}  // namespace durability::wire
