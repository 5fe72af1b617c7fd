#include "wire/cdr.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

TEST_CASE("the encapsulation header is big-endian whatever it announces") {
    const auto value = decode_encapsulation(from_hex("00010003 aabb"));
    REQUIRE(value.has_value());
    CHECK(value->kind == encapsulation::cdr_le);
    CHECK(value->options == 3);
    CHECK(value->order() == std::endian::little);
    Buffer out;
    encode_encapsulation(out, *value);
    CHECK(out == from_hex("00010003"));
    CHECK(decode_encapsulation(from_hex("000100")).error() == DecodeError::truncated);
}

TEST_CASE("the byte order follows from the kind") {
    CHECK(Encapsulation{encapsulation::pl_cdr_be, 0}.order() == std::endian::big);
    CHECK(Encapsulation{encapsulation::pl_cdr_le, 0}.order() == std::endian::little);
    CHECK(Encapsulation{encapsulation::d_cdr2_be, 0}.order() == std::endian::big);
    CHECK(Encapsulation{encapsulation::pl_cdr_le, 0}.is_parameter_list());
    CHECK_FALSE(Encapsulation{encapsulation::cdr_le, 0}.is_parameter_list());
}

TEST_CASE("each kind of payload belongs to the representation it must be announced with") {
    for (std::uint16_t kind = 0; kind <= 3; ++kind)
        CHECK(representation_of(kind) == 0);
    for (std::uint16_t kind = 6; kind <= 11; ++kind)
        CHECK(representation_of(kind) == 2);
    for (const int kind : {4, 5, 12, 0x8000, 0xffff}) {
        CHECK_FALSE(representation_of(static_cast<std::uint16_t>(kind)).has_value());
    }
}
