#include "base/byte_reader.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>

using namespace durability;
using durability::test::from_hex;

TEST_CASE("numbers are read in the order that was asked for") {
    const Buffer bytes = from_hex("01 0203 04050607 08090a0b0c0d0e0f");
    ByteReader little(bytes, std::endian::little);
    CHECK(little.u8() == 0x01);
    CHECK(little.u16() == 0x0302);
    CHECK(little.u32() == 0x07060504U);
    CHECK(little.u64() == 0x0f0e0d0c0b0a0908ULL);
    ByteReader big(bytes, std::endian::big);
    CHECK(big.u8() == 0x01);
    CHECK(big.u16() == 0x0203);
    CHECK(big.u32() == 0x04050607U);
    CHECK(big.u64() == 0x08090a0b0c0d0e0fULL);
    CHECK(big.ok());
    CHECK(big.remaining() == 0);
}

TEST_CASE("signed numbers keep their sign") {
    const Buffer bytes = from_hex("feff ffffffff 00000000000000 80");
    ByteReader in(bytes);
    CHECK(in.i16() == -2);
    CHECK(in.i32() == -1);
    CHECK(in.i64() == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("identifiers are big-endian whatever the order of the rest") {
    const Buffer bytes = from_hex("000100c2");
    CHECK(ByteReader(bytes, std::endian::little).u32_big() == 0x000100c2U);
    CHECK(ByteReader(bytes, std::endian::big).u32_big() == 0x000100c2U);
}

TEST_CASE("after a read that did not fit every further read yields zero and nothing moves") {
    const Buffer bytes = from_hex("0102 03");
    ByteReader in(bytes);
    CHECK(in.u16() == 0x0201);
    CHECK(in.u32() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.position() == 2);
    CHECK(in.u8() == 0);
    CHECK(in.take(1).empty());
    CHECK(in.octets<1>() == std::array<std::uint8_t, 1>{0});
    CHECK(in.rest().empty());
    CHECK(in.position() == 2);
}

TEST_CASE("a count larger than any buffer is refused without arithmetic that wraps") {
    const Buffer bytes = from_hex("01020304");
    ByteReader in(bytes);
    in.skip(1);
    CHECK(in.take(std::numeric_limits<std::size_t>::max()).empty());
    CHECK_FALSE(in.ok());
}

TEST_CASE("alignment counts from the start of the view") {
    const Buffer bytes = from_hex("01000000 02000000");
    ByteReader in(bytes);
    in.align(4);
    CHECK(in.position() == 0);
    CHECK(in.u8() == 1);
    in.align(4);
    CHECK(in.position() == 4);
    CHECK(in.u8() == 2);
    in.align(8);
    CHECK(in.ok());
    CHECK(in.remaining() == 0);
}

TEST_CASE("alignment past the end is an error") {
    const Buffer bytes = from_hex("010203");
    ByteReader in(bytes);
    in.skip(1);
    in.align(4);
    CHECK_FALSE(in.ok());
}

TEST_CASE("a reader that was declared unusable stays so") {
    const Buffer bytes = from_hex("01020304");
    ByteReader in(bytes);
    in.set_failed();
    CHECK(in.u32() == 0);
    CHECK(in.position() == 0);
}

TEST_CASE("an empty view can be read without touching memory") {
    ByteReader in({});
    CHECK(in.rest().empty());
    CHECK(in.ok());
    CHECK(in.u8() == 0);
    CHECK_FALSE(in.ok());
}
