#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

namespace durability {
namespace {

struct Unit {
    std::string_view suffix;
    std::uint64_t factor;
};

// Largest first: formatting takes the first that divides exactly.
constexpr std::array<Unit, 7> duration_units{{{"d", 86'400'000'000'000},
                                              {"h", 3'600'000'000'000},
                                              {"min", 60'000'000'000},
                                              {"s", 1'000'000'000},
                                              {"ms", 1'000'000},
                                              {"us", 1'000},
                                              {"ns", 1}}};
constexpr std::array<Unit, 4> size_units{
    {{"TiB", 1ULL << 40U}, {"GiB", 1ULL << 30U}, {"MiB", 1ULL << 20U}, {"KiB", 1ULL << 10U}}};

struct Quantity {
    std::uint64_t number{0};
    std::string_view suffix;
};

// Digits and what follows them. "010" is refused: to some readers it is eight.
std::optional<Quantity> split_quantity(std::string_view text) {
    Quantity quantity;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, quantity.number);
    if (error != std::errc{}) return std::nullopt;
    if (text.front() == '0' && stop - text.data() > 1) return std::nullopt;
    quantity.suffix = text.substr(static_cast<std::size_t>(stop - text.data()));
    return quantity;
}

template <std::size_t N>
std::optional<std::uint64_t> scaled(const Quantity& quantity,
                                    const std::array<Unit, N>& units,
                                    std::uint64_t max) {
    for (const Unit& unit : units) {
        if (unit.suffix != quantity.suffix) continue;
        if (quantity.number > max / unit.factor) return std::nullopt;
        return quantity.number * unit.factor;
    }
    return std::nullopt;
}

template <std::size_t N>
std::string in_largest_unit(std::uint64_t value, const std::array<Unit, N>& units) {
    for (const Unit& unit : units) {
        if (value % unit.factor == 0)
            return std::to_string(value / unit.factor).append(unit.suffix);
    }
    return std::to_string(value);
}

// Edits between two words: insert, delete, replace, swap neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

struct CodePoint {
    char32_t value{0};
    std::size_t length{0};  // 0: not UTF-8
};

// The character at the front; overlong forms, surrogates and values above U+10FFFF are not UTF-8.
CodePoint decode_utf8(std::string_view text) {
    const auto octet = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = octet(0);
    if (lead < 0x80) return {lead, 1};
    std::size_t length = 0;
    char32_t value = 0;
    char32_t least = 0;
    if ((lead & 0xe0U) == 0xc0U) {
        length = 2, value = lead & 0x1fU, least = 0x80;
    } else if ((lead & 0xf0U) == 0xe0U) {
        length = 3, value = lead & 0x0fU, least = 0x800;
    } else if ((lead & 0xf8U) == 0xf0U) {
        length = 4, value = lead & 0x07U, least = 0x10000;
    } else {
        return {};
    }
    if (text.size() < length) return {};
    for (std::size_t i = 1; i < length; ++i) {
        if ((octet(i) & 0xc0U) != 0x80U) return {};
        value = (value << 6U) | (octet(i) & 0x3fU);
    }
    if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
    return {value, length};
}

// Characters that move the cursor, end the line, or change the direction in which others are shown:
// with them a topic name could make a log say something else than what happened.
bool is_harmless(char32_t c) {
    if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
    if (c == 0x2028 || c == 0x2029 || c == 0xfeff) return false;
    return !(c >= 0x200b && c <= 0x200f) && !(c >= 0x202a && c <= 0x202e) &&
           !(c >= 0x2066 && c <= 0x2069);
}

void append_escaped_octets(std::string& out, std::string_view octets) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : octets) {
        const auto octet = static_cast<unsigned char>(c);
        out += "\\x";
        out += digits[octet >> 4U];
        out += digits[octet & 0x0fU];
    }
}

// One character or one octet that is none, as printable() shows it.
std::string escaped(std::string_view text, const CodePoint& c) {
    std::string out;
    switch (c.length == 0 ? U'\0' : c.value) {
        case U'\n':
            return "\\n";
        case U'\r':
            return "\\r";
        case U'\t':
            return "\\t";
        case U'"':
            return "\\\"";
        case U'\\':
            return "\\\\";
        default:
            break;
    }
    if (c.length > 0 && is_harmless(c.value)) {
        out = text.substr(0, c.length);
    } else {
        append_escaped_octets(out, text.substr(0, std::max<std::size_t>(c.length, 1)));
    }
    return out;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    if (text == "infinite") return infinite_duration;
    if (text == "0") return Duration::zero();
    const auto quantity = split_quantity(text);
    if (!quantity) return std::nullopt;
    // The largest count means infinite and is written that way only.
    const auto max = static_cast<std::uint64_t>(infinite_duration.count()) - 1;
    const auto count = scaled(*quantity, duration_units, max);
    if (!count) return std::nullopt;
    return Duration(static_cast<Duration::rep>(*count));
}

std::string format_duration(Duration duration) {
    if (duration == infinite_duration) return "infinite";
    if (duration == Duration::zero()) return "0s";
    const bool negative = duration < Duration::zero();
    // Negated as unsigned: the smallest count has no positive counterpart.
    auto count = static_cast<std::uint64_t>(duration.count());
    if (negative) count = std::uint64_t{0} - count;
    return (negative ? "-" : "") + in_largest_unit(count, duration_units);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    if (text == "unlimited") return none;
    const auto quantity = split_quantity(text);
    if (!quantity) return std::nullopt;
    if (!quantity->suffix.empty()) return scaled(*quantity, size_units, none - 1);
    if (quantity->number == none) return std::nullopt;
    return quantity->number;
}

std::string format_size(std::uint64_t bytes) {
    if (bytes == std::numeric_limits<std::uint64_t>::max()) return "unlimited";
    if (bytes == 0) return "0";
    return in_largest_unit(bytes, size_units);
}

std::string rounded_size(std::uint64_t bytes) {
    if (bytes < 1'024) return std::to_string(bytes) + " B";
    // Where one decimal would show 1024.0, the next unit is the right one.
    constexpr double shows_next_unit = 1'023.95;
    for (auto unit = size_units.rbegin();; ++unit) {
        const double value = static_cast<double>(bytes) / static_cast<double>(unit->factor);
        if (value < shows_next_unit || unit + 1 == size_units.rend())
            return fmt::format("{:.1f} {}", value, unit->suffix);
    }
}

std::string counted(std::uint64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::optional<std::string_view> closest_match(std::string_view word,
                                              std::span<const std::string_view> known) {
    // Names are short; anything longer is no misspelling, and comparing costs the product of both.
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) return std::nullopt;
    std::optional<std::string_view> best;
    std::size_t best_distance = word.size() / 3 + 2;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(word, candidate.substr(0, longest));
        if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    if (best || word.size() < 3) return best;
    const auto containing = std::find_if(known.begin(), known.end(), [word](std::string_view name) {
        return name.find(word) != std::string_view::npos;
    });
    if (containing != known.end()) best = *containing;
    return best;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const CodePoint c = decode_utf8(text);
        if (c.length == 0) return false;
        text.remove_prefix(c.length);
    }
    return true;
}

std::string printable(std::string_view foreign, std::size_t max_length) {
    std::string out;
    while (!foreign.empty()) {
        const CodePoint c = decode_utf8(foreign);
        const std::string shown = escaped(foreign, c);
        if (out.size() + shown.size() > max_length) return out + "…";
        out += shown;
        foreign.remove_prefix(std::max<std::size_t>(c.length, 1));
    }
    return out;
}

std::string quote_if_needed(std::string_view text) {
    const std::string safe = printable(text);
    const bool bare =
        !text.empty() && safe == text &&
        std::none_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '='; });
    return bare ? safe : '"' + safe + '"';
}

}  // namespace durability
