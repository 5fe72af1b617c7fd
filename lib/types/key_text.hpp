// A key for people.
#pragma once

#include "types/shape.hpp"

#include "base/bytes.hpp"

#include <string>

namespace durability::types {

// As KeyPlan::describe().
[[nodiscard]] std::string describe_key(const Shape& shape, ByteView serialized_key);

}  // namespace durability::types
