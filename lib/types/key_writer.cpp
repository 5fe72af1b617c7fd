#include "types/key_writer.hpp"

#include "types/member_header.hpp"

#include <algorithm>
#include <array>

namespace durability::types {

namespace {

template <class T>
void copy_reversed_as(std::uint8_t* target, const std::uint8_t* source, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T value{};
        std::memcpy(&value, source + i * sizeof(T), sizeof(T));
        value = boost::endian::endian_reverse(value);
        std::memcpy(target + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

void copy_reversed(std::uint8_t* target,
                   const std::uint8_t* source,
                   std::size_t count,
                   std::size_t width) {
    switch (width) {
        case 2:
            return copy_reversed_as<std::uint16_t>(target, source, count);
        case 4:
            return copy_reversed_as<std::uint32_t>(target, source, count);
        case 8:
            return copy_reversed_as<std::uint64_t>(target, source, count);
        default:
            break;
    }
    for (std::size_t i = 0; i < count; ++i)
        std::reverse_copy(source + i * width, source + (i + 1) * width, target + i * width);
}

void KeyWriter::values(const std::uint8_t* source,
                       std::size_t count,
                       std::size_t width,
                       std::endian source_order) {
    if (count == 0) return;
    align(width);
    if (width == 1 || source_order == format_.order) return octets(source, count * width);
    const std::size_t at = out_.size();
    out_.resize(at + count * width);
    copy_reversed(out_.data() + at, source, count, width);
}

void KeyWriter::u16(std::uint16_t value) {
    const auto raw = std::bit_cast<std::array<std::uint8_t, sizeof value>>(value);
    values(raw.data(), 1, raw.size(), std::endian::native);
}

void KeyWriter::u32(std::uint32_t value) {
    const auto raw = std::bit_cast<std::array<std::uint8_t, sizeof value>>(value);
    values(raw.data(), 1, raw.size(), std::endian::native);
}

void KeyWriter::patch_u32(std::size_t position, std::size_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    const std::uint32_t raw =
        format_.order == std::endian::native ? number : boost::endian::endian_reverse(number);
    std::memcpy(out_.data() + position, &raw, sizeof raw);
}

std::size_t KeyWriter::begin_delimited() {
    u32(0);
    return out_.size();
}

// Always the extended form, which holds every id and every length.
KeyWriter::Parameter KeyWriter::begin_parameter(std::uint32_t id) {
    align(4);
    u16(parameter::extended | parameter::must_understand);
    u16(8);
    u32((id & parameter::long_id_mask) | parameter::long_must_understand);
    u32(0);
    const Parameter result{out_.size(), origin_};
    origin_ = out_.size();
    return result;
}

void KeyWriter::end_parameter(const Parameter& parameter) {
    patch_u32(parameter.begin - 4, out_.size() - parameter.begin);
    origin_ = parameter.outer_origin;
}

void KeyWriter::end_parameters() {
    align(4);
    u16(parameter::list_end);
    u16(0);
}

}  // namespace durability::types
