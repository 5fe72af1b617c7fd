// The hash that names a type (XTypes 1.3, 7.3.4.2): what SEDP announces, what type look-ups ask
// for.
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace durability::types {

// The equivalence kinds a hashed TypeIdentifier can have; the values are those on the wire.
enum class TypeIdKind : std::uint8_t {
    minimal = 0xf1,
    complete = 0xf2
};

struct TypeId {
    TypeIdKind kind{TypeIdKind::minimal};
    std::array<std::uint8_t, 14> hash{};
    friend auto operator<=>(const TypeId&, const TypeId&) = default;
};

// The id of a serialized TypeObject: XCDR2, little-endian, without encapsulation header, but with
// the DHEADER that the object itself begins with, for that is part of what is hashed (as Cyclone
// DDS does; fact sheet 11). Its kind is the octet behind the DHEADER, its hash the first 14 octets
// of the MD5. Nothing is checked beyond that. Thread-safe.
[[nodiscard]] TypeId type_id_of(ByteView object);

// "minimal 2e6f6e76..."; 28 hexadecimal digits.
[[nodiscard]] std::string to_string(const TypeId& id);

}  // namespace durability::types
