#include "base/text.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <string>

using namespace durability;
using namespace std::chrono_literals;

TEST_CASE("durations are read with their unit") {
    CHECK(parse_duration("250ms") == Duration(250ms));
    CHECK(parse_duration("10s") == Duration(10s));
    CHECK(parse_duration("5min") == Duration(5min));
    CHECK(parse_duration("2h") == Duration(2h));
    CHECK(parse_duration("7d") == Duration(168h));
    CHECK(parse_duration("3us") == Duration(3us));
    CHECK(parse_duration("1ns") == 1ns);
    CHECK(parse_duration("0") == Duration::zero());
    CHECK(parse_duration("0s") == Duration::zero());
    CHECK(parse_duration("infinite") == infinite_duration);
}

TEST_CASE("what is no duration is refused") {
    for (const char* text : {"",
                             "5",
                             "5x",
                             "s",
                             "-5s",
                             "+5s",
                             " 5s",
                             "5 s",
                             "5s ",
                             "05s",
                             "1.5s",
                             "5S",
                             "5m",
                             "Infinite",
                             "9223372036854775807ns",
                             "106752d",
                             "99999999999999999999s",
                             "0x5s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
    CHECK(parse_duration("106751d").has_value());
}

TEST_CASE("a duration is written in the largest exact unit") {
    CHECK(format_duration(Duration(1500ms)) == "1500ms");
    CHECK(format_duration(Duration(120s)) == "2min");
    CHECK(format_duration(Duration(24h)) == "1d");
    CHECK(format_duration(Duration(90min)) == "90min");
    CHECK(format_duration(Duration::zero()) == "0s");
    CHECK(format_duration(infinite_duration) == "infinite");
    CHECK(format_duration(Duration(-5s)) == "-5s");
    CHECK(format_duration(Duration::min()) == "-9223372036854775808ns");
}

TEST_CASE("sizes are read with their unit") {
    CHECK(parse_size("0") == 0U);
    CHECK(parse_size("1500") == 1'500U);
    CHECK(parse_size("64KiB") == 65'536U);
    CHECK(parse_size("1MiB") == 1'048'576U);
    CHECK(parse_size("2GiB") == 2'147'483'648U);
    CHECK(parse_size("3TiB") == 3'298'534'883'328U);
    CHECK(parse_size("unlimited") == UINT64_MAX);
}

TEST_CASE("what is no size is refused") {
    for (const char* text : {"",
                             "KiB",
                             "1KB",
                             "1 KiB",
                             "-1",
                             "1kib",
                             "010",
                             "1e3",
                             "1_000",
                             "1.5MiB",
                             "18446744073709551615",
                             "18446744073709551616",
                             "16777216TiB"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_size(text).has_value());
    }
    CHECK(parse_size("18446744073709551614") == UINT64_MAX - 1);
}

TEST_CASE("durations and sizes written are read back unchanged") {
    std::mt19937_64 random(20'090);
    for (int i = 0; i < 20'000; ++i) {
        const auto value = random() >> (random() % 64U);
        const auto size = value == UINT64_MAX ? 0 : value;
        CAPTURE(value);
        REQUIRE(parse_size(format_size(size)) == size);
        const Duration duration(static_cast<Duration::rep>(value >> 1U));
        REQUIRE(parse_duration(format_duration(duration)) == duration);
    }
}

TEST_CASE("a misspelt word finds the known one") {
    const std::array<std::string_view, 6> known{
        "depth", "history", "topics", "max_samples", "cleanup_delay", "scope"};
    CHECK(closest_match("dept", known) == "depth");
    CHECK(closest_match("histroy", known) == "history");
    CHECK(closest_match("topcis", known) == "topics");
    CHECK(closest_match("max_sample", known) == "max_samples");
    CHECK(closest_match("delay", known) == "cleanup_delay");
    CHECK(closest_match("depth", known) == "depth");
}

TEST_CASE("a word that is near nothing finds nothing") {
    const std::array<std::string_view, 3> known{"depth", "history", "id"};
    CHECK_FALSE(closest_match("interfaces", known).has_value());
    CHECK_FALSE(closest_match("", known).has_value());
    CHECK_FALSE(closest_match("x", known).has_value());
    CHECK_FALSE(closest_match(std::string(100'000, 'd'), known).has_value());
    CHECK_FALSE(closest_match("depth", {}).has_value());
}

TEST_CASE("foreign text cannot end a line or a quotation") {
    CHECK(printable("rt/map") == "rt/map");
    CHECK(printable("a\nb\rc\td") == "a\\nb\\rc\\td");
    CHECK(printable("say \"hi\"") == "say \\\"hi\\\"");
    CHECK(printable("back\\slash") == "back\\\\slash");
    CHECK(printable(std::string_view("\0\x1b[31m\x7f", 7)) == "\\x00\\x1b[31m\\x7f");
}

TEST_CASE("foreign text is valid UTF-8 once printed") {
    CHECK(printable("größe λ 🤖") == "größe λ 🤖");
    CHECK(printable("\xff"
                    "a") == "\\xffa");
    CHECK(printable("\xc3") == "\\xc3");                    // cut in the middle
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong '/'
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
    CHECK(printable("\xf5\x80\x80\x80") == "\\xf5\\x80\\x80\\x80");
    CHECK(printable("\xc2\x85") == "\\xc2\\x85");  // next line, a C1 control
}

TEST_CASE("foreign text cannot change the direction of the line") {
    CHECK(printable("a\xe2\x80\xae"
                    "b") == "a\\xe2\\x80\\xaeb");
    CHECK(printable("a\xe2\x80\xa8"
                    "b") == "a\\xe2\\x80\\xa8b");
    CHECK(printable("a\xe2\x80\x8b"
                    "b") == "a\\xe2\\x80\\x8bb");
}

TEST_CASE("long foreign text is cut between characters") {
    CHECK(printable("abcdef", 6) == "abcdef");
    CHECK(printable("abcdefg", 6) == "abcdef…");
    CHECK(printable("abcdeü", 6) == "abcde…");
    CHECK(printable("abc\n", 4) == "abc…");
    CHECK(printable("x", 0) == "…");
}

TEST_CASE("values are quoted only where they need it") {
    CHECK(quote_if_needed("rt/map") == "rt/map");
    CHECK(quote_if_needed("42") == "42");
    CHECK(quote_if_needed("").size() == 2);
    CHECK(quote_if_needed("two words") == "\"two words\"");
    CHECK(quote_if_needed("a=b") == "\"a=b\"");
    CHECK(quote_if_needed("a\"b") == "\"a\\\"b\"");
    CHECK(quote_if_needed("a\nevent=Fake") == "\"a\\nevent=Fake\"");
}
