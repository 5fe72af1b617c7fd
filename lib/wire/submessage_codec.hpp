// What the codecs of all submessages share: entity ids, and the four octets in front. Internal to
// wire/.
#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "wire/submessage.hpp"

#include <cassert>

namespace durability::wire::detail {

// Entity ids are four octets, never swapped.
[[nodiscard]] inline EntityId read_entity_id(ByteReader& in) {
    return {in.u32_big()};
}
inline void write_entity_id(ByteWriter& out, EntityId id) {
    out.u32_big(id.value);
}

[[nodiscard]] constexpr std::size_t padded(std::size_t size) {
    return (size + 3) / 4 * 4;
}

// `size` is that of the whole submessage, these four octets included (9.4.5.1).
inline void write_submessage_header(ByteWriter& out,
                                    std::uint8_t id,
                                    std::uint8_t flags,
                                    std::size_t size) {
    assert(size % 4 == 0 && size - submessage_header_size <= 0xffff);
    const bool little = out.order() == std::endian::little;
    out.u8(id);
    out.u8(static_cast<std::uint8_t>(flags | (little ? submessage_flag::little_endian : 0U)));
    out.u16(static_cast<std::uint16_t>(size - submessage_header_size));
}

[[nodiscard]] constexpr bool has_flag(std::uint8_t flags, std::uint8_t flag) {
    return (flags & flag) != 0;
}
[[nodiscard]] constexpr std::uint8_t flag_if(bool condition, std::uint8_t flag) {
    return condition ? flag : std::uint8_t{0};
}

}  // namespace durability::wire::detail
