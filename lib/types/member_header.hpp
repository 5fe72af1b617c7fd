// What stands in front of a member whose place or presence is not fixed: the parameter header of
// XCDR1 and the EMHEADER of XCDR2 (XTypes 1.3, 7.4.1.2 and 7.4.3.4).
#pragma once

#include "types/cdr_cursor.hpp"

#include <cstdint>
#include <optional>

namespace durability::types {

struct MemberHeader {
    std::uint32_t id{0};
    std::size_t size{0};  // of the value, which begins at the cursor
};

// Nothing at the end of the list, that is at its sentinel or where the octets end, and on failure.
[[nodiscard]] std::optional<MemberHeader> read_parameter_header(CdrCursor& cursor);

// Nothing on failure. The cursor stands at the value: where the length of a member is that of a
// collection in it, at that.
[[nodiscard]] std::optional<MemberHeader> read_member_header(CdrCursor& cursor);

namespace parameter {
inline constexpr std::uint16_t id_mask = 0x3fff;
inline constexpr std::uint16_t must_understand = 0x4000;
inline constexpr std::uint16_t extended = 0x3f01;
inline constexpr std::uint16_t list_end = 0x3f02;
inline constexpr std::uint16_t ignore = 0x3f03;
inline constexpr std::uint32_t long_id_mask = 0x0fffffff;
inline constexpr std::uint32_t long_must_understand = 0x40000000;
}  // namespace parameter

}  // namespace durability::types
