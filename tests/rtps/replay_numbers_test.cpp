// Numbers of one remote process: given out once, used again as long as order allows.
#include "rtps/replay_numbers.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace durability;
using namespace durability::rtps;

namespace {

std::vector<ArrivalRange> ranges(std::initializer_list<Arrival> arrivals) {
    std::vector<ArrivalRange> result;
    for (const Arrival arrival : arrivals)
        append(result, arrival);
    return result;
}
// "1-3 7-7 |4": what is owned, and the first number that was not used before.
std::string assigned(ReplayNumbers& numbers, std::initializer_list<Arrival> arrivals) {
    const auto assignment = numbers.assign(ranges(arrivals));
    std::string text;
    for (const SequenceRange& range : assignment.owned)
        text += fmt::format("{}-{} ", range.first.value, range.last.value);
    return text + fmt::format("|{}", assignment.first_fresh.value);
}
Arrival meaning(const ReplayNumbers& numbers, std::int64_t number) {
    return numbers.find(SequenceNumber{number}).value_or(0);
}

}  // namespace

TEST_CASE("the first reader of a process gets numbers from 1 in order of arrival") {
    ReplayNumbers numbers;
    CHECK(numbers.last() == SequenceNumber{0});
    CHECK(assigned(numbers, {10, 20, 30}) == "1-3 |1");
    CHECK(numbers.last() == SequenceNumber{3});
    CHECK(meaning(numbers, 2) == 20);
    for (const std::int64_t never : {-1, 0, 4, 1'000'000})
        CHECK_FALSE(numbers.find(SequenceNumber{never}).has_value());
}

TEST_CASE("a later reader is given the same numbers again") {
    ReplayNumbers numbers;
    assigned(numbers, {10, 20, 30, 40});
    CHECK(assigned(numbers, {10, 20, 30, 40}) == "1-4 |5");
    CHECK(assigned(numbers, {10, 30}) == "1-1 3-3 |5");
    CHECK(assigned(numbers, {}) == "|5");
    CHECK(numbers.last() == SequenceNumber{4});
}

TEST_CASE("a history without holes is one piece, whoever asks for which part of it") {
    ReplayNumbers numbers;
    const auto all = [&](Arrival first, Arrival last) {
        const ArrivalRange range{first, last};
        return numbers.assign(std::span(&range, 1)).owned;
    };
    using Owned = std::vector<SequenceRange>;
    CHECK(all(1, 1'000'000) == Owned{{SequenceNumber{1}, SequenceNumber{1'000'000}}});
    CHECK(all(500, 1'000'010) == Owned{{SequenceNumber{500}, SequenceNumber{1'000'010}}});
    REQUIRE(numbers.runs().size() == 1);
    CHECK(numbers.runs()[0] == ReplayNumbers::Run{{SequenceNumber{1}, 1, 1'000'010}});
    CHECK(meaning(numbers, 1'000'010) == 1'000'010);
}

TEST_CASE("a part that was given later numbers is taken from there") {
    ReplayNumbers numbers;
    CHECK(assigned(numbers, {11, 12, 13, 14, 15}) == "1-5 |1");
    // 10 in front: 13 and 14 get second numbers.
    CHECK(assigned(numbers, {10, 13, 14}) == "6-8 |6");
    CHECK(assigned(numbers, {11, 12, 13, 14}) == "1-2 7-8 |9");
    // 15 has only the old number, which is below those.
    CHECK(assigned(numbers, {11, 12, 13, 14, 15}) == "1-2 7-9 |9");
}

TEST_CASE("what the process never had gets the next numbers") {
    ReplayNumbers numbers;
    assigned(numbers, {10, 20});
    CHECK(assigned(numbers, {10, 20, 30, 40}) == "1-4 |3");
    CHECK(assigned(numbers, {20, 40, 50}) == "2-2 4-5 |5");
    CHECK(meaning(numbers, 5) == 50);
}

TEST_CASE("an old sample that turns up behind newer numbers is given a new one, and all after it") {
    ReplayNumbers numbers;
    assigned(numbers, {20, 30});
    // 10 was not owed to the first reader: number order has to stay arrival order.
    CHECK(assigned(numbers, {10, 20, 30}) == "3-5 |3");
    CHECK(meaning(numbers, 1) == 20);
    CHECK(meaning(numbers, 3) == 10);
    CHECK(meaning(numbers, 4) == 20);
    // The highest number of a sample counts from then on.
    CHECK(assigned(numbers, {20, 30}) == "4-5 |6");
    CHECK(assigned(numbers, {10, 20, 30, 40}) == "3-6 |6");
}

TEST_CASE("a hole filled in the middle renumbers only what follows it") {
    ReplayNumbers numbers;
    assigned(numbers, {10, 30, 40});
    CHECK(assigned(numbers, {10, 20, 30, 40}) == "1-1 4-6 |4");
    CHECK(meaning(numbers, 4) == 20);
}

TEST_CASE("a process known from an earlier run goes on above its old numbers") {
    ReplayNumbers numbers(SequenceNumber{100});
    CHECK(numbers.last() == SequenceNumber{100});
    CHECK_FALSE(numbers.find(SequenceNumber{50}).has_value());
    CHECK(assigned(numbers, {10, 20}) == "101-102 |101");
    CHECK(meaning(numbers, 101) == 10);
}

TEST_CASE("what the numbers of an earlier run meant can be given back") {
    ReplayNumbers before;
    assigned(before, {20, 30});
    assigned(before, {10, 20});
    ReplayNumbers after(before.runs(), before.last());
    CHECK(meaning(after, 2) == 30);
    CHECK(assigned(after, {10, 20}) == "3-4 |5");
}

TEST_CASE("numbers ascend with arrivals for every reader, whatever is asked in which order") {
    std::uint64_t state = 42;
    const auto random = [&] {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return state >> 33U;
    };
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        ReplayNumbers numbers;
        for (int reader = 0; reader < 6; ++reader) {
            std::vector<ArrivalRange> history;
            const std::uint64_t holes = 2 + random() % 9;
            for (Arrival arrival = 1; arrival <= 20; ++arrival) {
                if (random() % holes != 0) append(history, arrival);
            }
            const auto assignment = numbers.assign(history);
            std::vector<ArrivalRange> meant;
            SequenceNumber previous_last{0};
            for (const SequenceRange& range : assignment.owned) {
                CHECK(range.first > previous_last);
                for (SequenceNumber number = range.first; number <= range.last; ++number) {
                    REQUIRE(numbers.find(number).has_value());
                    append(meant, *numbers.find(number));
                }
                previous_last = range.last;
            }
            CHECK(meant == history);
        }
    }
}
