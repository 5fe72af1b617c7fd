// Types and values by chance; the same seed gives the same.
#pragma once

#include "types/type_model.hpp"

#include <random>

namespace durability::test {

// A structure with at least one key member, of every construct the walker knows.
[[nodiscard]] TypePointer random_topic_type(std::mt19937& random);
[[nodiscard]] Value random_value(const Type& type, std::mt19937& random);

}  // namespace durability::test
