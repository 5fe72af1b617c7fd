#include "rtps/fragment_buffer.hpp"

#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::test;
using rtps::FragmentBuffer;
using rtps::FragmentLimits;
using rtps::FragmentVerdict;

namespace {

FragmentVerdict add(FragmentBuffer& buffer,
                    const wire::DataFrag& frag,
                    Duration time = 0s,
                    std::uint8_t writer = 1) {
    return buffer.add(remote_writer(writer), frag, {}, at(time)).verdict;
}

}  // namespace

TEST_CASE(
    "fragments of another size are refused while the assembly moves and start it again later") {
    FragmentBuffer buffer({});
    const Buffer sample = bytes(1'000);
    CHECK(add(buffer, fragment(1, sample, 100, 1)) == FragmentVerdict::stored);
    CHECK(add(buffer, fragment(1, sample, 200, 2), 50ms) == FragmentVerdict::mismatch);
    CHECK(add(buffer, fragment(1, ByteView(sample).first(900), 100, 2), 60ms) ==
          FragmentVerdict::mismatch);
    CHECK(add(buffer, fragment(1, sample, 200, 1), 200ms) == FragmentVerdict::stored);
    for (std::uint32_t i = 2; i <= 4; ++i) {
        CHECK(add(buffer, fragment(1, sample, 200, i), 201ms) == FragmentVerdict::stored);
    }
    auto last = buffer.add(remote_writer(), fragment(1, sample, 200, 5), {}, at(202ms));
    REQUIRE(last.verdict == FragmentVerdict::completed);
    CHECK(std::ranges::equal(last.sample->payload.view(), sample));
    CHECK(buffer.bytes() == 0);
}

TEST_CASE("fragments that contradict themselves are refused") {
    FragmentBuffer buffer({});
    const Buffer sample = bytes(1'000);
    wire::DataFrag zero = fragment(1, sample, 100, 1);
    zero.first = FragmentNumber{0};
    CHECK(add(buffer, zero) == FragmentVerdict::mismatch);
    wire::DataFrag none = fragment(1, sample, 100, 1);
    none.fragment_size = 0;
    CHECK(add(buffer, none) == FragmentVerdict::mismatch);
    wire::DataFrag beyond = fragment(1, sample, 100, 10);
    beyond.count = 2;
    CHECK(add(buffer, beyond) == FragmentVerdict::mismatch);
    wire::DataFrag last = fragment(1, sample, 100, 1);
    last.first = FragmentNumber{0xffffffffU};
    CHECK(add(buffer, last) == FragmentVerdict::mismatch);
    wire::DataFrag little = fragment(1, sample, 100, 1);
    little.payload = little.payload.first(99);
    CHECK(add(buffer, little) == FragmentVerdict::mismatch);
    CHECK(buffer.assemblies() == 0);
}

TEST_CASE("what could never be assembled is told from what has no room now") {
    FragmentBuffer buffer({.sample_size = 2'000, .fragments_per_sample = 10});
    CHECK(add(buffer, fragment(1, bytes(2'001), 1'000, 1)) == FragmentVerdict::too_large);
    CHECK(add(buffer, fragment(1, bytes(1'100), 100, 1)) == FragmentVerdict::too_large);
    wire::DataFrag huge = fragment(1, bytes(100), 100, 1);
    huge.sample_size = 0xffffffffU;
    CHECK(add(buffer, huge) == FragmentVerdict::too_large);
    CHECK(buffer.bytes() == 0);
}

TEST_CASE("a datagram that claims a large sample touches no memory for it") {
    FragmentBuffer buffer({.sample_size = 64U << 20U});
    wire::DataFrag last = fragment(1, bytes(1'000), 1'000, 1);
    last.sample_size = 60'000'000;
    last.first = FragmentNumber{60'000};
    CHECK(add(buffer, last) == FragmentVerdict::no_room);
    CHECK(buffer.assemblies() == 0);
}

TEST_CASE("assemblies are bounded per writer; lower numbers push higher ones out") {
    FragmentBuffer buffer({.assemblies_per_writer = 2});
    const Buffer sample = bytes(200);
    for (int round = 0; round < 5; ++round) {
        const std::int64_t base = round * 10;
        CHECK(add(buffer, fragment(base + 5, sample, 100, 1)) == FragmentVerdict::stored);
        CHECK(add(buffer, fragment(base + 7, sample, 100, 1)) == FragmentVerdict::stored);
        CHECK(add(buffer, fragment(base + 8, sample, 100, 1)) == FragmentVerdict::no_room);
        CHECK(add(buffer, fragment(base + 4, sample, 100, 1)) == FragmentVerdict::stored);
        CHECK_FALSE(buffer.contains(remote_writer(), sn(base + 7)));
        CHECK(add(buffer, fragment(base + 1, sample, 100, 1), 0s, 2) == FragmentVerdict::stored);
        CHECK(add(buffer, fragment(base + 4, sample, 100, 2)) == FragmentVerdict::completed);
        CHECK(add(buffer, fragment(base + 5, sample, 100, 2)) == FragmentVerdict::completed);
        CHECK(buffer.assemblies() == 1);
        buffer.erase(remote_writer(2));
        CHECK(buffer.bytes() == 0);
    }
}

TEST_CASE("assemblies are bounded in octets, and those nobody completes make room after a while") {
    FragmentBuffer buffer({.sample_size = 1'000, .bytes = 2'000});
    const Buffer sample = bytes(1'000);
    CHECK(add(buffer, fragment(1, sample, 500, 1), 0s, 1) == FragmentVerdict::stored);
    CHECK(add(buffer, fragment(1, sample, 500, 1), 0s, 2) == FragmentVerdict::stored);
    CHECK(add(buffer, fragment(1, sample, 500, 1), 1s, 3) == FragmentVerdict::no_room);
    CHECK(buffer.bytes() == 2'000);
    CHECK(add(buffer, fragment(1, sample, 500, 1), 11s, 3) == FragmentVerdict::stored);
    CHECK(buffer.bytes() == 1'000);
}
