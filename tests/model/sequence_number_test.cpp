#include "model/sequence_number.hpp"

#include <catch2/catch.hpp>

using namespace durability;

TEST_CASE("ranges include both ends and are empty when the last comes before the first") {
    const SequenceRange range{{3}, {5}};
    CHECK_FALSE(range.empty());
    CHECK(range.contains({3}));
    CHECK(range.contains({5}));
    CHECK_FALSE(range.contains({2}));
    CHECK_FALSE(range.contains({6}));
    CHECK(SequenceRange{}.empty());
    CHECK_FALSE(SequenceRange{}.contains({1}));
    CHECK_FALSE(SequenceRange{}.contains({0}));
}

TEST_CASE("the largest accepted number has a successor") {
    CHECK(next(max_sequence_number) > max_sequence_number);
    CHECK(previous(next(max_sequence_number)) == max_sequence_number);
    SequenceNumber number{41};
    CHECK(++number == SequenceNumber{42});
}
