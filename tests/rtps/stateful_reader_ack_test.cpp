// Acknowledgements and requests: what they say, when they are sent, and when they stop.
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

TEST_CASE("only what is committed is acknowledged, and what is received is not asked for") {
    ReaderUnderTest r;
    for (const std::int64_t number : {1, 2, 3, 5})
        r.data(number);
    r.heartbeat(1, 6);
    const Sent before = r.sent();
    REQUIRE(before.acknacks.size() == 1);
    CHECK(before.acknacks[0].state.base == sn(1));
    CHECK(members(before.acknacks[0].state) == std::vector<std::int64_t>{4, 6});
    CHECK_FALSE(before.acknacks[0].final);

    r.commit(2);
    const Sent after_commit = r.sent();
    REQUIRE(after_commit.acknacks.size() == 1);
    CHECK(after_commit.acknacks[0].state.base == sn(3));
}

TEST_CASE("no more can be committed than was received, and no commit is told twice") {
    ReaderUnderTest r;
    r.data(1);
    r.data(2);
    r.commit(1'000);
    r.commit(1'000);
    r.commit(1);

    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    CHECK(sent.acknacks[0].state.base == sn(3));
    CHECK(sent.acknacks[0].final);
}

TEST_CASE("a reader that acknowledges on receipt needs no commit") {
    ReaderUnderTest r({.ack = rtps::AckPolicy::on_receipt});
    r.data(1);
    r.data(2);
    r.heartbeat(1, 2);

    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    CHECK(sent.acknacks[0].state.base == sn(3));
    CHECK(sent.acknacks[0].final);
}

TEST_CASE("a HEARTBEAT is answered at once, a final one only when something is missing") {
    ReaderUnderTest r;
    r.data(1);
    r.heartbeat(1, 1, true);
    CHECK(r.sent().acknacks.empty());
    r.heartbeat(1, 1);
    CHECK(r.sent().acknacks.size() == 1);
    r.heartbeat(1, 2, true);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    CHECK(members(sent.acknacks[0].state) == std::vector<std::int64_t>{2});
}

TEST_CASE(
    "HEARTBEATs that can only be answered the same way within a millisecond get one answer more") {
    ReaderUnderTest r;
    r.data(1);
    for (int i = 0; i < 50; ++i)
        r.heartbeat(1, 1);
    CHECK(r.sent().acknacks.size() == 1);
    r.run_until(r.now + 2ms);
    CHECK(r.sent().acknacks.size() == 1);
    r.run_until(r.now + 1s);
    CHECK(r.sent().acknacks.empty());
}

TEST_CASE(
    "requests go no further than the last number announced and 256 behind the acknowledged ones") {
    ReaderUnderTest r;
    r.heartbeat(1, 1'000'000'000'000);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    const auto asked = members(sent.acknacks[0].state);
    REQUIRE(asked.size() == 256);
    CHECK(asked.front() == 1);
    CHECK(asked.back() == 256);
}

TEST_CASE(
    "when all that was asked for has come, the next window is asked for without a HEARTBEAT") {
    ReaderUnderTest r({.ack = rtps::AckPolicy::on_receipt});
    r.heartbeat(1, 300);
    CHECK(r.sent().acknacks.size() == 1);
    for (std::int64_t number = 1; number <= 256; ++number)
        r.data(number);
    CHECK(r.reader.next_deadline() <= r.now);
    r.run_until(r.now);

    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    const auto asked = members(sent.acknacks[0].state);
    CHECK(asked.front() == 257);
    CHECK(asked.back() == 300);
}

TEST_CASE("what is missing far behind uncommitted samples is asked for when commits reach it") {
    ReaderUnderTest r;
    for (std::int64_t number = 1; number <= 1'000; ++number)
        r.data(number);
    r.heartbeat(1, 1'001);
    const Sent first = r.sent();
    REQUIRE(first.acknacks.size() == 1);
    CHECK(first.acknacks[0].state.num_bits == 0);
    r.commit(900);
    const Sent second = r.sent();
    REQUIRE(second.acknacks.size() == 1);
    CHECK(second.acknacks[0].state.base == sn(901));
    CHECK(members(second.acknacks[0].state) == std::vector<std::int64_t>{1'001});
}

TEST_CASE("the same number is not asked for again within ten milliseconds, a new one is") {
    ReaderUnderTest r;
    r.heartbeat(1, 1);
    CHECK(members(r.sent().acknacks.at(0).state) == std::vector<std::int64_t>{1});
    r.now += 2ms;
    r.heartbeat(1, 2);
    CHECK(members(r.sent().acknacks.at(0).state) == std::vector<std::int64_t>{2});
    r.now += 15ms;
    r.heartbeat(1, 2);
    CHECK(members(r.sent().acknacks.at(0).state) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE(
    "unanswered requests are repeated more and more slowly, end, and begin again with a "
    "HEARTBEAT") {
    ReaderUnderTest r;
    r.heartbeat(1, 1);
    r.run_until(r.now + 1h);
    const std::size_t asked = r.sent().acknacks.size();
    CHECK(asked > 10);
    CHECK(asked <= 25);
    CHECK(r.reader.next_deadline() == MonoTime::max());

    r.heartbeat(1, 1);
    r.run_until(r.now + 1h);
    CHECK(r.sent().acknacks.size() > 10);
}

TEST_CASE("a lost ACKNACK or HEARTBEAT is made good by the repair timer") {
    ReaderUnderTest r;
    r.data(1);
    r.heartbeat(1, 2);
    (void)r.sent();  // lost
    r.run_until(r.now + 30ms);
    const Sent again = r.sent();
    REQUIRE_FALSE(again.acknacks.empty());
    CHECK(members(again.acknacks[0].state) == std::vector<std::int64_t>{2});
    r.data(2);
    CHECK(r.delivered() == "1 2");
    r.run_until(r.now + 1h);
    CHECK(r.sent().acknacks.empty());
}

TEST_CASE("pre-emptive ACKNACKs go on with back-off until the first HEARTBEAT") {
    ReaderUnderTest r;
    r.run_until(r.now + 100ms);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 4);  // at 0, 10, 30 and 70 ms
    for (const wire::AckNack& acknack : sent.acknacks) {
        CHECK(acknack.state.base == sn(1));
        CHECK(acknack.state.num_bits == 0);
        CHECK_FALSE(acknack.final);
        CHECK(acknack.count >= 1);
    }
    r.heartbeat(1, 0, true);
    r.run_until(r.now + 1h);
    CHECK(r.sent().empty());
}

TEST_CASE("pre-emptive ACKNACKs to a writer that never answers come to an end") {
    ReaderUnderTest r;
    r.run_until(r.now + 1h);
    CHECK(r.sent().acknacks.size() == 30);
    CHECK(r.reader.next_deadline() == MonoTime::max());
}

TEST_CASE(
    "a pre-emptive ACKNACK has base 0 for Fast DDS, and both bases when it may know the reader") {
    ReaderUnderTest fresh({}, {}, vendor::eprosima);
    fresh.run_until(fresh.now + 15ms);
    const Sent to_fresh = fresh.sent();
    REQUIRE(to_fresh.acknacks.size() == 2);
    CHECK(to_fresh.acknacks[0].state.base == sn(0));
    CHECK(to_fresh.acknacks[1].state.base == sn(0));

    ReaderUnderTest returned({}, {.expects_resume = true}, vendor::eprosima);
    returned.run_until(returned.now + 15ms);
    const Sent to_returned = returned.sent();
    REQUIRE(to_returned.acknacks.size() == 2);
    CHECK(to_returned.acknacks[0].state.base == sn(0));
    CHECK(to_returned.acknacks[1].state.base == sn(1));
}

TEST_CASE("counts begin where they are told to, grow with every message and are never 0") {
    ReaderUnderTest r({.first_count = -2});
    r.run_until(r.now + 15ms);
    r.heartbeat(1, 1);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 3);
    CHECK(sent.acknacks[0].count == -2);
    CHECK(sent.acknacks[1].count == -1);
    CHECK(sent.acknacks[2].count == 1);
}

TEST_CASE("messages are addressed to the writer and its participant") {
    ReaderUnderTest r;
    r.heartbeat(1, 1);
    const Sent sent = r.sent();
    REQUIRE(sent.acknacks.size() == 1);
    CHECK(sent.acknacks[0].reader == reader_entity);
    CHECK(sent.acknacks[0].writer == writer_entity);
    CHECK(sent.destinations[0] == prefix(1));
    CHECK(sent.to[0] == destination(1)->locators);
}

TEST_CASE("a sample that never comes while the writer goes on answering is given up in the end") {
    rtps::ReaderOptions options;
    options.limits.give_up_rounds = 10;
    options.limits.give_up_after = 5s;
    ReaderUnderTest r(options);
    r.data(2, bytes(8));
    for (int i = 0; i < 40; ++i) {
        r.heartbeat(1, 2);
        r.run_until(r.now + 100ms);
    }
    CHECK(r.delivered().empty());
    for (int i = 0; i < 40; ++i) {
        r.heartbeat(1, 2);
        r.run_until(r.now + 100ms);
    }
    CHECK(r.delivered() == "{1-1} 2");
    CHECK(r.status().lost == 1);
}

TEST_CASE("silence of the writer is no reason to give anything up") {
    rtps::ReaderOptions options;
    options.limits.give_up_rounds = 10;
    options.limits.give_up_after = 5s;
    ReaderUnderTest r(options);
    r.heartbeat(1, 2);
    r.run_until(r.now + 24h);
    r.heartbeat(1, 2);
    r.run_until(r.now + 1s);
    CHECK(r.delivered().empty());
    r.data(1);
    CHECK(r.delivered() == "1");
}
