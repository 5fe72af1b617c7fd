#include "daemon/watchdog.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;

TEST_CASE("all is well at half the interval as long as every thread comes round") {
    Watchdog watchdog(30s);
    MonoTime now{1h};
    for (int i = 0; i < 3; ++i) {
        const auto step = watchdog.look({}, now);
        CHECK(step.ping);
        CHECK(step.late.empty());
        CHECK(step.next == now + 15s);
        now = step.next;
    }
}

TEST_CASE("a thread that is late is named once, looked at often, and forgiven when it moves") {
    Watchdog watchdog(32s);
    MonoTime now{1h};
    CHECK(watchdog.look({}, now).ping);
    now += 16s;
    auto step = watchdog.look({"store"}, now);
    CHECK_FALSE(step.ping);
    CHECK(step.late == std::vector<std::string>{"store"});
    CHECK(step.next == now + 1s);
    step = watchdog.look({"cleanup", "store"}, step.next);
    CHECK_FALSE(step.ping);
    CHECK(step.late == std::vector<std::string>{"cleanup"});
    step = watchdog.look({}, step.next);
    CHECK(step.ping);
    CHECK(watchdog.look({"store"}, step.next).late == std::vector<std::string>{"store"});
}
