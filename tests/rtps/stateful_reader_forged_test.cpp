// One forged message must not disable a genuine writer for good (R8.2), and bounds hold (R9.2).
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

constexpr std::int64_t far = 1'000'000'000'000'000;

// The genuine writer goes on: everything it sends arrives.
void goes_on(ReaderUnderTest& r, std::int64_t first, std::int64_t last) {
    r.now += 600ms;
    for (std::int64_t number = first; number <= last; ++number)
        r.data(number);
    r.heartbeat(1, last);
}

}  // namespace

TEST_CASE("a forged HEARTBEAT far ahead does not skip what the writer still sends") {
    ReaderUnderTest r;
    r.data(1);
    r.heartbeat_with_count(far, far, 0x7fffffff);
    goes_on(r, 2, 4);

    CHECK(r.delivered() == "1 2 3 4");
    CHECK(r.status().announced_last == sn(4));
    CHECK(r.status().missing == 0);
    CHECK(r.status().lost == 0);
}

TEST_CASE("a forged first HEARTBEAT does not move the start of a reader without history") {
    ReaderUnderTest r({}, {.wants_history = false});
    r.heartbeat_with_count(1, far, 0x7fffffff);
    r.now += 600ms;
    r.heartbeat(1, 20);
    r.data(21);

    CHECK(r.delivered() == "21");
}

TEST_CASE("a forged DATA far ahead is never delivered and holds nothing up") {
    ReaderUnderTest r;
    r.data(far, bytes(10));
    goes_on(r, 1, 3);

    CHECK(r.delivered() == "1 2 3");
    const Sent sent = r.sent();
    REQUIRE_FALSE(sent.acknacks.empty());
    CHECK(sent.acknacks.back().state.num_bits == 0);
}

TEST_CASE("a forged GAP reaches no further than what the writer has shown to exist") {
    ReaderUnderTest r;
    r.data(1);
    r.heartbeat(1, 1);
    r.gap(2, far);
    goes_on(r, 2, 4);

    CHECK(r.delivered() == "1 2 3 4");
}

TEST_CASE("a forged huge count silences genuine HEARTBEATs for half a second at most") {
    ReaderUnderTest r;
    r.heartbeat_with_count(1, 0, 0x7fffffff);
    r.heartbeat(1, 2);
    CHECK(r.status().announced_last == sn(0));
    r.now += 500ms;
    r.heartbeat(1, 2);
    CHECK(r.status().announced_last == sn(2));
}

TEST_CASE("a repeated HEARTBEAT counts once") {
    ReaderUnderTest r;
    r.heartbeat_with_count(5, 9, 7);
    r.heartbeat_with_count(5, 9, 7);
    r.heartbeat_with_count(5, 9, 6);
    CHECK(r.delivered().empty());
    CHECK(r.status().lost == 0);
}

TEST_CASE("numbers that cannot be are refused") {
    ReaderUnderTest r;
    r.data(0);
    r.data(-5);
    r.data(0x7fffffffffffffff);
    r.heartbeat(1, 0x7fffffffffffffff);
    r.heartbeat(5, 3);

    CHECK(r.delivered().empty());
    CHECK_FALSE(r.status().heartbeat_seen);
}

TEST_CASE("samples held out of order are bounded in number; lower ones push higher ones out") {
    rtps::ReaderOptions options;
    options.limits.reorder_samples_per_writer = 4;
    ReaderUnderTest r(options);
    for (int round = 0; round < 5; ++round) {
        const std::int64_t base = round * 10;
        for (const std::int64_t number : {9, 8, 7, 6, 10, 5})
            r.data(base + number, bytes(100));
        CHECK(r.status().held == 4);  // 5, 6, 7, 8
        CHECK(r.reader.held_bytes() == 400);
        for (std::int64_t number = 1; number <= 4; ++number)
            r.data(base + number);
        CHECK(r.status().received == sn(base + 8));
        r.data(base + 9);
        r.data(base + 10);
        CHECK(r.status().received == sn(base + 10));
        CHECK(r.reader.held_bytes() == 0);
    }
    CHECK(r.status().samples == 50);
}

TEST_CASE("samples held out of order are bounded in octets over all writers") {
    rtps::ReaderOptions options;
    options.limits.reorder_bytes = 1'000;
    ReaderUnderTest r(options);
    const Guid other = remote_writer(2);
    r.reader.match(other, destination(2), {}, r.now);
    for (int round = 0; round < 3; ++round) {
        const std::int64_t base = round * 3;
        r.data(base + 2, bytes(600));
        r.reader.on_data(other, data(base + 2, bytes(600)), {}, r.now, r.samples);
        CHECK(r.reader.held_bytes() == 600);
        CHECK(r.reader.status(other)->dropped == static_cast<std::uint64_t>(round + 1));
        r.data(base + 1);
        r.data(base + 3);
        for (std::int64_t number = 1; number <= 3; ++number) {
            r.reader.on_data(other, data(base + number, bytes(600)), {}, r.now, r.samples);
        }
        CHECK(r.reader.held_bytes() == 0);
        CHECK(r.reader.status(other)->received == sn(base + 3));
    }
}
