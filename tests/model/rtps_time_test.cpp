#include "model/rtps_time.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

using namespace durability;
using namespace std::chrono_literals;

TEST_CASE("durations convert to nanoseconds, rounded to nearest") {
    CHECK(to_duration(QosDuration{1, 0x80000000U}) == Duration(1500ms));
    CHECK(to_duration(QosDuration{0, 429496730}) == Duration(100ms));
    CHECK(to_duration(QosDuration{0, 1}) == Duration(0));
    CHECK(to_duration(QosDuration{0, 0xffffffffU}) == Duration(1s));
}

TEST_CASE("infinite stays infinite and negative becomes zero") {
    CHECK(infinite_qos_duration.infinite());
    CHECK(to_duration(infinite_qos_duration) == infinite_duration);
    CHECK(to_qos_duration(infinite_duration).infinite());
    CHECK(to_duration(QosDuration{-1, 0}) == Duration::zero());
    CHECK(to_qos_duration(Duration(-1s)) == QosDuration{});
    CHECK(to_qos_duration(std::chrono::hours(24 * 365 * 100)).infinite());
}

TEST_CASE("every number of nanoseconds survives the way to a duration and back") {
    std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same values in every run
    for (int i = 0; i < 10000; ++i) {
        const Duration value{static_cast<std::int64_t>(random() % 2'000'000'000'000'000'000ULL)};
        REQUIRE(to_duration(to_qos_duration(value)) == value);
    }
}

TEST_CASE("every wall time survives the way to a timestamp and back") {
    std::mt19937_64 random(8);  // NOLINT(cert-msc51-cpp): the same values in every run
    for (int i = 0; i < 10000; ++i) {
        const auto count = static_cast<std::int64_t>(random() % 4'000'000'000'000'000'000ULL) -
                           2'000'000'000'000'000'000LL;
        const WallTime time{Duration{count}};
        REQUIRE(to_wall_time(to_timestamp(time)) == time);
    }
}

TEST_CASE("only the reserved pattern means that there is no timestamp") {
    CHECK_FALSE(invalid_timestamp.valid());
    CHECK(Timestamp{0, 0}.valid());
    CHECK(Timestamp{-1, 0}.valid());
    CHECK(Timestamp{-1, 0xfffffffeU}.valid());
    CHECK(Timestamp{1, 2} < Timestamp{1, 3});
    CHECK(Timestamp{1, 3} < Timestamp{2, 0});
}

TEST_CASE("adding to a time stops at the end of time") {
    const MonoTime start{Duration(5s)};
    CHECK(after(start, Duration(1s)) == MonoTime{Duration(6s)});
    CHECK(after(start, infinite_duration) == MonoTime::max());
    CHECK(after(MonoTime::max() - 1s, Duration(2s)) == MonoTime::max());
}
