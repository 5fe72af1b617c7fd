#include "service/event_log.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::service;
using namespace std::chrono_literals;

namespace {

Now at(Duration since_start) {
    return {MonoTime{1h + since_start}, WallTime{1'000'000h + since_start}};
}
Event event(EventKind kind = EventKind::SampleRejected) {
    return make_event(kind, {{"topic", "chatter"}});
}
int printed(EventLog& log) {
    int count = 0;
    while (log.next_event())
        ++count;
    return count;
}

}  // namespace

TEST_CASE("a repeat within the quiet time is only counted") {
    EventLog log;
    for (int i = 0; i < 100; ++i)
        log.report(event(), "a", at(i * 10ms));
    CHECK(printed(log) == 1);
    CHECK(log.next_deadline() == at(EventLog::quiet_time).mono);
    log.report(event(), "a", at(EventLog::quiet_time));
    const auto next = log.next_event();
    REQUIRE(next.has_value());
    CHECK(next->suppressed == 99);
    CHECK(next->wall == at(EventLog::quiet_time).wall.time_since_epoch());
    CHECK(log.next_deadline() == MonoTime::max());
}

TEST_CASE("a count goes out by itself when the quiet time is over") {
    EventLog log;
    for (int i = 0; i < 5; ++i)
        log.report(event(), "a", at(1s));
    CHECK(printed(log) == 1);
    log.tick(at(1s + EventLog::quiet_time - 1ms));
    CHECK(printed(log) == 0);
    log.tick(at(1s + EventLog::quiet_time));
    const auto last = log.next_event();
    REQUIRE(last.has_value());
    CHECK(last->suppressed == 3);  // four were held back, this is one of them
    log.tick(at(1h));
    CHECK(printed(log) == 0);
}

TEST_CASE("other kinds and other subjects are not held back") {
    EventLog log;
    log.report(event(), "a", at(0s));
    log.report(event(), "b", at(0s));
    log.report(event(EventKind::SampleLost), "a", at(0s));
    log.report_always(event(), at(0s));
    log.report_always(event(), at(0s));
    CHECK(printed(log) == 5);
}

TEST_CASE("very many subjects are limited together") {
    EventLog log;
    for (std::size_t i = 0; i < 2 * EventLog::max_subjects; ++i)
        log.report(event(), std::to_string(i), at(0s));
    CHECK(printed(log) == static_cast<int>(EventLog::max_subjects) + 1);
    log.tick(at(2 * EventLog::quiet_time));
    CHECK(printed(log) == 1);
    log.tick(at(4 * EventLog::quiet_time));  // silent ones are forgotten
    log.report(event(), "new", at(4 * EventLog::quiet_time));
    CHECK(printed(log) == 1);
}

TEST_CASE("the latest events are kept, oldest first") {
    EventLog log;
    for (std::size_t i = 0; i < EventLog::kept + 10; ++i) {
        log.report_always(make_event(EventKind::SampleLost, {{"count", std::to_string(i)}}),
                          at(0s));
    }
    const auto latest = log.latest();
    REQUIRE(latest.size() == EventLog::kept);
    CHECK(latest.front().fields.front().second == "10");
    CHECK(latest.back().fields.front().second == std::to_string(EventLog::kept + 9));
}
