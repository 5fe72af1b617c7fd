#include "durabilityctl/since.hpp"

#include "base/text.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <limits>

namespace durability::ctl {
namespace {

constexpr std::int64_t second = 1'000'000'000;
// Years of four digits; what is beyond does not fit into nanoseconds.
constexpr std::int64_t greatest_second = std::numeric_limits<std::int64_t>::max() / second - 1;

std::optional<std::int64_t> in_nanoseconds(std::int64_t seconds) {
    if (seconds < 0 || seconds > greatest_second) return std::nullopt;
    return seconds * second;
}

// Two digits at a place, within bounds.
std::optional<int> two_digits(std::string_view text, std::size_t at, int least, int most) {
    if (at + 2 > text.size()) return std::nullopt;
    const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
    if (!digit(at) || !digit(at + 1)) return std::nullopt;
    const int value = (text[at] - '0') * 10 + (text[at + 1] - '0');
    if (value < least || value > most) return std::nullopt;
    return value;
}

// "2024-05-01"; false for anything else, and for days that a month does not have.
bool read_date(std::string_view text, std::tm& into) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const auto century = two_digits(text, 0, 19, 99);
    const auto year = two_digits(text, 2, 0, 99);
    const auto month = two_digits(text, 5, 1, 12);
    const auto day = two_digits(text, 8, 1, 31);
    if (!century || !year || !month || !day) return false;
    constexpr std::array days{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int full_year = *century * 100 + *year;
    const bool leap = full_year % 4 == 0 && (full_year % 100 != 0 || full_year % 400 == 0);
    if (*day > days[static_cast<std::size_t>(*month - 1)]) return false;
    if (*month == 2 && *day == 29 && !leap) return false;
    into.tm_year = full_year - 1'900;
    into.tm_mon = *month - 1;
    into.tm_mday = *day;
    return true;
}

// "12:00" or "12:00:05".
bool read_clock(std::string_view text, std::tm& into) {
    if ((text.size() != 5 && text.size() != 8) || text[2] != ':') return false;
    const auto hour = two_digits(text, 0, 0, 23);
    const auto minute = two_digits(text, 3, 0, 59);
    auto seconds = std::optional(0);
    if (text.size() == 8) seconds = text[5] == ':' ? two_digits(text, 6, 0, 59) : std::nullopt;
    if (!hour || !minute || !seconds) return false;
    into.tm_hour = *hour;
    into.tm_min = *minute;
    into.tm_sec = *seconds;
    return true;
}

// A date, a time of the day that `into` says, or both with a blank or a T between them.
bool read_moment(std::string_view text, std::tm& into) {
    into.tm_hour = into.tm_min = into.tm_sec = 0;
    into.tm_isdst = -1;
    if (text.size() < 10) return read_clock(text, into);
    if (!read_date(text.substr(0, 10), into)) return false;
    if (text.size() == 10) return true;
    return (text[10] == ' ' || text[10] == 'T') && read_clock(text.substr(11), into);
}

}  // namespace

std::optional<std::int64_t> parse_since(std::string_view text, std::int64_t now_ns) {
    if (text.starts_with('@')) {
        text.remove_prefix(1);
        std::int64_t seconds = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
        return in_nanoseconds(seconds);
    }
    if (const auto duration = parse_duration(text)) {
        // Longer than there has been time: everything.
        return duration->count() >= now_ns ? 0 : now_ns - duration->count();
    }
    const bool utc = text.ends_with('Z');
    if (utc) text.remove_suffix(1);
    const std::time_t now = now_ns / second;
    std::tm parts{};
    if ((utc ? ::gmtime_r(&now, &parts) : ::localtime_r(&now, &parts)) == nullptr)
        return std::nullopt;
    if (!read_moment(text, parts)) return std::nullopt;
    return in_nanoseconds(utc ? ::timegm(&parts) : std::mktime(&parts));
}

}  // namespace durability::ctl
