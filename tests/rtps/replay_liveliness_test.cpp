// A replay writer of liveliness MANUAL_BY_TOPIC says that it is alive, and misleads nobody by it.
#include "replay_fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const Guid first = ReplayUnderTest::reader_of(1, 1);
const Guid second = ReplayUnderTest::reader_of(1, 2);
const Guid elsewhere = ReplayUnderTest::reader_of(2, 1);

struct AliveByTopic : ReplayUnderTest {
    AliveByTopic() { writer.assert_liveliness_every(100ms); }

    void serve(const Guid& reader) {
        match(reader);
        begin(reader, 1, 3);
        serve_reads();
        run(0s);
        acknack(reader, 4);
        std::ignore = sent();
    }
    // HEARTBEATs with the flag in the next second.
    std::vector<wire::Heartbeat> assertions() {
        run(1s);
        std::vector<wire::Heartbeat> found;
        for (const wire::Heartbeat& heartbeat : sent().heartbeats) {
            if (heartbeat.liveliness) found.push_back(heartbeat);
        }
        return found;
    }
};

}  // namespace

TEST_CASE("a process that has everything is told that the writer lives, and nothing new") {
    AliveByTopic replay;
    replay.serve(first);
    replay.serve(elsewhere);
    const auto assertions = replay.assertions();
    CHECK(assertions.size() >= 20);
    CHECK(assertions.size() <= 24);
    for (const wire::Heartbeat& heartbeat : assertions) {
        CHECK(heartbeat.first == sn(1));
        CHECK(heartbeat.last == sn(3));
        CHECK(heartbeat.final);
    }
}

TEST_CASE("a reader that has not begun hears of an empty range") {
    AliveByTopic replay;
    replay.match(first);
    const auto assertions = replay.assertions();
    REQUIRE_FALSE(assertions.empty());
    for (const wire::Heartbeat& heartbeat : assertions)
        CHECK(heartbeat.last == sn(0));
}

TEST_CASE("readers that share a position are not told while one of them is not as far as others") {
    AliveByTopic replay;
    replay.serve(first);
    replay.match(second);
    CHECK(replay.assertions().empty());
    replay.begin(second, 1, 3);
    replay.serve_reads();
    replay.acknack(second, 4);
    std::ignore = replay.sent();
    CHECK_FALSE(replay.assertions().empty());
}

TEST_CASE("a writer that need not say that it lives is silent at rest") {
    AliveByTopic replay;
    replay.serve(first);
    replay.writer.assert_liveliness_every(infinite_duration);
    replay.run(10s);
    CHECK(replay.sent().heartbeats.empty());
}
