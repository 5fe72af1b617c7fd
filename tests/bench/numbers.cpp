#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace durability::bench {

double percentile(std::vector<double> values, double percent) {
    if (values.empty()) throw std::runtime_error("nothing was measured");
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(last * percent / 100.0))];
}

double median(std::vector<double> values) {
    if (values.empty()) throw std::runtime_error("nothing was measured");
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    if (values.size() % 2 != 0) return values[middle];
    return (values[middle - 1] + values[middle]) / 2;
}

double field(std::string_view line, std::string_view key) {
    const std::string wanted = fmt::format(" {}=", key);
    const auto at = line.find(wanted);
    if (at == std::string_view::npos)
        throw std::runtime_error(fmt::format("no {} in: {}", key, line));
    return std::stod(std::string(line.substr(at + wanted.size())));
}

std::string grouped(double value, int decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    const auto point = text.find('.');
    const std::size_t first = value < 0 ? 1 : 0;
    std::size_t at = point == std::string::npos ? text.size() : point;
    while (at > first + 3) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

}  // namespace durability::bench
