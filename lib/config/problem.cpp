#include "config/problem.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::config {
namespace {

constexpr std::size_t widest_shown_line = 160;

// Kept byte for byte, so that the mark below it stays in its column; only control characters go.
std::string shown_source(std::string_view line) {
    std::string out(line.substr(0, widest_shown_line));
    std::replace_if(
        out.begin(),
        out.end(),
        [](char c) {
            const auto octet = static_cast<unsigned char>(c);
            return (octet < 0x20 && c != '\t') || octet == 0x7f;
        },
        '?');
    return out;
}

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// As wide on a terminal as the text before the column: tabs stay tabs, a multi-byte character
// counts once.
std::string padding(std::string_view before) {
    std::string out;
    for (const char c : before) {
        if (!continues_character(c)) out += c == '\t' ? '\t' : ' ';
    }
    return out;
}

}  // namespace

std::string to_text(const Problem& problem) {
    std::string out = printable(problem.file, 4'096);
    if (problem.line > 0) out += fmt::format(":{}:{}", problem.line, problem.column);
    out += problem.gravity == Gravity::error ? ": error: " : ": warning: ";
    if (!problem.path.empty()) out += problem.path + ": ";
    out += problem.message;
    if (!problem.hint.empty()) out += "; " + problem.hint;
    out += '\n';
    const std::size_t start = problem.column > 0 ? problem.column - 1 : 0;
    if (problem.source.empty() || start >= std::min(problem.source.size() + 1, widest_shown_line))
        return out;
    const std::string source = shown_source(problem.source);
    out += fmt::format("{:>5} | {}\n", problem.line, source);
    const std::string_view marked = std::string_view(source).substr(start, problem.width);
    const auto characters =
        std::count_if(marked.begin(), marked.end(), [](char c) { return !continues_character(c); });
    const std::string tail(static_cast<std::size_t>(std::max<std::ptrdiff_t>(characters, 1)) - 1,
                           '~');
    out += fmt::format("      | {}^{}\n", padding(std::string_view(source).substr(0, start)), tail);
    return out;
}

std::string to_text(const std::vector<Problem>& problems) {
    std::string out;
    std::size_t errors = 0;
    for (const Problem& problem : problems) {
        out += to_text(problem);
        if (problem.gravity == Gravity::error) ++errors;
    }
    if (errors > 0) out += fmt::format("{} error{}\n", errors, errors == 1 ? "" : "s");
    return out;
}

}  // namespace durability::config
