// PID_TYPE_INFORMATION (XTypes 1.3, 7.6.3.2.2): which type an endpoint has, and what that depends
// on.
#pragma once

#include "types/type_id.hpp"

#include "base/bytes.hpp"

#include <optional>
#include <vector>

namespace durability::types {

struct TypeInformation {
    // Nothing when the announced identifier is not a hash (a type that is no structure or union).
    std::optional<TypeId> minimal;
    std::optional<TypeId> complete;
    std::vector<TypeId> dependencies;  // of both kinds, hashed ones only
    friend bool operator==(const TypeInformation&, const TypeInformation&) = default;
};

// Reads the parameter's value: little-endian XCDR2 without encapsulation header. Nothing when it
// is not that (Fast DDS 2.x puts an encoding of its own there, fact sheet 2.5). Thread-safe.
[[nodiscard]] std::optional<TypeInformation> decode_type_information(ByteView value);

}  // namespace durability::types
