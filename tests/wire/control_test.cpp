// HEARTBEAT, HEARTBEAT_FRAG, ACKNACK, NACK_FRAG and GAP: layout, and what is refused.
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::body_of;
using durability::test::from_hex;

namespace {

constexpr std::uint8_t little = submessage_flag::little_endian;

Decoded<Heartbeat> heartbeat(const char* first, const char* last) {
    return decode_heartbeat(from_hex(std::string("00000107 00000203") + first + last + "01000000"),
                            little);
}

Decoded<Gap> gap(const char* start, const char* list) {
    return decode_gap(from_hex(std::string("00000107 00000203") + start + list), little);
}

Decoded<AckNack> acknack(const char* state) {
    return decode_acknack(from_hex(std::string("00000107 00000203") + state + "01000000"), little);
}

}  // namespace

TEST_CASE("a HEARTBEAT has the layout of the standard") {
    Buffer out;
    encode_heartbeat(out, test::a_heartbeat());
    CHECK(out ==
          from_hex("07 07 1c00 00000107 00000203 00000000 03000000 01000000 07000000 09000000"));
    CHECK(heartbeat_size(test::a_heartbeat()) == out.size());
    Buffer big;
    encode_heartbeat(big, test::a_heartbeat(), std::endian::big);
    CHECK(big ==
          from_hex("07 06 001c 00000107 00000203 00000000 00000003 00000001 00000007 00000009"));
}

TEST_CASE("a HEARTBEAT of an empty history is accepted in all its forms") {
    CHECK(heartbeat("00000000 01000000", "00000000 00000000").has_value());
    CHECK(heartbeat("00000000 06000000", "00000000 05000000").has_value());
    const auto zero = heartbeat("00000000 00000000", "00000000 00000000");
    REQUIRE(zero.has_value());
    CHECK(zero->first == SequenceNumber{1});
    CHECK(zero->last == SequenceNumber{0});
}

TEST_CASE("a HEARTBEAT whose range cannot be is refused") {
    CHECK(heartbeat("00000000 00000000", "00000000 05000000").error() == DecodeError::bad_range);
    CHECK(heartbeat("ffffffff ffffffff", "00000000 05000000").error() == DecodeError::bad_range);
    CHECK(heartbeat("00000000 06000000", "00000000 04000000").error() == DecodeError::bad_range);
    CHECK(heartbeat("00000000 01000000", "ffffffff ffffffff").error() == DecodeError::bad_range);
    CHECK(heartbeat("00000000 01000000", "ffffff7f ffffffff").error() == DecodeError::bad_range);
    CHECK(heartbeat("00000000 01000000", "ffffff7f feffffff").has_value());
    CHECK(heartbeat("00000080 00000000", "ffffff7f feffffff").error() == DecodeError::bad_range);
}

TEST_CASE("fields that later versions add behind a HEARTBEAT are skipped") {
    Buffer out;
    encode_heartbeat(out, test::a_heartbeat());
    out.resize(out.size() + 16);
    CHECK(decode_heartbeat(body_of(out), 0x0f) == test::a_heartbeat());
}

TEST_CASE("a HEARTBEAT_FRAG has the layout of the standard") {
    Buffer out;
    encode_heartbeat_frag(out, test::a_heartbeat_frag());
    CHECK(out == from_hex("13 01 1800 00000107 00000203 00000000 05000000 11000000 03000000"));
    CHECK(heartbeat_frag_size(test::a_heartbeat_frag()) == out.size());
}

TEST_CASE("a HEARTBEAT_FRAG for no sample or no fragment is refused") {
    HeartbeatFrag value = test::a_heartbeat_frag();
    value.number = {0};
    Buffer out;
    encode_heartbeat_frag(out, value);
    CHECK(decode_heartbeat_frag(body_of(out), little).error() == DecodeError::bad_range);
    value = test::a_heartbeat_frag();
    value.last = {0};
    out.clear();
    encode_heartbeat_frag(out, value);
    CHECK(decode_heartbeat_frag(body_of(out), little).error() == DecodeError::bad_range);
}

TEST_CASE("an ACKNACK has the layout of the standard") {
    Buffer out;
    encode_acknack(out, test::an_acknack());
    CHECK(out == from_hex("06 03 2400 00000107 00000203 00000000 0a000000 42000000"
                          "000000a0 00000000 00000040 04000000"));
    CHECK(acknack_size(test::an_acknack()) == out.size());
}

TEST_CASE("the pre-emptive ACKNACKs of both peers are accepted") {
    const auto eprosima = acknack("00000000 00000000 00000000");
    REQUIRE(eprosima.has_value());
    CHECK(eprosima->state.base == SequenceNumber{0});
    CHECK(eprosima->state.empty());
    CHECK_FALSE(eprosima->final);
    CHECK(acknack("00000000 01000000 00000000").has_value());
}

TEST_CASE("an ACKNACK whose set cannot be is refused") {
    CHECK(acknack("00000000 00000000 01000000 00000080").error() == DecodeError::bad_range);
    CHECK(acknack("ffffffff ffffffff 00000000").error() == DecodeError::bad_range);
    CHECK(acknack("00000000 01000000 01010000").error() == DecodeError::bad_range);
    CHECK(acknack("00000000 01000000 40000000 00000080").error() == DecodeError::truncated);
}

TEST_CASE("a NACK_FRAG has the layout of the standard") {
    Buffer out;
    encode_nack_frag(out, test::a_nack_frag());
    CHECK(out == from_hex("12 01 2400 00000107 00000203 00000000 05000000 02000000 27000000"
                          "00000080 00000002 06000000"));
    CHECK(nack_frag_size(test::a_nack_frag()) == out.size());
}

TEST_CASE("a NACK_FRAG for no sample is refused") {
    NackFrag value = test::a_nack_frag();
    value.number = {-1};
    Buffer out;
    encode_nack_frag(out, value);
    CHECK(decode_nack_frag(body_of(out), little).error() == DecodeError::bad_range);
}

TEST_CASE("a GAP has the layout of the standard") {
    Buffer out;
    encode_gap(out, test::a_gap());
    CHECK(out ==
          from_hex("08 01 2000 00000107 00000203 00000000 05000000 00000000 14000000 0b000000"
                   "00002020"));
    CHECK(gap_size(test::a_gap()) == out.size());
}

TEST_CASE("a GAP without bits and one that ends where it starts are accepted") {
    CHECK(gap("00000000 05000000", "00000000 09000000 00000000").has_value());
    CHECK(gap("00000000 05000000", "00000000 05000000 00000000").has_value());
}

TEST_CASE("a GAP whose ranges cannot be is refused") {
    CHECK(gap("00000000 00000000", "00000000 09000000 00000000").error() == DecodeError::bad_range);
    CHECK(gap("00000000 06000000", "00000000 05000000 00000000").error() == DecodeError::bad_range);
    CHECK(gap("00000000 05000000", "00000000 00000000 00000000").error() == DecodeError::bad_range);
    CHECK(gap("ffffff7f ffffffff", "ffffff7f ffffffff 00000000").error() == DecodeError::bad_range);
    CHECK(gap("00000000 05000000", "00000000 09000000 01010000").error() == DecodeError::bad_range);
}
