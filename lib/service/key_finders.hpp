// What the store is given to find keys with (store/key_finder.hpp): types and rules in force.
#pragma once

#include "durability/config.hpp"
#include "store/key_finder.hpp"

#include <string>
#include <vector>

namespace durability::service {

// The key layout of the rule that applies to a topic; empty for none.
[[nodiscard]] std::vector<std::string> key_layout(const Config& config, const GroupKey& key);

// Copies what it needs of `config`. The finders are pure and may be used on any thread.
[[nodiscard]] store::KeyFinders key_finders(const Config& config);

}  // namespace durability::service
