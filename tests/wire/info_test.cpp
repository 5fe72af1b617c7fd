#include "wire/info.hpp"

#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::body_of;
using durability::test::from_hex;

TEST_CASE("INFO_TS carries the timestamp unchanged") {
    const InfoTimestamp value{{0x5f6e7d8c, 0x12345678U}};
    Buffer out;
    encode_info_timestamp(out, value);
    CHECK(out == from_hex("09 01 0800 8c7d6e5f 78563412"));
    CHECK(info_timestamp_size(value.timestamp) == out.size());
    CHECK(decode_info_timestamp(body_of(out), 0x01) == value);
    CHECK(decode_info_timestamp(from_hex("5f6e7d8c 12345678"), 0x00) == value);
}

TEST_CASE("INFO_TS without a timestamp is a flag and no content") {
    Buffer out;
    encode_info_timestamp(out, InfoTimestamp{});
    CHECK(out == from_hex("09 03 0000"));
    const auto value = decode_info_timestamp({}, 0x03);
    REQUIRE(value.has_value());
    CHECK_FALSE(value->timestamp.valid());
    CHECK(decode_info_timestamp({}, 0x01).error() == DecodeError::truncated);
}

TEST_CASE("INFO_DST and INFO_SRC are not swapped") {
    Buffer out;
    encode_info_destination(out, InfoDestination{test::a_prefix(0x22)});
    CHECK(out == from_hex("0e 01 0c00 222222222222222222222222"));
    CHECK(info_destination_size == out.size());
    CHECK(decode_info_destination(body_of(out)) == InfoDestination{test::a_prefix(0x22)});

    const InfoSource source{{2, 3}, vendor::eprosima, test::a_prefix(0x33)};
    out.clear();
    encode_info_source(out, source);
    CHECK(out == from_hex("0c 01 1400 00000000 0203 010f 333333333333333333333333"));
    CHECK(info_source_size == out.size());
    CHECK(decode_info_source(body_of(out)) == source);
}

TEST_CASE("INFO_REPLY lists locators, and multicast ones behind a flag") {
    InfoReply value;
    value.unicast = {Locator::udp_v4(0x7f000001, 7410), Locator::udp_v4(0x0a000001, 7411)};
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Buffer out;
        encode_info_reply(out, value, order);
        CHECK(decode_info_reply(body_of(out), out[1]) == value);
        InfoReply both = value;
        both.multicast = {Locator::udp_v4(0xefff0001, 7400)};
        out.clear();
        encode_info_reply(out, both, order);
        CHECK(decode_info_reply(body_of(out), out[1]) == both);
    }
}

TEST_CASE("a count of locators beyond the content allocates nothing and is refused") {
    CHECK(decode_info_reply(from_hex("ffffffff"), 0x01).error() == DecodeError::bad_length);
    CHECK(decode_info_reply(from_hex("01000000 01000000"), 0x01).error() ==
          DecodeError::bad_length);
    CHECK(decode_info_reply(from_hex("00000000 ffffff7f"), 0x03).error() ==
          DecodeError::bad_length);
    CHECK(decode_info_reply(from_hex("00000000"), 0x03).error() == DecodeError::truncated);
}
