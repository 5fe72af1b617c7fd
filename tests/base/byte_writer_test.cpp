#include "base/byte_writer.hpp"

#include "base/byte_reader.hpp"
#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using durability::test::from_hex;

TEST_CASE("numbers are appended in the order that was asked for") {
    Buffer out;
    ByteWriter little(out);
    little.u8(1);
    little.u16(0x0203);
    little.u32(0x04050607);
    little.i64(-2);
    CHECK(out == from_hex("01 0302 07060504 feffffffffffffff"));
    Buffer other;
    ByteWriter big(other, std::endian::big);
    big.u16(0x0203);
    big.u64(0x0102030405060708ULL);
    big.i16(-1);
    big.i32(-2);
    CHECK(other == from_hex("0203 0102030405060708 ffff fffffffe"));
}

TEST_CASE("a writer appends to what is there and counts only its own bytes") {
    Buffer out = from_hex("aabbcc");
    ByteWriter writer(out);
    writer.u8(1);
    writer.align(4);
    CHECK(writer.size() == 4);
    CHECK(out == from_hex("aabbcc 01000000"));
}

TEST_CASE("lengths that are known later are patched in place") {
    Buffer out = from_hex("aa");
    ByteWriter writer(out, std::endian::big);
    writer.u16(0);
    writer.u32(0);
    writer.u8(7);
    writer.patch_u16(0, 0x0102);
    writer.patch_u32(2, 0x03040506);
    CHECK(out == from_hex("aa 0102 03040506 07"));
}

TEST_CASE("what a writer wrote a reader reads, in both orders") {
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Buffer out;
        ByteWriter writer(out, order);
        writer.u64(0x1122334455667788ULL);
        writer.u32_big(0x000003c7);
        writer.i32(-5);
        writer.bytes(from_hex("0a0b"));
        writer.zeros(2);
        ByteReader in(out, order);
        CHECK(in.u64() == 0x1122334455667788ULL);
        CHECK(in.u32_big() == 0x000003c7U);
        CHECK(in.i32() == -5);
        CHECK(in.octets<4>() == std::array<std::uint8_t, 4>{0x0a, 0x0b, 0, 0});
        CHECK(in.ok());
    }
}

TEST_CASE("a number of varying length comes back, and one that does not end is refused") {
    Buffer out;
    ByteWriter writer(out);
    const std::uint64_t values[] = {0, 1, 127, 128, 300, 1ULL << 35U, UINT64_MAX};
    for (const std::uint64_t value : values)
        writer.varint(value);
    ByteReader in(out);
    for (const std::uint64_t value : values)
        CHECK(in.varint() == value);
    CHECK(in.ok());
    CHECK(in.remaining() == 0);

    const Buffer without_end(11, 0x80);
    ByteReader endless(without_end);
    CHECK(endless.varint() == 0);
    CHECK_FALSE(endless.ok());
    ByteReader cut(ByteView(without_end).first(1));
    CHECK(cut.varint() == 0);
    CHECK_FALSE(cut.ok());
}
