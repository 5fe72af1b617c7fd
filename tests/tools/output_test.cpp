#include "durabilityctl/output.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>

using namespace durability::ctl;
using namespace std::chrono_literals;

TEST_CASE("columns are as wide as their widest cell, counted in characters") {
    Table table({{"NAME"}, {"N", Align::right}, {"STATE"}});
    table.add({"größe", "1", "ok"});
    table.add({"a", "1000", ""});
    CHECK(table.to_text() ==
          "NAME      N  STATE\n"
          "größe     1  ok\n"
          "a      1000\n");
}

TEST_CASE("durations are shown in two units") {
    CHECK(human_duration(59s) == "59 s");
    CHECK(human_duration(185s) == "3 min 5 s");
    CHECK(human_duration(130min) == "2 h 10 min");
    CHECK(human_duration(99h) == "4 d 3 h");
}

TEST_CASE("times are local and name their zone") {
    REQUIRE(::setenv("TZ", "XST-2", 1) == 0);
    ::tzset();
    CHECK(local_time(1'700'000'000'250'000'000) == "2023-11-15 00:13:20.250 +0200");
    CHECK(local_time(-1) == "1970-01-01 01:59:59.999 +0200");
    REQUIRE(::unsetenv("TZ") == 0);
    ::tzset();
}
