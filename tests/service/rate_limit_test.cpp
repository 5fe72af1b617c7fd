#include "service/rate_limit.hpp"

#include "durability/config.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using service::RateLimit;
using namespace std::chrono_literals;

namespace {

constexpr MonoTime start{1h};

// Octets sent in `duration` by someone who sends `at_once` whenever that is allowed.
std::uint64_t sent_within(RateLimit& limit, Duration duration, std::uint64_t at_once) {
    std::uint64_t sent = 0;
    for (MonoTime time = start; time < start + duration;) {
        if (limit.credit(time) == 0) {
            if (limit.ready_at() <= time) FAIL("never ready");
            time = limit.ready_at();
            continue;
        }
        limit.spend(at_once, time);
        sent += at_once;
    }
    return sent;
}

}  // namespace

TEST_CASE("no more than the rate is sent, whatever the size of the pieces") {
    for (const std::uint64_t rate : {1'024ULL, 100'000ULL, 8'388'608ULL, 1'000'000'000ULL}) {
        for (const std::uint64_t piece : {1ULL, 700ULL, 64'000ULL, 16'000'000ULL}) {
            if (piece * 5'000'000 < rate * 10) continue;  // too many of them
            CAPTURE(rate, piece);
            RateLimit limit(rate);
            const std::uint64_t sent = sent_within(limit, 10s, piece);
            CHECK(sent >= std::min(rate * 9, rate * 10 - std::min(rate * 10, piece)));
            CHECK(sent <= rate * 10 + rate / 20 + piece + 1);
        }
    }
}

TEST_CASE("a pause earns a short burst only") {
    RateLimit limit(1'000'000);
    limit.spend(1'000'000, start);
    CHECK(limit.credit(start + 900ms) == 0);
    CHECK(limit.credit(start + 1h) <= 50'000);
    CHECK(limit.credit(start + 1h) >= 49'000);
}

TEST_CASE("what was not sent after all is given back") {
    RateLimit limit(1'000'000);
    limit.spend(1'000'000, start);
    limit.give_back(990'000);
    CHECK(limit.credit(start) > 0);
    limit.spend(100'000, start);
    CHECK(limit.credit(start) == 0);
    CHECK(limit.ready_at() > start + 50ms);
    CHECK(limit.ready_at() < start + 110ms);
}

TEST_CASE("without a limit there is always credit") {
    RateLimit limit(unlimited);
    limit.spend(1ULL << 40U, start);
    CHECK(limit.credit(start) == unlimited);
    CHECK(limit.ready_at() <= start);
}
