#include "types/member_header.hpp"

namespace durability::types {

std::optional<MemberHeader> read_parameter_header(CdrCursor& cursor) {
    while (cursor.step() && cursor.remaining() > 0) {
        cursor.align(4);
        const std::uint16_t id = cursor.u16() & parameter::id_mask;
        MemberHeader header{id, cursor.u16()};
        if (id == parameter::extended) {
            header.id = cursor.u32() & parameter::long_id_mask;
            header.size = cursor.u32();
        }
        if (id == parameter::list_end || !cursor.ok()) return std::nullopt;
        if (header.size > cursor.remaining()) {
            cursor.set_failed();
            return std::nullopt;
        }
        if (id != parameter::ignore) return header;
        (void)cursor.take(header.size);
    }
    return std::nullopt;
}

std::optional<MemberHeader> read_member_header(CdrCursor& cursor) {
    if (!cursor.step()) return std::nullopt;
    const std::uint32_t word = cursor.u32();
    const std::uint32_t code = (word >> 28U) & 7U;
    MemberHeader header{word & parameter::long_id_mask, std::size_t{1} << code};
    if (code >= 4) {
        const CdrCursor before = cursor;
        header.size = cursor.u32();
        if (code >= 5) {
            // NEXTINT is the first of the value's own octets, in units of 1, 4 or 8.
            header.size = 4 + header.size * (code == 5 ? 1U : code == 6 ? 4U : 8U);
            if (cursor.ok()) cursor = before;
        }
    }
    if (header.size > cursor.remaining()) cursor.set_failed();
    return cursor.ok() ? std::optional(header) : std::nullopt;
}

}  // namespace durability::types
