// Several readers of one process, several processes: whose numbers are whose (fact sheet 12.2).
#include "replay_fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const Guid first = ReplayUnderTest::reader_of(1, 1);
const Guid second = ReplayUnderTest::reader_of(1, 2);
const Guid elsewhere = ReplayUnderTest::reader_of(2, 1);

// `first` has the samples 1..3 as numbers 1..3.
struct FirstIsServed : ReplayUnderTest {
    FirstIsServed() {
        match(first);
        begin(first, 1, 3);
        serve_reads();
        run(0s);
        acknack(first, 4);
        std::ignore = sent();
    }
};

}  // namespace

TEST_CASE("a second reader of the process is sent the same numbers, without an empty range") {
    FirstIsServed replay;
    replay.match(second);
    replay.begin(second, 1, 3);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2 3");
    CHECK(ranges(sent) == "1-3");
    for (const wire::Data& data : sent.data)
        CHECK(data.reader == second.entity);
    CHECK(replay.complete(first));
}

TEST_CASE("while a reader that asks for history is expected, its sibling is shown no empty range") {
    ReplayUnderTest replay;
    replay.match(first);
    replay.writer.expect_single_reader(first.prefix);  // nobody has begun whom it could disturb
    replay.begin(first, 1, 2);
    replay.serve_reads();
    std::ignore = replay.sent();
    replay.writer.expect_single_reader(elsewhere.prefix);  // not known, and none of its business
    replay.acknack(first, 1, {}, false);
    CHECK(ranges(replay.sent()) == "1-0f 1-2");
    replay.writer.expect_single_reader(second.prefix);
    replay.acknack(first, 1, {}, false);
    CHECK(ranges(replay.sent()) == "1-2");
}

TEST_CASE("another process has numbers of its own") {
    FirstIsServed replay;
    replay.match(elsewhere);
    replay.begin(elsewhere, 2, 3);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2");
    CHECK(sent.heartbeats.front().last == sn(0));
    CHECK(replay.writer.numbers(elsewhere.prefix)->last() == sn(2));
    CHECK(replay.writer.numbers(first.prefix)->last() == sn(3));
}

TEST_CASE("what a reader is not to have is declared irrelevant to it alone") {
    FirstIsServed replay;
    replay.match(second);
    replay.begin(second, 3, 3);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(gaps(sent) == "1-2");
    CHECK(sent.gaps.front().reader == second.entity);
    CHECK(numbers(sent) == "3");
    replay.acknack(second, 1, {1, 2});
    CHECK(gaps(replay.sent()) == "1-2");
}

TEST_CASE("fresh numbers wait until the others of the process know that they are not theirs") {
    FirstIsServed replay;
    replay.match(second);
    replay.begin(second, 1, 5);  // 4 and 5 came live for the first
    replay.serve_reads();
    replay.run(0s);
    const Sent announced = replay.sent();
    CHECK(numbers(announced).empty());
    CHECK(gaps(announced) == "4-5");
    CHECK(announced.gaps.front().reader == first.entity);
    CHECK(ranges(announced) == "1-5");
    CHECK(announced.heartbeats.front().reader == first.entity);

    replay.acknack(second, 1, {}, false);
    CHECK(numbers(replay.sent()).empty());
    replay.acknack(first, 6);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2 3 4 5");
    CHECK(sent.heartbeats.back().reader == second.entity);
    replay.acknack(second, 6);
    CHECK(replay.complete(second));
    CHECK(replay.complete(first));
}

TEST_CASE(
    "the GAP is repeated when it was lost, and a broken reader does not hold up the others for "
    "ever") {
    FirstIsServed replay;
    replay.match(second);
    replay.begin(second, 1, 5);
    replay.serve_reads();
    replay.run(0s);
    std::ignore = replay.sent();
    replay.acknack(first, 4, {4, 5});
    CHECK(gaps(replay.sent()) == "4-5");
    replay.run(9s);
    CHECK(numbers(replay.sent()).empty());
    replay.run(2s);
    CHECK(numbers(replay.sent()) == "1 2 3 4 5");
}

TEST_CASE("a process whose readers keep a position each need not wait") {
    ReplayUnderTest replay;
    replay.match(first, false);
    replay.begin(first, 1, 3);
    replay.serve_reads();
    replay.run(0s);
    replay.acknack(first, 4);
    std::ignore = replay.sent();
    replay.match(second, false);
    replay.begin(second, 1, 5);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2 3 4 5");
    CHECK(gaps(sent).empty());
}

TEST_CASE(
    "a reader that is owed nothing is told so, and never shown an empty range in front of a GAP") {
    ReplayUnderTest replay;
    replay.match(first);
    replay.begin(first, 1, 0);
    replay.run(0s);
    const Sent nothing = replay.sent();
    CHECK(ranges(nothing) == "1-0f");
    CHECK(replay.complete(first));

    // The second of its process is still behind: an empty range would end its history before it
    // begins.
    replay.match(second);
    replay.begin(second, 1, 3);
    replay.serve_reads();
    replay.run(0s);
    const Sent announced = replay.sent();
    CHECK(gaps(announced) == "1-3");
    CHECK(ranges(announced) == "1-3");
    replay.acknack(first, 4);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(numbers(sent) == "1 2 3");
    CHECK(ranges(sent) == "1-3");
}

TEST_CASE("a process known from an earlier run is not shown an empty range again") {
    ReplayUnderTest replay;
    replay.writer.resume_process(first.prefix, rtps::ReplayNumbers(sn(20)));
    CHECK(replay.writer.process_contacted(first.prefix));
    replay.match(first);
    replay.begin(first, 1, 2);
    replay.serve_reads();
    const Sent sent = replay.sent();
    CHECK(gaps(sent) == "1-20");
    CHECK(numbers(sent) == "21 22");
    CHECK(ranges(sent) == "1-22");
}

TEST_CASE("a process that is gone takes its readers and numbers along") {
    FirstIsServed replay;
    replay.writer.forget_process(first.prefix);
    CHECK(replay.writer.reader_count() == 0);
    CHECK_FALSE(replay.writer.is_matched(first));
    CHECK_FALSE(replay.writer.process_contacted(first.prefix));
    CHECK(replay.writer.numbers(first.prefix) == nullptr);
    replay.acknack(first, 1, {1});
    replay.run(1min);
    CHECK(replay.sent().empty());
    // The numbers outlive a single reader: its process keeps its position.
    FirstIsServed other;
    other.writer.unmatch(first);
    CHECK(other.writer.numbers(first.prefix)->last() == sn(3));
    CHECK(other.writer.process_contacted(first.prefix));
}
