// Order, exactly once, GAPs and lost ranges, start and resume, what happens when the writer goes.
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

TEST_CASE("samples are delivered in order, each once, whatever order and number they arrive in") {
    ReaderUnderTest r;
    for (const std::int64_t number : {1, 3, 3, 5, 2, 2, 1, 4, 5, 6})
        r.data(number);

    CHECK(r.delivered() == "1 2 3 4 5 6");
    CHECK(r.status().duplicates == 4);
    CHECK(r.status().samples == 6);
}

TEST_CASE("a sample that waited keeps its bytes when its datagram is gone") {
    ReaderUnderTest r;
    Buffer datagram = bytes(40, 3);
    const Buffer copy = datagram;
    wire::Data early = data(2, ByteView(datagram).first(36));
    early.inline_qos = ByteView(datagram).subspan(36);
    r.reader.on_data(r.writer, early, Timestamp{7, 8}, r.now, r.samples);
    std::fill(datagram.begin(), datagram.end(), std::uint8_t{0xee});
    r.data(1);

    REQUIRE(r.samples.size() == 2);
    const rtps::ReceivedSample& second = r.samples[1];
    CHECK(Buffer(second.payload.view().begin(), second.payload.view().end()) ==
          Buffer(copy.begin(), copy.begin() + 36));
    CHECK(Buffer(second.inline_qos.begin(), second.inline_qos.end()) ==
          Buffer(copy.begin() + 36, copy.end()));
    CHECK(second.source_timestamp == Timestamp{7, 8});
}

TEST_CASE("a GAP skips its range and its list, and a sample that came all the same is kept") {
    ReaderUnderTest r;
    r.heartbeat(1, 12);
    r.data(1);
    r.data(4);
    r.data(9);
    r.gap(2, 6, {7, 8, 10});
    CHECK(r.delivered() == "1 [2-3] 4 [5-5]");

    r.data(6);
    CHECK(r.delivered() == "6 [7-8] 9 [10-10]");
    CHECK(r.status().received == sn(10));
    CHECK(r.status().lost == 0);
}

TEST_CASE("a GAP or HEARTBEAT of any range costs the same") {
    ReaderUnderTest r;
    r.heartbeat(1, 4'000'000'000'000'000'000);
    r.gap(1, 3'999'999'999'999'999'999);
    CHECK(r.delivered() == "[1-3999999999999999998]");
    CHECK(r.status().missing == 2);
    r.heartbeat(4'000'000'000'000'000'000, 4'000'000'000'000'000'000);
    r.data(4'000'000'000'000'000'000);

    CHECK(r.delivered() == "{3999999999999999999-3999999999999999999} 4000000000000000000");
    CHECK(r.reader.held_bytes() == 0);
}

TEST_CASE("numbers the writer no longer has are lost once its DATA agrees with its HEARTBEAT") {
    ReaderUnderTest r;
    r.data(1);
    r.heartbeat(5, 6);
    CHECK(r.delivered() == "1");
    r.data(5);

    CHECK(r.delivered() == "{2-4} 5");
    CHECK(r.status().lost == 3);
}

TEST_CASE("numbers the writer no longer has are lost once a second HEARTBEAT says so") {
    ReaderUnderTest r;
    r.heartbeat(101, 100);
    CHECK(r.delivered().empty());
    r.heartbeat(101, 100);

    CHECK(r.delivered() == "{1-100}");
    CHECK(r.status().received == sn(100));
}

TEST_CASE("a reader without interest in history begins behind the first HEARTBEAT") {
    ReaderUnderTest r({}, {.wants_history = false});
    r.heartbeat(1, 20);
    for (const std::int64_t number : {1, 20, 21})
        r.data(number);

    CHECK(r.delivered() == "21");
    CHECK(r.status().lost == 0);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    CHECK(sent.acknacks[0].state.base == sn(21));
    CHECK(sent.acknacks[0].final);
}

TEST_CASE("without history, what arrives before the first HEARTBEAT is the beginning") {
    ReaderUnderTest r({}, {.wants_history = false});
    r.data(18);
    r.data(20);
    CHECK(r.delivered().empty());
    r.heartbeat(1, 20);
    r.data(19);

    CHECK(r.delivered() == "18 19 20");
}

TEST_CASE("a resumed reader takes nothing that is stored and asks for what follows") {
    ReaderUnderTest r({},
                      {.resume_after = sn(100), .wants_history = false, .expects_resume = true});
    r.run_until(r.now);
    const Sent hello = r.sent();
    REQUIRE(hello.acknacks.size() == 1);
    CHECK(hello.acknacks[0].state.base == sn(101));
    CHECK_FALSE(hello.acknacks[0].final);

    r.heartbeat(90, 102);
    const Sent asked = r.sent();
    REQUIRE(asked.acknacks.size() == 1);
    CHECK(members(asked.acknacks[0].state) == std::vector<std::int64_t>{101, 102});
    for (const std::int64_t number : {99, 100, 101, 102})
        r.data(number);
    CHECK(r.delivered() == "101 102");
}

TEST_CASE(
    "a writer that counts from the start again is reported and not acknowledged beyond its end") {
    ReaderUnderTest r({}, {.resume_after = sn(100)});
    r.heartbeat(1, 3);

    CHECK(r.status().numbering_restarted);
    CHECK(r.sent().acknacks.empty());

    r.reader.match(r.writer, destination(), {}, r.now);
    r.heartbeat(1, 3);
    r.data(1);
    CHECK(r.delivered() == "1");
}

TEST_CASE("a HEARTBEAT overtaken by DATA is no restart, one that keeps saying so is") {
    ReaderUnderTest r;
    for (std::int64_t number = 1; number <= 10; ++number)
        r.data(number);
    r.commit(10);
    r.heartbeat(1, 9);
    CHECK_FALSE(r.status().numbering_restarted);
    r.now += 600ms;
    r.heartbeat(1, 3);
    CHECK(r.status().numbering_restarted);
}

TEST_CASE("a writer that has dropped what it wrote last is acknowledged on") {
    ReaderUnderTest r;
    for (std::int64_t number = 1; number <= 6; ++number)
        r.data(number);
    r.commit(6);
    std::ignore = r.delivered();
    r.heartbeat(1, 5);
    r.now += 600ms;
    r.heartbeat(1, 5);
    REQUIRE(r.status().numbering_restarted);
    std::ignore = r.sent();
    r.reader.deny_restart(r.writer, r.now, r.out);
    const Sent answer = r.sent();
    REQUIRE(answer.acknacks.size() == 1);
    CHECK(answer.acknacks[0].state.base == sn(7));
    r.now += 600ms;
    r.heartbeat(1, 5);
    CHECK_FALSE(r.status().numbering_restarted);
    // Once it has written again the same rules hold as before.
    r.data(7);
    r.commit(7);
    r.heartbeat(1, 3);
    r.now += 600ms;
    r.heartbeat(1, 3);
    CHECK(r.status().numbering_restarted);
}

TEST_CASE("what a vanished writer left behind is delivered or forgotten, as asked for") {
    ReaderUnderTest r;
    r.heartbeat(1, 9);
    r.gap(5, 6);
    for (const std::int64_t number : {1, 3, 8})
        r.data(number, bytes(10));
    CHECK(r.delivered() == "1");

    SECTION("delivered, the holes as lost") {
        r.reader.unmatch(r.writer, r.samples);
        CHECK(r.delivered() == "{2-2} 3 {4-4} [5-5] {6-7} 8");
    }
    SECTION("forgotten") {
        r.reader.unmatch(r.writer);
    }
    CHECK_FALSE(r.reader.matched(r.writer));
    CHECK(r.reader.held_bytes() == 0);
    r.data(2);
    r.heartbeat(1, 9);
    CHECK(r.delivered().empty());
}

TEST_CASE("a writer that is not matched changes nothing") {
    ReaderUnderTest r;
    const Guid stranger = remote_writer(2);
    r.reader.on_data(stranger, data(1, {}), {}, r.now, r.samples);
    r.reader.on_gap(stranger, gap(1, 5), r.now, r.samples);
    wire::Heartbeat heartbeat;
    heartbeat.last = sn(3);
    heartbeat.count = 1;
    r.reader.on_heartbeat(stranger, heartbeat, r.now, r.out, r.samples);
    r.reader.committed(stranger, sn(4), r.now, r.out);

    CHECK(r.samples.empty());
    CHECK(r.sent().empty());
    CHECK_FALSE(r.reader.status(stranger));
}

TEST_CASE("a GAP that is ahead of its HEARTBEAT is believed when that follows at once, not later") {
    ReaderUnderTest r;
    r.data(1);
    r.gap(2, 1'000);
    CHECK(r.delivered() == "1");
    SECTION("at once") {
        r.heartbeat(1, 500);
        CHECK(r.delivered() == "[2-500]");
    }
    SECTION("later") {
        r.now += 200ms;
        r.heartbeat(1, 500);
        CHECK(r.delivered().empty());
        r.data(2);
        CHECK(r.delivered() == "2");
    }
}
