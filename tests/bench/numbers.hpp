// Figures out of repeated measurements and out of what the peers print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace durability::bench {

// Of a list that is not empty.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double percentile(std::vector<double> values, double percent);

// The number after " key=" in a line of a peer; throws std::runtime_error without it.
[[nodiscard]] double field(std::string_view line, std::string_view key);

// 1234567 -> "1,234,567"; small values keep `decimals`.
[[nodiscard]] std::string grouped(double value, int decimals = 0);

}  // namespace durability::bench
