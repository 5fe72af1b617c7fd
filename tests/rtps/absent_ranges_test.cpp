#include "rtps/absent_ranges.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace durability;
using rtps::AbsentRanges;
using Reason = AbsentRanges::Reason;

namespace {

SequenceRange range(std::int64_t first, std::int64_t last) {
    return {{first}, {last}};
}

}  // namespace

TEST_CASE("ranges that touch and have the same reason become one") {
    AbsentRanges ranges(8);
    ranges.insert(range(10, 19), Reason::irrelevant);
    ranges.insert(range(30, 39), Reason::irrelevant);
    ranges.insert(range(20, 29), Reason::irrelevant);

    CHECK(ranges.size() == 1);
    CHECK(ranges.at_or_above({1})->numbers == range(10, 39));
}

TEST_CASE("what is absent already keeps its reason") {
    AbsentRanges ranges(8);
    ranges.insert(range(10, 19), Reason::irrelevant);
    ranges.insert(range(1, 30), Reason::lost);

    CHECK(ranges.at_or_above({1})->numbers == range(1, 9));
    CHECK(ranges.at_or_above({1})->reason == Reason::lost);
    CHECK(ranges.at_or_above({10})->reason == Reason::irrelevant);
    CHECK(ranges.at_or_above({20})->numbers == range(20, 30));
    CHECK(ranges.count_in(range(5, 25)) == 21);
}

TEST_CASE("a range of any size is one entry") {
    AbsentRanges ranges(8);
    ranges.insert({{1}, max_sequence_number}, Reason::irrelevant);

    CHECK(ranges.size() == 1);
    ranges.erase_through({1'000'000'000'000});
    CHECK(ranges.at_or_above({1})->numbers.first == SequenceNumber{1'000'000'000'001});
}

TEST_CASE("beyond the bound the highest ranges are forgotten") {
    AbsentRanges ranges(3);
    for (const std::int64_t first : {50, 40, 30, 20, 10}) {
        ranges.insert(range(first, first), Reason::irrelevant);
    }

    CHECK(ranges.size() == 3);
    CHECK(ranges.count_in(range(1, 100)) == 3);
    CHECK(ranges.at_or_above({31}) == std::nullopt);
}

TEST_CASE("absent ranges agree with a set of numbers") {
    const std::uint32_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        AbsentRanges ranges(1000);
        std::set<std::int64_t> expected;
        std::int64_t erased = 0;
        for (int step = 0; step < 30; ++step) {
            const auto first = static_cast<std::int64_t>(random() % 100U) + 1;
            const auto last = first + static_cast<std::int64_t>(random() % 12U) - 1;
            ranges.insert(range(first, last),
                          random() % 2U == 0 ? Reason::irrelevant : Reason::lost);
            for (std::int64_t number = first; number <= last; ++number)
                expected.insert(number);
            if (random() % 8U == 0) {
                erased = static_cast<std::int64_t>(random() % 60U);
                ranges.erase_through({erased});
                expected.erase(expected.begin(), expected.upper_bound(erased));
            }
        }
        CHECK(ranges.count_in(range(1, 200)) == expected.size());
        for (std::int64_t number = 1; number <= 120; ++number) {
            const auto found = ranges.at_or_above({number});
            const bool absent = found && found->numbers.contains({number});
            REQUIRE(absent == (expected.count(number) != 0));
        }
    }
}
