#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace durability::bench {
namespace {

using Cells = std::array<std::string, 8>;

std::string verdict(double attained, double wanted) {
    return attained >= wanted ? "yes" : fmt::format("**no** ({:.2f})", attained);
}

Cells cells(const Line& line) {
    return {line.row,
            line.workload,
            line.reference,
            line.ours,
            line.ratio,
            line.target,
            verdict(line.attained, 1.0),
            verdict(line.attained, 0.5)};
}

}  // namespace

void print(const Lines& lines) {
    std::vector<Cells> table{
        {"row", "workload", "reference", "ours", "ratio", "target", "met", "half of it met"}};
    for (const Line& line : lines)
        table.push_back(cells(line));

    std::array<std::size_t, std::tuple_size_v<Cells>> widths{};
    for (const Cells& row : table) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    for (std::size_t n = 0; n < table.size(); ++n) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            fmt::print("| {:<{}} ", table[n][i], widths[i]);
        fmt::print("|\n");
        if (n != 0) continue;
        for (const std::size_t width : widths)
            fmt::print("|{:-<{}}", "", width + 2);
        fmt::print("|\n");
    }
    std::fflush(stdout);
}

void say(std::string_view what) {
    fmt::print(stderr, "{}\n", what);
}

}  // namespace durability::bench
