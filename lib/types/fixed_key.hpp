// The short way: where every key member lies at the same place in each value of a type, the key is
// a few copies.
#pragma once

#include "types/cdr_cursor.hpp"
#include "types/shape.hpp"

#include "base/bytes.hpp"

#include <optional>
#include <vector>

namespace durability::types {

struct FixedKey {
    struct Copy {
        std::size_t source{0};
        std::size_t target{0};
        std::size_t count{0};
        std::size_t width{1};
    };
    std::vector<Copy> copies;
    std::size_t needed{0};  // octets of the value
    std::size_t size{0};    // of the key

    // The serialized key; nothing when the value is too short.
    [[nodiscard]] std::optional<Buffer> take(ByteView body, std::endian order) const;
};

// Nothing when the key has no fixed place in plain CDR of this version, without any header.
[[nodiscard]] std::optional<FixedKey> find_fixed_key(const Shape& shape, CdrVersion version);

}  // namespace durability::types
