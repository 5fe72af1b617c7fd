#include "wire/describe.hpp"

#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;

TEST_CASE("each submessage is one line with its numbers") {
    CHECK(describe(test::a_heartbeat()) ==
          "HEARTBEAT 00000203 -> 00000107 3..4294967303 count 9 final liveliness");
    CHECK(describe(test::a_heartbeat_frag()) ==
          "HEARTBEAT_FRAG 00000203 -> 00000107 number 5 fragments 1..17 count 3");
    CHECK(describe(test::an_acknack()) ==
          "ACKNACK 00000107 -> 00000203 10/66 [10 12 75] count 4 final");
    CHECK(describe(test::a_nack_frag()) ==
          "NACK_FRAG 00000107 -> 00000203 number 5 fragments 2/39 [2 40] count 6");
    CHECK(describe(test::a_gap()) == "GAP 00000203 -> 00000107 from 5 list 20/11 [22 30]");
    CHECK(describe(InfoTimestamp{}) == "INFO_TS none");
    CHECK(describe(InfoTimestamp{{5, 0x80000000U}}) == "INFO_TS 5+80000000");
    CHECK(describe(InfoDestination{test::a_prefix()}) == "INFO_DST 111111111111111111111111");
    CHECK(describe(InfoSource{{2, 3}, vendor::eprosima, test::a_prefix()}) ==
          "INFO_SRC 111111111111111111111111 vendor 010f version 2.3");
    CHECK(describe(InfoReply{}) == "INFO_REPLY 0 unicast, 0 multicast locators");
    CHECK(describe(Pad{}) == "PAD");
    CHECK(describe(Unknown{0x80}) == "unknown submessage 0x80");
}

TEST_CASE("data is described by its size, not by its content") {
    const Buffer payload(12, 0x41);
    Data data;
    data.writer = test::a_writer;
    data.number = {7};
    data.has_data = true;
    data.payload = payload;
    CHECK(describe(data) ==
          "DATA 00000203 -> 00000000 number 7 data 12 octets, inline QoS 0 octets");
    DataFrag frag;
    frag.writer = test::a_writer;
    frag.number = {8};
    frag.first = {0xffffffffU};
    frag.count = 2;
    frag.fragment_size = 1344;
    frag.sample_size = 5000;
    CHECK(
        describe(frag) ==
        "DATA_FRAG 00000203 -> 00000000 number 8 fragments 4294967295..4294967296 of 1344 octets, "
        "sample 5000 octets");
}

TEST_CASE("a long set is cut") {
    AckNack value = test::an_acknack();
    value.state = SequenceNumberSet{};
    for (std::int64_t number = 1; number <= 100; ++number)
        value.state.insert({number});
    CHECK(describe(value) ==
          "ACKNACK 00000107 -> 00000203 1/100 [1 2 3 4 5 6 7 8 and 92 more] count 4 final");
}
