// Screens and moments, without a terminal.
#include "durabilityctl/output.hpp"
#include "durabilityctl/rates.hpp"
#include "durabilityctl/since.hpp"
#include "durabilityctl/status_view.hpp"
#include "durabilityctl/terminal.hpp"
#include "durabilityctl/top_view.hpp"

#include "tools/sample_daemon.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>

using namespace durability;
using namespace durability::ctl;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

ServiceStatus later(ServiceStatus status, std::uint64_t stored, std::uint64_t replayed) {
    status.uptime += 2s;
    status.domains[0].topics[0].stored += stored;
    status.domains[0].topics[0].replayed += replayed;
    return status;
}

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("a line is cut at the edge of the screen, by characters, sequences kept") {
    CHECK(cut_to_width("größe", 3) == "grö");
    CHECK(cut_to_width("größe", 9) == "größe");
    CHECK(cut_to_width("\x1b[31mabc\x1b[0m", 2) == "\x1b[31mab\x1b[0m");
    CHECK(cut_to_width("abc", 0).empty());
    CHECK(lines_of("a\n\nb\n") == std::vector<std::string>{"a", "", "b"});
}

TEST_CASE("rates are of one run of the daemon only") {
    const ServiceStatus before = test::sample_status();
    CHECK(seconds_between(before, later(before, 0, 0)) == 2.0);
    CHECK_FALSE(seconds_between(before, before));
    ServiceStatus other = later(before, 0, 0);
    other.pid = 1;
    CHECK_FALSE(seconds_between(before, other));
    other = later(before, 0, 0);
    other.started += 1s;
    CHECK_FALSE(seconds_between(before, other));
    CHECK(per_second(10, 5, 1.0) == 0.0);
    CHECK(rate_text(12.34) == "12.3");
    CHECK(rate_text(std::nullopt) == "-");
}

TEST_CASE("top sums the groups of a topic and sorts by what was asked for") {
    set_colours(false);
    ServiceStatus before = test::sample_status();
    auto& topics = before.domains[0].topics;
    topics.push_back(topics[0]);
    topics.push_back(topics[0]);
    topics[2].topic = "rt/big";
    topics[2].disk_bytes = 1U << 30U;
    topics[3].topic = "rt/many";
    topics[3].writers = 9;
    const ServiceStatus now = later(before, 30, 10);
    const auto first = [&](TopOrder order) { return top_lines(before, now, order, 24, "").at(4); };
    CHECK_THAT(first(TopOrder::rate),
               Contains("rt/map") && Contains(" 15.0 ") && Contains(" 5.0 "));
    CHECK_THAT(first(TopOrder::bytes), Contains("rt/big") && Contains("1.0 GiB"));
    CHECK_THAT(first(TopOrder::writers), Contains("rt/many") && Contains(" 9 "));
    CHECK(order_by_key('b', TopOrder::rate) == TopOrder::bytes);
    CHECK(order_by_key('x', TopOrder::bytes) == TopOrder::bytes);
    CHECK(top_lines(before, now, TopOrder::rate, 5, "").size() == 5);
    CHECK(top_lines(before, now, TopOrder::rate, 1, "").size() == 1);
    CHECK(top_lines(before, now, TopOrder::rate, 24, "no answer").at(2) == "no answer");
    CHECK_THAT(top_lines(now, now, TopOrder::rate, 24, "").at(1), Contains("stored -/s"));
    // A foreign name cannot steer the terminal.
    for (const std::string& line : top_lines(before, now, TopOrder::rate, 24, ""))
        CHECK(line.find('\x1b') == std::string::npos);
}

TEST_CASE("status gives averages at first and rates of now when there was an earlier look") {
    set_colours(false);
    const ServiceStatus before = test::sample_status();
    const ServiceStatus now = later(before, 30, 10);
    CHECK_THAT(status_text(nullptr, before, {}),
               Contains("1.1 stored and 0.3 replayed a second, since the start"));
    CHECK_THAT(status_text(&before, now, {}), Contains("15.0 stored and 5.0 replayed a second\n"));
    ServiceStatus refused = before;
    refused.config_in_force = false;
    CHECK_THAT(status_text(nullptr, refused, {}), Contains("was not taken"));
    std::vector<control::Reply::EventText> events(7);
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i].line = "event=" + std::to_string(i);
    CHECK_THAT(status_text(nullptr, before, events),
               Contains("event=2\n") && Contains("event=6\n") && !Contains("event=1\n"));
}

TEST_CASE("colours mark what is wrong and do not widen columns") {
    set_colours(true);
    Table table({{"A"}, {"B"}});
    table.add({"x", "y"}, Colour::red);
    CHECK(table.to_text() == "\x1b[1mA  B\x1b[0m\n\x1b[31mx  y\x1b[0m\n");
    set_colours(false);
    CHECK(table.to_text() == "A  B\nx  y\n");
}

TEST_CASE("moments are read as people write them") {
    REQUIRE(::setenv("TZ", "XST-2", 1) == 0);
    ::tzset();
    constexpr std::int64_t now = 1'700'000'000 * second;  // 2023-11-15 00:13:20 +0200
    CHECK(parse_since("10min", now) == now - 600 * second);
    CHECK(parse_since("infinite", now) == 0);
    CHECK(parse_since("@1699999999", now) == 1'699'999'999 * second);
    CHECK(parse_since("2023-11-15 00:13:20", now) == now);
    CHECK(parse_since("2023-11-15T00:13:20", now) == now);
    CHECK(parse_since("2023-11-14T22:13:20Z", now) == now);
    CHECK(parse_since("2023-11-15", now) == now - 800 * second);
    CHECK(parse_since("00:13", now) == now - 20 * second);
    CHECK(parse_since("00:13:20", now) == now);
    for (const char* text : {"",
                             "soon",
                             "-1s",
                             "@",
                             "@-1",
                             "@99999999999999999999",
                             "@9999999999999",
                             "2023-13-01",
                             "2023-11-31",
                             "24:61",
                             "2023-11-15 ",
                             "2023-11-15 00:13:20 x"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_since(text, now));
    }
    REQUIRE(::unsetenv("TZ") == 0);
    ::tzset();
}
