// From descriptions, or from an operator's layout, to a shape.
#pragma once

#include "types/cdr_cursor.hpp"
#include "types/shape.hpp"
#include "types/type_library.hpp"

#include "durability/error.hpp"

#include <string>
#include <vector>

namespace durability::types {

// Errors as of KeyPlan::from_type(), except that the type may be without a key. Members of the root
// that no key stands behind are left out, and their types need not be known.
[[nodiscard]] Result<Shape> shape_of_type(const TypeLibrary& library, const TypeId& type);

// As KeyPlan::from_layout().
[[nodiscard]] Result<Shape> shape_of_layout(const std::vector<std::string>& layout);

// The largest key of the shape in a representation; `unlimited_key` for anything a key hash cannot
// hold. Errors: invalid_argument (no key), unsupported (a key of a kind we do not read).
inline constexpr std::size_t unlimited_key = 17;
[[nodiscard]] Result<std::size_t> maximum_key_size(const Shape& shape, CdrVersion version);

}  // namespace durability::types
