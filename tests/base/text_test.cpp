#include "base/text.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>

using namespace durability;
using namespace std::chrono_literals;

TEST_CASE("durations are read with their unit") {
    CHECK(parse_duration("250ms") == Duration(250ms));
    CHECK(parse_duration("10s") == Duration(10s));
    CHECK(parse_duration("5min") == Duration(5min));
    CHECK(parse_duration("2h") == Duration(2h));
    CHECK(parse_duration("7d") == Duration(std::chrono::hours(7 * 24)));
    CHECK(parse_duration("infinite") == infinite_duration);
}

TEST_CASE("what is no duration is refused") {
    for (const char* text :
         {"", "s", "-1s", "1", "1 parsec", "99999999999999999999d", "1e3s", "1s "}) {
        INFO(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}

TEST_CASE("a formatted duration reads back as itself") {
    for (const Duration value : {Duration(0),
                                 Duration(1ms),
                                 Duration(1500ms),
                                 Duration(90s),
                                 Duration(3h),
                                 infinite_duration}) {
        INFO(format_duration(value));
        CHECK(parse_duration(format_duration(value)) == value);
    }
}

TEST_CASE("sizes are read with their unit and formatted back") {
    CHECK(parse_size("64KiB") == 65536U);
    CHECK(parse_size("1MiB") == 1048576U);
    CHECK(parse_size("2GiB") == 2147483648U);
    CHECK(parse_size("17") == 17U);
    CHECK(parse_size("unlimited") == std::numeric_limits<std::uint64_t>::max());
    CHECK_FALSE(parse_size("").has_value());
    CHECK_FALSE(parse_size("-1").has_value());
    CHECK_FALSE(parse_size("99999999999999999999GiB").has_value());
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{65536}}) {
        CHECK(parse_size(format_size(value)) == value);
    }
}

TEST_CASE("a rounded size says its unit, and never a thousand and more of one") {
    CHECK(rounded_size(0) == "0 B");
    CHECK(rounded_size(1'023) == "1023 B");
    CHECK(rounded_size(1'024) == "1.0 KiB");
    CHECK(rounded_size(1'536) == "1.5 KiB");
    CHECK(rounded_size((1ULL << 20U) - 1) == "1.0 MiB");
    CHECK(rounded_size(5ULL << 30U) == "5.0 GiB");
    CHECK(rounded_size(UINT64_MAX) == "16777216.0 TiB");
}

TEST_CASE("one is counted as one") {
    CHECK(counted(0, "sample") == "0 samples");
    CHECK(counted(1, "sample") == "1 sample");
    CHECK(counted(2, "sample") == "2 samples");
}

TEST_CASE("the nearest known word is found for a typing error and none for something else") {
    constexpr std::array<std::string_view, 3> known{"max_samples", "history", "cleanup_delay"};
    CHECK(closest_match("histroy", known) == "history");
    CHECK(closest_match("max_sample", known) == "max_samples");
    CHECK_FALSE(closest_match("zebra", known).has_value());
}

TEST_CASE("foreign text cannot break a log line") {
    CHECK(printable("plain") == "plain");
    const std::string text = printable("a\nb\"c\\d\x01\xff");
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('\x01') == std::string::npos);
    CHECK(text.find("\\xff") != std::string::npos);
    CHECK(printable(std::string(1000, 'x'), 16).size() < 32);
}

TEST_CASE("a value with blanks is quoted and a bare one is not") {
    CHECK(quote_if_needed("topic") == "topic");
    CHECK(quote_if_needed("two words") == "\"two words\"");
    CHECK(quote_if_needed("") == "\"\"");
}
