// A type's description that somebody hands in, rather than a writer that was asked for it. Pure;
// thread-safe.
#pragma once

#include "base/bytes.hpp"
#include "durability/error.hpp"

#include <vector>

namespace durability::types {

// Whether the type has a key. `information` is the value of PID_TYPE_INFORMATION, `objects` are
// serialized TypeObjects with their DHEADER (type_id_of()). Errors: invalid_argument (the
// information cannot be read, or names a type or a part of one that is not among the objects),
// unsupported (a key that cannot be found in a payload, named).
[[nodiscard]] Result<bool> check_description(const Buffer& information,
                                             const std::vector<Buffer>& objects);

}  // namespace durability::types
