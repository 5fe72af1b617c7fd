// Passes over a value that is not of the key.
#pragma once

#include "types/cdr_cursor.hpp"
#include "types/shape.hpp"

namespace durability::types {

// Leaves the cursor behind the value, or failed.
void skip_value(const Shape& shape, NodeIndex index, CdrCursor& cursor);

// The same of a member of a structure that is not mutable, optional ones included.
void skip_member(const Shape& shape, const ShapeMember& member, CdrCursor& cursor);

// Whether the collection at the cursor begins with a DHEADER. A doubtful one is taken for such if
// the first number fits as one.
[[nodiscard]] bool has_delimiter(const ShapeNode& collection,
                                 const ShapeNode& element,
                                 const CdrCursor& cursor);

}  // namespace durability::types
