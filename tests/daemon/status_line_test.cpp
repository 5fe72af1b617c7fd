#include "daemon/status_line.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;
using runtime::Summary;

TEST_CASE("the line says what is served, and is given when it changes") {
    StatusLine line;
    Summary summary{14, 31, 4, 2'254'857'830, 1'000};
    const MonoTime start{1h};
    CHECK(line.update(summary, start) == "14 topics, 31 writers (4 retired), 2.1 GiB, 0 samples/s");
    CHECK_FALSE(line.update(summary, start + 1s).has_value());
    summary.samples += 1'660;
    CHECK(line.update(summary, start + 3s) ==
          "14 topics, 31 writers (4 retired), 2.1 GiB, 830 samples/s");
    CHECK(line.shows_rate());
    // Nothing came: it says so once more.
    CHECK(line.update(summary, start + 4s) ==
          "14 topics, 31 writers (4 retired), 2.1 GiB, 0 samples/s");
    CHECK_FALSE(line.shows_rate());
    CHECK(line.update({1, 1, 0, 17, 2'660}, start + 5s) == "1 topic, 1 writer, 17 B, 0 samples/s");
}

TEST_CASE("a domain that begins anew counts its samples from 0, and shows no rate for it") {
    StatusLine line;
    REQUIRE(line.update({1, 1, 0, 1'024, 500}, MonoTime{1h}).has_value());
    CHECK(line.update({2, 1, 0, 1'024, 3}, MonoTime{1h} + 1s) ==
          "2 topics, 1 writer, 1.0 KiB, 0 samples/s");
}
