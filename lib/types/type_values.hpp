// The type of a group as `durabilityctl show` gives it. Pure; thread-safe.
#pragma once

#include "model/group.hpp"
#include "model/shown_topic.hpp"

#include <vector>

namespace durability::types {

// "type", "type_hash", and whether the description of the type is stored.
[[nodiscard]] std::vector<ShownValue> type_values(const GroupMeta& meta);

}  // namespace durability::types
