// Coherent sets on their way to a late reader: numbered anew, and ended.
#include "replay_fixture.hpp"

#include "wire/inline_qos.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const Guid reader = ReplayUnderTest::reader_of(1, 1);
const Guid second = ReplayUnderTest::reader_of(1, 2);

// "1 2:2 3:2 4:-": numbers, with the set each is in; - for what ends one.
std::string sets(const Sent& sent) {
    std::string text;
    for (const wire::Data& data : sent.data) {
        text += (text.empty() ? "" : " ") + std::to_string(data.number.value);
        if (data.inline_qos.empty()) continue;
        const auto qos = wire::decode_inline_qos(data.inline_qos, data.order);
        REQUIRE(qos.has_value());
        if (!qos->coherent_set) continue;
        const bool ends = *qos->coherent_set == wire::no_coherent_set;
        if (ends) CHECK(data.payload_kind() == PayloadKind::none);
        text += ":" + (ends ? "-" : std::to_string(qos->coherent_set->value));
    }
    return text;
}

// Arrivals 11 plain, 12 to 14 one set, 15 and 16 another.
struct WithSets : ReplayUnderTest {
    WithSets() { sets = {{12, 70}, {13, 70}, {14, 70}, {15, 73}, {16, 73}}; }
    void prepare(const Guid& to, std::vector<ArrivalRange> history, bool ends) {
        for (Arrival arrival = 11; arrival <= 16; ++arrival)
            contents.try_emplace(arrival, bytes(100, static_cast<std::uint8_t>(arrival)));
        writer.prepare(to, history, {}, ends);
        writer.begin(to, now);
        serve_reads();
        tick();
        serve_reads();
    }
};

}  // namespace

TEST_CASE("each sample of a set says the number of the first one that is sent") {
    WithSets replay;
    replay.match(reader, false);
    replay.prepare(reader, {{11, 16}}, false);
    CHECK(sets(replay.sent()) == "1 2:2 3:2 4:2 5:5 6:5");

    WithSets part;
    part.evicted = {12};
    part.match(reader, false);
    part.prepare(reader, {{12, 13}, {15, 15}}, false);
    CHECK(sets(part.sent()) == "2:2 3:3");
}

TEST_CASE("what is asked for again is of the same set, also when it has to be read again") {
    WithSets replay;
    replay.match(reader, false);
    replay.prepare(reader, {{11, 16}}, false);
    std::ignore = replay.sent();
    replay.now = replay.now + 1s;
    replay.acknack(reader, 3, {3, 4, 6});
    replay.serve_reads();
    CHECK(sets(replay.sent()) == "3:2 4:2 6:5");
}

TEST_CASE("an empty sample ends the last set where that is wanted, and counts for nothing") {
    for (const bool reliable : {true, false}) {
        WithSets replay;
        replay.match(reader, false, reliable);
        replay.prepare(reader, {{11, 13}}, true);
        CHECK(sets(replay.sent()) == "1 2:2 3:2 4:-");
        CHECK(replay.writer.status(reader)->owed == 3);
        CHECK(replay.writer.status(reader)->samples_sent == 3);
        if (!reliable) continue;
        replay.now = replay.now + 1s;
        replay.acknack(reader, 4, {4});
        CHECK(sets(replay.sent()) == "4:-");
        CHECK_FALSE(replay.complete(reader));
        CHECK(replay.writer.status(reader)->samples_acknowledged == 3);
        replay.acknack(reader, 5);
        CHECK(replay.complete(reader));
        // Its number is used up.
        replay.match(second, false);
        replay.prepare(second, {{11, 14}}, true);
        CHECK(sets(replay.sent()) == "1 2:2 3:2 5:2 6:-");
    }
}

TEST_CASE("with a share left open, the end comes with what is decided about that") {
    WithSets replay;
    replay.match(reader, false);
    for (Arrival arrival = 11; arrival <= 16; ++arrival)
        replay.contents.try_emplace(arrival, bytes(100, static_cast<std::uint8_t>(arrival)));
    const std::vector<ArrivalRange> owed{{11, 12}};
    const std::vector<ArrivalRange> open{{13, 14}};
    replay.writer.prepare(reader, owed, open, true);
    replay.writer.begin(reader, replay.now);
    replay.run(100ms);
    CHECK(sets(replay.sent()) == "1 2:2");
    const std::vector<ArrivalRange> send{{13, 13}};
    replay.acknack(reader, 3);
    replay.writer.close(reader, send, replay.now);
    replay.run(100ms);
    const Sent rest = replay.sent();
    CHECK(sets(rest).starts_with("3:2 5:-"));
    CHECK(gaps(rest) == "4-4");

    ReplayUnderTest nothing;
    nothing.match(reader, false);
    nothing.writer.prepare(reader, {}, {}, true);
    nothing.writer.begin(reader, nothing.now);
    nothing.run(100ms);
    CHECK(nothing.sent().data.empty());
}
