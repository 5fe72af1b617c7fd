#include "wire/parameter_value.hpp"

#include "support/hex.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

constexpr auto little = std::endian::little;

DecodeError string_error(const char* hex, std::size_t max_length = 100) {
    const auto result = decode_string(from_hex(hex), little, max_length);
    REQUIRE_FALSE(result.has_value());
    return result.error();
}

}  // namespace

TEST_CASE("numbers, booleans and identities need exactly their length") {
    CHECK(decode_u32(from_hex("01020304"), little) == 0x04030201U);
    CHECK(decode_u32(from_hex("01020304"), std::endian::big) == 0x01020304U);
    CHECK(decode_i32(from_hex("ffffffff"), little) == -1);
    CHECK(decode_boolean(from_hex("01000000")) == true);
    CHECK(decode_boolean(from_hex("00000000")) == false);
    CHECK(decode_boolean(from_hex("02000000")).error() == DecodeError::bad_range);
    CHECK(decode_guid(from_hex("111111111111111111111111000003c2")) ==
          Guid{test::a_prefix(), entity::publications_writer});
    CHECK(decode_protocol_version(from_hex("02030000")) == ProtocolVersion{2, 3});
    CHECK(decode_vendor(from_hex("010f0000")) == vendor::eprosima);
    for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{20}}) {
        const Buffer wrong(size);
        CHECK(decode_u32(wrong, little).error() == DecodeError::bad_length);
        CHECK(decode_i32(wrong, little).error() == DecodeError::bad_length);
        CHECK(decode_boolean(wrong).error() == DecodeError::bad_length);
        CHECK(decode_guid(wrong).error() == DecodeError::bad_length);
        CHECK(decode_protocol_version(wrong).error() == DecodeError::bad_length);
        CHECK(decode_vendor(wrong).error() == DecodeError::bad_length);
    }
}

TEST_CASE("durations are not negative, and all forms of infinite are one") {
    CHECK(decode_duration(from_hex("01000000 00000080"), little) == QosDuration{1, 0x80000000U});
    CHECK(decode_duration(from_hex("ffffff7f ffffffff"), little) == infinite_qos_duration);
    CHECK(decode_duration(from_hex("ffffff7f ffffff7f"), little) == infinite_qos_duration);
    CHECK(decode_duration(from_hex("ffffffff ffffffff"), little).error() == DecodeError::bad_range);
    CHECK(decode_duration(from_hex("00000080 00000000"), little).error() == DecodeError::bad_range);
    CHECK(decode_duration(from_hex("01000000"), little).error() == DecodeError::bad_length);
}

TEST_CASE("a string ends with the only NUL in it") {
    CHECK(decode_string(from_hex("04000000 61626300"), little, 3) == "abc");
    CHECK(decode_string(from_hex("01000000 00000000"), little, 0) == "");
    CHECK(decode_string(from_hex("00000003 61620000"), std::endian::big, 10) == "ab");
    CHECK(string_error("04000000 61626364") == DecodeError::bad_string);
    CHECK(string_error("04000000 61006300") == DecodeError::bad_string);
    CHECK(string_error("02000000 00000000") == DecodeError::bad_string);
    CHECK(string_error("00000000") == DecodeError::bad_string);
}

TEST_CASE("the length of a string is checked against the bytes before it is used") {
    CHECK(string_error("") == DecodeError::bad_length);
    CHECK(string_error("050000") == DecodeError::bad_length);
    CHECK(string_error("05000000 61626300") == DecodeError::bad_length);
    CHECK(string_error("ffffffff 61626300") == DecodeError::bad_length);
    CHECK(string_error("02000000 61000000 00000000") == DecodeError::bad_length);
}

TEST_CASE("a string longer than the limit is refused") {
    CHECK(string_error("04000000 61626300", 2) == DecodeError::over_limit);
}

TEST_CASE("octets behind a length are bounded by bytes and limit") {
    CHECK(decode_octet_sequence(from_hex("03000000 01020300"), little, 3) == from_hex("010203"));
    CHECK(decode_octet_sequence(from_hex("00000000"), little, 0) == Buffer{});
    CHECK(decode_octet_sequence(from_hex("05000000 01020304"), little, 9).error() ==
          DecodeError::bad_length);
    CHECK(decode_octet_sequence(from_hex("ffffffff 01020304"), little, 9).error() ==
          DecodeError::bad_length);
    CHECK(decode_octet_sequence(from_hex("04000000 01020304"), little, 3).error() ==
          DecodeError::over_limit);
    CHECK(decode_octet_sequence(from_hex("00000000 01020304"), little, 9).error() ==
          DecodeError::bad_length);
}

TEST_CASE("lists of strings are aligned and bounded") {
    const auto two = decode_string_sequence(
        from_hex("02000000 02000000 61000000 03000000 62630000"), little, 2, 2);
    REQUIRE(two.has_value());
    CHECK(*two == std::vector<std::string>{"a", "bc"});
    CHECK(decode_string_sequence(from_hex("00000000"), little, 2, 2)->empty());
    CHECK(decode_string_sequence(from_hex("02000000 02000000 61000000"), little, 9, 9).error() ==
          DecodeError::bad_length);
    CHECK(decode_string_sequence(from_hex("ffffffff 02000000 61000000"), little, 9, 9).error() ==
          DecodeError::bad_length);
    CHECK(decode_string_sequence(
              from_hex("02000000 02000000 61000000 02000000 62000000"), little, 1, 9)
              .error() == DecodeError::over_limit);
}

TEST_CASE("a property list is pairs of strings, and what follows them is not read") {
    StringLimits limits;
    const Buffer bytes = from_hex("01000000 02000000 61000000 02000000 62000000 00000000 00000000");
    const auto list = decode_property_list(bytes, little, limits);
    REQUIRE(list.has_value());
    REQUIRE(list->size() == 1);
    CHECK(list->front() == std::pair<std::string, std::string>{"a", "b"});
    CHECK(decode_property_list(from_hex("ffffff0f 02000000 61000000"), little, limits).error() ==
          DecodeError::bad_length);
    limits.properties = 0;
    CHECK(decode_property_list(bytes, little, limits).error() == DecodeError::over_limit);
}
