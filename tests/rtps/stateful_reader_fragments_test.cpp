// Large samples: assembled, asked for fragment by fragment, refused when too large.
#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::test;

namespace {

struct Large : ReaderUnderTest {
    using ReaderUnderTest::ReaderUnderTest;
    void frag(std::int64_t number,
              std::uint32_t first,
              std::uint16_t frags = 1,
              Timestamp timestamp = {}) {
        reader.on_data_frag(
            writer, fragment(number, sample, 100, first, frags), timestamp, now, samples);
    }
    Buffer sample = bytes(950, 5);  // ten fragments, the last one short
};

}  // namespace

TEST_CASE("fragments in any order make the sample, with time and inline QoS of the first one") {
    Large r;
    r.frag(1, 10, 1, Timestamp{9, 9});
    r.frag(1, 4, 6);
    wire::DataFrag first = fragment(1, r.sample, 100, 1, 3);
    const Buffer qos = {1, 0, 0, 0};
    first.inline_qos = qos;
    r.reader.on_data_frag(r.writer, first, Timestamp{1, 2}, r.now, r.samples);

    REQUIRE(r.samples.size() == 1);
    CHECK(std::ranges::equal(r.samples[0].payload.view(), r.sample));
    CHECK(r.samples[0].source_timestamp == Timestamp{1, 2});
    CHECK(std::ranges::equal(r.samples[0].inline_qos, qos));
    CHECK(r.samples[0].payload_kind == PayloadKind::data);
    CHECK(r.reader.assembly_bytes() == 0);
}

TEST_CASE(
    "a sample that is partly here is asked for by fragments, in the answer to the HEARTBEAT") {
    Large r;
    r.frag(1, 1);
    r.frag(1, 4);
    r.heartbeat(1, 2);

    const Sent sent = r.sent();
    CHECK(sent.order == "AN");
    CHECK(members(sent.acknacks[0].state) == std::vector<std::int64_t>{2});
    REQUIRE(sent.nack_frags.size() == 1);
    CHECK(sent.nack_frags[0].number == sn(1));
    CHECK(members(sent.nack_frags[0].state) == std::vector<std::uint32_t>{2, 3, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("a HEARTBEAT_FRAG asks for what should have come by then") {
    Large r;
    r.frag(1, 1);
    r.frag(1, 3);
    wire::HeartbeatFrag heartbeat_frag;
    heartbeat_frag.number = sn(1);
    heartbeat_frag.last = FragmentNumber{5};
    heartbeat_frag.count = 1;
    r.reader.on_heartbeat_frag(r.writer, heartbeat_frag, r.now, r.out);
    CHECK(members(r.sent().nack_frags.at(0).state) == std::vector<std::uint32_t>{2, 4, 5});

    // Nothing of the next one has come yet.
    heartbeat_frag.number = sn(2);
    heartbeat_frag.count = 2;
    r.reader.on_heartbeat_frag(r.writer, heartbeat_frag, r.now, r.out);
    const Sent sent = r.sent();
    REQUIRE(sent.nack_frags.size() == 1);
    CHECK(sent.nack_frags[0].number == sn(2));
    CHECK(members(sent.nack_frags[0].state) == std::vector<std::uint32_t>{1, 2, 3, 4, 5});
}

TEST_CASE("a sample of many fragments is fetched in windows of 256, from fragment 1 on") {
    Large r;
    r.sample = bytes(60'000, 1);  // 600 fragments
    r.heartbeat(1, 1);
    CHECK(members(r.sent().acknacks.at(0).state) == std::vector<std::int64_t>{1});
    r.frag(1, 1);  // as Cyclone DDS answers
    r.now += 15ms;
    r.heartbeat(1, 1);
    int rounds = 0;
    std::size_t asked = 0;
    for (; rounds < 10 && r.samples.empty(); ++rounds) {
        const Sent sent = r.sent();
        for (const wire::NackFrag& nack : sent.nack_frags) {
            CHECK(nack.state.num_bits <= 256);
            for (const std::uint32_t number : members(nack.state)) {
                ++asked;
                r.frag(1, number);
            }
        }
        r.run_until(r.now);
    }
    REQUIRE(r.samples.size() == 1);
    CHECK(std::ranges::equal(r.samples[0].payload.view(), r.sample));
    CHECK(rounds == 3);
    CHECK(asked == 599);
}

TEST_CASE("fragments that get lost on request are asked for again by the timer") {
    Large r;
    r.frag(1, 1);
    r.heartbeat(1, 1);
    (void)r.sent();
    r.run_until(r.now + 30ms);
    const Sent sent = r.sent();
    REQUIRE_FALSE(sent.nack_frags.empty());
    CHECK(members(sent.nack_frags[0].state).size() == 9);
}

TEST_CASE("large samples out of order wait for their predecessors") {
    Large r;
    r.frag(2, 1, 10);
    r.data(3);
    CHECK(r.samples.empty());
    r.frag(1, 1, 10);
    CHECK(r.delivered() == "1 2 3");
    CHECK(r.reader.held_bytes() == 0);
}

TEST_CASE("a sample beyond the size limit is given up as lost and holds nothing up") {
    rtps::ReaderOptions options;
    options.limits.fragments.sample_size = 500;
    Large r(options);
    r.frag(1, 1);
    r.data(2);
    CHECK(r.delivered() == "{1-1} 2");
    CHECK(r.status().lost == 1);
    r.heartbeat(1, 2);
    CHECK(r.sent().acknacks.at(0).state.num_bits == 0);
}

TEST_CASE("fragments of a delivered sample are duplicates and take no memory") {
    Large r;
    r.data(1);
    r.frag(1, 1);
    CHECK(r.reader.assembly_bytes() == 0);
    CHECK(r.status().duplicates == 1);
}
