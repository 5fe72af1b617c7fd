// What became older than a live value while it was on its way to the reader.
#include "replay_fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const Guid reader = ReplayUnderTest::reader_of(1);

bool all(Timestamp /*source*/) {
    return true;
}

}  // namespace

TEST_CASE("what was read ahead and is replaced is declared irrelevant, of its instance only") {
    ReplayUnderTest replay;
    replay.instances = 2;
    replay.match(reader);
    replay.begin(reader, 1, 300, 1'000);
    replay.serve_reads();
    const Sent first = replay.sent();
    const auto sent = static_cast<std::int64_t>(first.data.size());
    REQUIRE(sent > 100);
    REQUIRE(sent < 200);
    // Odd arrivals are of instance 2, which is the one of odd numbers.
    CHECK(replay.writer.supersede(reader, 2, all, replay.now) > 100);
    CHECK(replay.writer.supersede(reader, 2, all, replay.now) == 0);
    replay.acknack(reader, sent + 1);
    const Sent second = replay.sent();
    REQUIRE(second.data.size() > 40);
    for (const wire::Data& data : second.data)
        CHECK(data.number.value % 2 == 0);
    REQUIRE(second.gaps.size() > 40);
    for (const wire::Gap& gap : second.gaps)
        CHECK(gap.start.value % 2 == 1);
}

TEST_CASE("what keeps its place is told by its source timestamp") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 300, 1'000);
    replay.serve_reads();
    const auto none = [](Timestamp source) { return source.valid(); };
    CHECK(replay.writer.supersede(reader, 1, none, replay.now) == 0);
    CHECK(replay.writer.supersede(ReplayUnderTest::reader_of(2), 1, all, replay.now) == 0);
}

TEST_CASE("what was sent, got lost and is replaced by now is not repeated") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 3);
    replay.serve_reads();
    REQUIRE(numbers(replay.sent()) == "1 2 3");
    CHECK(replay.writer.supersede(reader, 1, all, replay.now) == 3);
    replay.acknack(reader, 2, {2});
    const Sent repaired = replay.sent();
    CHECK(numbers(repaired).empty());
    CHECK(gaps(repaired) == "2-2");
    replay.acknack(reader, 4);
    CHECK(replay.complete(reader));
}

TEST_CASE("a large sample that was begun is not brought to its end") {
    ReplayUnderTest replay;
    replay.instances = 2;
    replay.match(reader);
    replay.begin(reader, 2, 2, 1'000'000);
    replay.serve_reads();
    const std::size_t begun = replay.sent().data_frags.size();
    REQUIRE(begun > 0);
    REQUIRE(begun < 50);
    CHECK(replay.writer.supersede(reader, 1, all, replay.now) == 1);
    replay.run(1s);
    const Sent after = replay.sent();
    CHECK(after.data_frags.empty());
    REQUIRE_FALSE(after.heartbeats.empty());
    CHECK(after.heartbeats.back().last == sn(1));
    // The reader asks for the rest of it.
    replay.nack_frag(reader, 1, 5, {5, 6, 7});
    CHECK(gaps(replay.sent()) == "1-1");
    replay.acknack(reader, 2);
    CHECK(replay.complete(reader));
}
