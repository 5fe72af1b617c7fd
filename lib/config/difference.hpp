// What a reload of the configuration changes, and what of it needs a restart (surface.md: SIGHUP).
// Pure.
#pragma once

#include "durability/config.hpp"
#include "model/reload.hpp"

#include <cstdint>
#include <vector>

namespace durability::config {

// Options outside of the rules come in the order of the schema. Rules are the same one when topic,
// type and partition are equal; where they are written does not count.
struct Difference {
    std::vector<OptionChange> live;
    std::vector<OptionChange> restart;
    std::uint64_t rules_added{0};
    std::uint64_t rules_removed{0};
    std::uint64_t rules_changed{0};
    // Rules that are in both come in another order; the first that matches applies.
    bool rules_reordered{false};

    [[nodiscard]] bool changes_rules() const {
        return rules_added + rules_removed + rules_changed > 0 || rules_reordered;
    }
    [[nodiscard]] bool empty() const { return live.empty() && restart.empty() && !changes_rules(); }
};

[[nodiscard]] Difference compare(const Config& running, const Config& wanted);

// What is in force after the reload: `wanted`, but for options that need a restart.
[[nodiscard]] Config in_force(const Config& running, const Config& wanted);

}  // namespace durability::config
