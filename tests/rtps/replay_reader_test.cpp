// One late reader: what it is sent, how much at a time, and what happens when something is lost.
#include "replay_fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const Guid reader = ReplayUnderTest::reader_of(1);

std::size_t octets(const Sent& sent) {
    std::size_t sum = 0;
    for (const Buffer& datagram : sent.datagrams)
        sum += datagram.size();
    return sum;
}

}  // namespace

TEST_CASE("first contact begins with an empty range, then the history, then the question") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 11, 13);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(sent.order.substr(0, 4) == "HDDD");
    CHECK(sent.heartbeats.front().last == sn(0));
    CHECK(sent.heartbeats.front().final);
    CHECK(numbers(sent) == "1 2 3");
    CHECK(sent.heartbeats.back().last == sn(3));
    CHECK_FALSE(sent.heartbeats.back().final);
    for (const wire::Data& data : sent.data)
        CHECK(data.reader == reader.entity);

    CHECK_FALSE(replay.complete(reader));
    replay.acknack(reader, 4);
    CHECK(replay.complete(reader));
    CHECK(replay.writer.next_completed()->reader == reader);
    CHECK_FALSE(replay.writer.next_completed().has_value());
}

TEST_CASE("until a HEARTBEAT is confirmed every HEARTBEAT is preceded by an empty one") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.acknack(reader, 1, {}, false);
    CHECK(replay.sent().empty());  // before its turn it is shown nothing
    replay.begin(reader, 1, 2);
    replay.serve_reads();
    replay.tick();
    std::ignore = replay.sent();
    replay.acknack(reader, 1, {}, false);
    CHECK(ranges(replay.sent()) == "1-0f 1-2");
    replay.acknack(reader, 1, {1}, true);
    const Sent repaired = replay.sent();
    CHECK(numbers(repaired) == "1");
    CHECK(ranges(repaired) == "1-2");
}

TEST_CASE("no more than a window is sent ahead of what is acknowledged") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 1'000, 1'000);
    replay.serve_reads();
    replay.run(0s);
    const Sent first = replay.sent();
    const rtps::ReplayOptions options;
    CHECK(octets(first) > options.window * 9 / 10);
    CHECK(octets(first) < options.window + 3 * options.max_datagram);
    const auto sent_up_to = static_cast<std::int64_t>(first.data.size());
    CHECK(sent_up_to < 150);
    // HEARTBEATs that ask for an answer come with every quarter of it.
    CHECK(std::ranges::count(first.heartbeats, false, &wire::Heartbeat::final) >= 4);

    replay.acknack(reader, sent_up_to / 2);
    replay.serve_reads();
    const Sent second = replay.sent();
    CHECK(second.data.size() > 40);
    CHECK(second.data.size() < 90);
    CHECK(second.data.front().number == sn(sent_up_to + 1));
}

TEST_CASE("a large history arrives whole, and payloads are read once and little ahead") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 2'000, 1'000);
    std::size_t read = replay.serve_reads();
    CHECK(read < 400);
    std::int64_t next = 1;
    for (int round = 0; round < 200 && !replay.complete(reader); ++round) {
        const Sent sent = replay.sent();
        for (const wire::Data& data : sent.data) {
            REQUIRE(data.number == sn(next));
            CHECK(std::ranges::equal(data.payload, replay.contents.at(static_cast<Arrival>(next))));
            ++next;
        }
        replay.acknack(reader, next);
        read += replay.serve_reads();
    }
    CHECK(replay.complete(reader));
    CHECK(next == 2'001);
    CHECK(read == 2'000);
}

TEST_CASE(
    "what was lost is sent again: from memory at first, not too often, then by reading it again") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 5);
    replay.serve_reads();
    replay.run(0s);
    std::ignore = replay.sent();

    replay.acknack(reader, 2, {2, 4});
    CHECK(replay.serve_reads() == 0);
    const Sent repaired = replay.sent();
    CHECK(numbers(repaired) == "2 4");
    CHECK(ranges(repaired) == "1-5");
    // The same request again within the interval brings a HEARTBEAT at most.
    replay.now += 5ms;
    for (int i = 0; i < 10; ++i)
        replay.acknack(reader, 2, {2, 4});
    CHECK(numbers(replay.sent()).empty());
    replay.now += 20ms;
    replay.acknack(reader, 2, {2});
    CHECK(numbers(replay.sent()) == "2");
}

TEST_CASE("a sample that was evicted meanwhile becomes a GAP") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.evicted = {2, 3};
    replay.begin(reader, 1, 5);
    replay.serve_reads();
    replay.run(0s);
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 4 5");
    CHECK(gaps(sent) == "2-2 3-3");
    replay.acknack(reader, 2, {2});
    CHECK(gaps(replay.sent()) == "2-2");
    replay.acknack(reader, 6);
    CHECK(replay.complete(reader));
}

TEST_CASE(
    "a large sample goes out in fragments under the window, and only the missing ones again") {
    ReplayUnderTest replay;
    const rtps::ReplayOptions options;
    replay.match(reader);
    replay.begin(reader, 1, 1, 8U << 20U);
    replay.serve_reads();
    replay.run(0s);
    const std::uint32_t total = ((8U << 20U) + 13'439U) / 13'440U;
    std::set<std::uint32_t> got;
    const auto take = [&] {
        const Sent sent = replay.sent();
        CHECK(octets(sent) < options.window + options.paced_octets + 4 * options.max_datagram);
        for (const wire::DataFrag& fragment : sent.data_frags) {
            CHECK(fragment.sample_size == (8U << 20U));
            CHECK(std::ranges::equal(fragment.payload,
                                     ByteView(replay.contents.at(1))
                                         .subspan(std::size_t{fragment.first.value - 1} * 13'440U,
                                                  fragment.payload.size())));
            got.insert(fragment.first.value);
        }
        return sent.data_frags.size();
    };
    const std::size_t first = take();
    CHECK(first >= 9);
    CHECK(first <= 11);
    // Fragment 3 was lost; what is confirmed makes room for the next ones.
    got.erase(3);
    replay.nack_frag(reader, 1, 3, {3});
    CHECK(take() >= 1);
    CHECK(got.contains(3));
    for (int round = 0; round < 400 && got.size() < total; ++round) {
        replay.now += 11ms;
        const std::uint32_t next = *got.rbegin() + 1;
        replay.nack_frag(reader, 1, next, {next});
        std::ignore = take();
    }
    CHECK(got.size() == total);
    replay.acknack(reader, 2);
    CHECK(replay.complete(reader));
}

TEST_CASE("a large sample that was begun goes out whole without a word of the reader") {
    ReplayUnderTest replay;
    const rtps::ReplayOptions options;
    replay.match(reader);
    replay.begin(reader, 1, 2, 8U << 20U);
    replay.serve_reads();
    replay.run(0s);
    CHECK(octets(replay.sent()) < options.window + 4 * options.max_datagram);
    std::size_t most = 0;
    std::set<std::uint32_t> got;
    Duration taken{};
    const std::uint32_t total = ((8U << 20U) + 13'439U) / 13'440U;
    for (; taken < 1s && got.size() < total - 10; taken += 1ms) {
        replay.run(1ms);
        const Sent sent = replay.sent();
        most = std::max(most, octets(sent));
        for (const wire::DataFrag& fragment : sent.data_frags) {
            CHECK(fragment.number == sn(1));
            CHECK(got.insert(fragment.first.value).second);
        }
    }
    CHECK(got.size() >= total - 11);
    CHECK(most < 2 * options.paced_octets);
    CHECK(taken > 100ms);
    CHECK(taken < 300ms);
    CHECK(replay.writer.status(reader)->owed == 2);
    CHECK(replay.writer.status(reader)->samples_sent == 1);
    CHECK(replay.writer.status(reader)->samples_acknowledged == 0);
    // The second one waits for the first to be acknowledged, for however long.
    replay.run(60s);
    Sent sent = replay.sent();
    CHECK(sent.data_frags.empty());
    CHECK(sent.datagrams.size() < 40);
    replay.acknack(reader, 2);
    sent = replay.sent();
    REQUIRE_FALSE(sent.data_frags.empty());
    CHECK(sent.data_frags.front().number == sn(2));
    CHECK(replay.writer.status(reader)->samples_sent == 2);
    CHECK(replay.writer.status(reader)->samples_acknowledged == 1);
    CHECK(octets(sent) < options.window + 4 * options.max_datagram);
}

TEST_CASE("a reader that never answers costs a window and a HEARTBEAT now and then") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 5'000, 1'000);
    replay.serve_reads();
    replay.run(0s);
    std::ignore = replay.sent();
    replay.run(60s);
    const Sent sent = replay.sent();
    CHECK(sent.data.empty());
    CHECK(sent.datagrams.size() < 40);
    CHECK(octets(sent) < 10'000);
}

TEST_CASE("nothing is sent when everything is acknowledged, nor to a reader that left") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 5);
    replay.serve_reads();
    replay.run(0s);
    replay.acknack(reader, 6);
    std::ignore = replay.sent();
    CHECK(replay.writer.next_deadline() == MonoTime::max());
    replay.run(10min);
    CHECK(replay.sent().empty());

    const Guid other = ReplayUnderTest::reader_of(2);
    replay.match(other);
    replay.begin(other, 1, 5);
    replay.writer.unmatch(other);
    replay.run(10min);
    CHECK(replay.sent().empty());
    CHECK_FALSE(replay.writer.next_read().has_value());
}

TEST_CASE("what a reader cannot know or want is ignored") {
    ReplayUnderTest replay;
    replay.match(reader);
    replay.begin(reader, 1, 3);
    replay.serve_reads();
    replay.run(0s);
    std::ignore = replay.sent();
    replay.acknack(reader, 100);
    CHECK_FALSE(replay.complete(reader));
    replay.acknack(ReplayUnderTest::reader_of(9), 4);
    replay.nack_frag(reader, 77, 1, {1});
    replay.nack_frag(reader, 1, 5, {5});
    const Sent sent = replay.sent();
    CHECK(sent.data.empty());
    CHECK(sent.data_frags.empty());
}

TEST_CASE("a best-effort reader is sent its history once, without questions") {
    ReplayUnderTest replay;
    replay.match(reader, false, false);
    replay.begin(reader, 1, 3);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2 3");
    CHECK(std::ranges::all_of(sent.heartbeats, &wire::Heartbeat::final));
    CHECK(replay.complete(reader));
    replay.run(1min);
    CHECK(replay.sent().empty());
}
