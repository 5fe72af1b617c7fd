// What `durabilityctl top` shows, as lines. Pure.
#pragma once

#include "model/status.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace durability::ctl {

enum class TopOrder : std::uint8_t {
    rate,
    bytes,
    writers
};

// The order that a key stands for; `now` for any other key.
[[nodiscard]] TopOrder order_by_key(char key, TopOrder now);

// One screen of at most `rows` lines. `before`: the snapshot of a moment ago, or nothing to
// compare with (a snapshot of another run). Topics of one name in a domain stand in one line.
// `trouble`: why there is nothing newer, if so.
[[nodiscard]] std::vector<std::string> top_lines(const ServiceStatus& before,
                                                 const ServiceStatus& now,
                                                 TopOrder order,
                                                 std::size_t rows,
                                                 const std::string& trouble);

}  // namespace durability::ctl
