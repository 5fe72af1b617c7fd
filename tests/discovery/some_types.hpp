// Made-up type descriptions: any octets behind a DHEADER, with the id that belongs to them.
#pragma once

#include "types/type_id.hpp"

#include "base/bytes.hpp"

#include <cstdint>

namespace durability::discovery {

struct SomeType {
    types::TypeId id;
    Buffer object;
};

inline SomeType some_type(std::uint8_t which, std::size_t size = 64) {
    SomeType type;
    type.object.assign(size, which);
    const auto length = static_cast<std::uint32_t>(size - 4);
    for (unsigned i = 0; i < 4; ++i)
        type.object[i] = static_cast<std::uint8_t>(length >> (8U * i));
    type.object[4] = 0xf1;
    type.id = types::type_id_of(type.object);
    return type;
}

}  // namespace durability::discovery
