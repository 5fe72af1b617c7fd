#include "wire/header.hpp"

#include "support/hex.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

TEST_CASE("a header is twenty octets in the order of the standard") {
    Buffer out;
    encode_header(out, test::a_header());
    CHECK(out == from_hex("52545053 0205 017f 111111111111111111111111"));
    const auto header = decode_header(out);
    REQUIRE(header.has_value());
    CHECK(*header == test::a_header());
}

TEST_CASE("a message of another protocol is told from a short one") {
    CHECK(decode_header(from_hex("52545054 0205 017f 111111111111111111111111")).error() ==
          DecodeError::bad_magic);
    CHECK(decode_header({}).error() == DecodeError::truncated);
    CHECK(decode_header(from_hex("52545053 0205 017f 1111111111111111111111")).error() ==
          DecodeError::truncated);
}

TEST_CASE("every minor version of major version two is accepted and no other") {
    for (const char* version : {"0200", "0201", "0203", "0209", "02ff"}) {
        const auto header = decode_header(
            from_hex(std::string("52545053") + version + "0110" + std::string(24, '0')));
        CHECK(header.has_value());
    }
    for (const char* version : {"0101", "0300", "0005"}) {
        const auto header = decode_header(
            from_hex(std::string("52545053") + version + "0110" + std::string(24, '0')));
        REQUIRE_FALSE(header.has_value());
        CHECK(header.error() == DecodeError::bad_version);
    }
}

TEST_CASE("the probe of Connext is a message without sender and content") {
    const auto header = decode_header(from_hex("52545053 0201 0101 4e44445350494e47"));
    REQUIRE(header.has_value());
    CHECK(header->prefix == unknown_prefix);
    CHECK(header->vendor == vendor::rti);
}

TEST_CASE("every reason for a failure has a name of its own") {
    CHECK(name(DecodeError::truncated) == "truncated");
    CHECK(name(DecodeError::missing_sentinel) == "missing_sentinel");
    CHECK(name(DecodeError::over_limit) == "over_limit");
}
