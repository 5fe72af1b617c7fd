#include "wire/parameter_value.hpp"

#include <algorithm>

namespace durability::wire {
namespace {

// What may be left behind the content of a value: the padding to a multiple of 4.
constexpr std::size_t max_padding = 3;

template <class T>
Decoded<T> whole(const ByteReader& in, T value) {
    if (!in.ok() || in.remaining() > max_padding) return decode_failure(DecodeError::bad_length);
    return value;
}

// A count of things that take at least `smallest` octets each.
Decoded<std::uint32_t> read_count(ByteReader& in, std::size_t smallest, std::size_t limit) {
    const std::uint32_t count = in.u32();
    if (!in.ok() || count > in.remaining() / smallest) {
        return decode_failure(DecodeError::bad_length);
    }
    if (count > limit) return decode_failure(DecodeError::over_limit);
    return count;
}

constexpr std::size_t smallest_string = 5;  // a length and a NUL

}  // namespace

Decoded<std::uint32_t> decode_u32(ByteView value, std::endian order) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    return ByteReader(value, order).u32();
}

Decoded<std::int32_t> decode_i32(ByteView value, std::endian order) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    return ByteReader(value, order).i32();
}

Decoded<bool> decode_boolean(ByteView value) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    if (value[0] > 1) return decode_failure(DecodeError::bad_range);
    return value[0] == 1;
}

Decoded<Guid> decode_guid(ByteView value) {
    if (value.size() != 16) return decode_failure(DecodeError::bad_length);
    return guid_from_octets(ByteReader(value).octets<16>());
}

Decoded<QosDuration> decode_duration(ByteView value, std::endian order) {
    if (value.size() != 8) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    return read_duration(in);
}

Decoded<ProtocolVersion> decode_protocol_version(ByteView value) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    return ProtocolVersion{value[0], value[1]};
}

Decoded<VendorId> decode_vendor(ByteView value) {
    if (value.size() != 4) return decode_failure(DecodeError::bad_length);
    return VendorId{ByteReader(value, std::endian::big).u16()};
}

Decoded<std::string> decode_string(ByteView value, std::endian order, std::size_t max_length) {
    ByteReader in(value, order);
    auto text = read_string(in, max_length);
    if (!text) return text;
    return whole(in, std::move(*text));
}

Decoded<Buffer> decode_octet_sequence(ByteView value, std::endian order, std::size_t max_length) {
    ByteReader in(value, order);
    const auto length = read_count(in, 1, max_length);
    if (!length) return decode_failure(length.error());
    const ByteView content = in.take(*length);
    return whole(in, Buffer(content.begin(), content.end()));
}

Decoded<std::vector<std::string>> decode_string_sequence(ByteView value,
                                                         std::endian order,
                                                         std::size_t max_count,
                                                         std::size_t max_length) {
    ByteReader in(value, order);
    const auto count = read_count(in, smallest_string, max_count);
    if (!count) return decode_failure(count.error());
    std::vector<std::string> result;
    result.reserve(*count);
    for (std::uint32_t i = 0; i < *count; ++i) {
        in.align(4);
        auto text = read_string(in, max_length);
        if (!text) return decode_failure(text.error());
        result.push_back(std::move(*text));
    }
    return whole(in, std::move(result));
}

Decoded<std::vector<std::pair<std::string, std::string>>> decode_property_list(
    ByteView value, std::endian order, const StringLimits& limits) {
    ByteReader in(value, order);
    const auto count = read_count(in, 2 * smallest_string, limits.properties);
    if (!count) return decode_failure(count.error());
    std::vector<std::pair<std::string, std::string>> result;
    result.reserve(*count);
    for (std::uint32_t i = 0; i < *count; ++i) {
        in.align(4);
        auto property = read_string(in, limits.string_length);
        if (!property) return decode_failure(property.error());
        in.align(4);
        auto content = read_string(in, limits.string_length);
        if (!content) return decode_failure(content.error());
        result.emplace_back(std::move(*property), std::move(*content));
    }
    return result;
}

Decoded<QosDuration> read_duration(ByteReader& in) {
    QosDuration duration;
    duration.seconds = in.i32();
    duration.fraction = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::bad_length);
    if (duration.seconds < 0) return decode_failure(DecodeError::bad_range);
    // Implementations differ in the fraction of "infinite"; 68 years are infinite enough.
    if (duration.seconds == infinite_qos_duration.seconds) return infinite_qos_duration;
    return duration;
}

Decoded<std::string> read_string(ByteReader& in, std::size_t max_length) {
    const std::uint32_t length = in.u32();
    if (!in.ok() || length > in.remaining()) return decode_failure(DecodeError::bad_length);
    if (length == 0) return decode_failure(DecodeError::bad_string);
    if (length - 1 > max_length) return decode_failure(DecodeError::over_limit);
    const ByteView octets = in.take(length);
    if (std::find(octets.begin(), octets.end(), std::uint8_t{0}) != octets.end() - 1) {
        return decode_failure(DecodeError::bad_string);
    }
    return std::string(octets.begin(), octets.end() - 1);
}

}  // namespace durability::wire
