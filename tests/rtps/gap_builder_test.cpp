#include "rtps/gap_builder.hpp"

#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

SequenceRange range(std::int64_t first, std::int64_t last) {
    return {{first}, {last}};
}

}  // namespace

TEST_CASE("ranges that follow each other are one GAP without a list") {
    rtps::GapBuilder gaps(reader_entity, writer_entity);
    CHECK_FALSE(gaps.add(range(5, 9)));
    CHECK_FALSE(gaps.add(range(10, 1'000'000)));

    const auto gap = gaps.finish();

    REQUIRE(gap);
    CHECK(gap->start == sn(5));
    CHECK(gap->list.base == sn(1'000'001));
    CHECK(gap->list.num_bits == 0);
    CHECK(gap->reader == reader_entity);
    CHECK_FALSE(gaps.finish());
}

TEST_CASE("numbers close behind the range go into the list of the same GAP") {
    rtps::GapBuilder gaps(reader_entity, writer_entity);
    CHECK_FALSE(gaps.add(range(5, 9)));
    CHECK_FALSE(gaps.add(range(12, 13)));
    CHECK_FALSE(gaps.add(range(265, 265)));

    const auto gap = gaps.finish();

    REQUIRE(gap);
    CHECK(gap->list.base == sn(10));
    CHECK(members(gap->list) == std::vector<std::int64_t>{12, 13, 265});
}

TEST_CASE("what does not fit into the window starts the next GAP") {
    rtps::GapBuilder gaps(reader_entity, writer_entity);
    CHECK_FALSE(gaps.add(range(5, 9)));

    const auto first = gaps.add(range(12, 266));
    const auto second = gaps.finish();

    REQUIRE(first);
    CHECK(first->start == sn(5));
    REQUIRE(second);
    CHECK(second->start == sn(12));
    CHECK(second->list.base == sn(267));
}

TEST_CASE("an empty range changes nothing") {
    rtps::GapBuilder gaps(reader_entity, writer_entity);
    CHECK_FALSE(gaps.add(range(5, 4)));
    CHECK_FALSE(gaps.finish());
}
