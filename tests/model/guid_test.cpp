#include "model/guid.hpp"

#include <catch2/catch.hpp>

#include <unordered_set>

using namespace durability;

namespace {

Guid example() {
    Guid guid;
    for (std::size_t i = 0; i < 12; ++i)
        guid.prefix.octets[i] = static_cast<std::uint8_t>(i + 1);
    guid.entity = entity::publications_writer;
    return guid;
}

}  // namespace

TEST_CASE("a GUID and its sixteen octets are the same thing") {
    const auto octets = to_octets(example());
    CHECK(to_hex(octets) == "0102030405060708090a0b0c000003c2");
    CHECK(guid_from_octets(octets) == example());
}

TEST_CASE("the text of a GUID reads back as itself") {
    CHECK(to_string(example()) == "0102030405060708090a0b0c:000003c2");
    CHECK(parse_guid(to_string(example())) == example());
}

TEST_CASE("text that is no GUID is refused") {
    CHECK_FALSE(parse_guid("").has_value());
    CHECK_FALSE(parse_guid("0102030405060708090a0b0c000003c2").has_value());
    CHECK_FALSE(parse_guid("0102030405060708090a0b0c:000003c").has_value());
    CHECK_FALSE(parse_guid("0102030405060708090a0b0g:000003c2").has_value());
    CHECK_FALSE(parse_guid("0102030405060708090a0b0c:000003c20").has_value());
}

TEST_CASE("the kind octet says what an entity is") {
    CHECK(entity::publications_writer.is_writer());
    CHECK(entity::publications_writer.is_builtin());
    CHECK(entity::subscriptions_reader.is_reader());
    CHECK(EntityId{0x00000103}.is_writer());
    CHECK_FALSE(EntityId{0x00000103}.is_keyed());
    CHECK_FALSE(EntityId{0x00000103}.is_builtin());
    CHECK(EntityId{0x00000107}.is_keyed());
    CHECK(EntityId{0x00000107}.is_reader());
    CHECK_FALSE(entity::participant.is_reader());
    CHECK_FALSE(entity::participant.is_writer());
    // Bit 0x40 marks an entity of a vendor; it is not built in.
    CHECK_FALSE(EntityId{0x00000142}.is_builtin());
}

TEST_CASE("GUIDs that differ in one octet are told apart by table and order") {
    std::unordered_set<Guid> table;
    for (std::size_t octet = 0; octet < 16; ++octet) {
        auto octets = to_octets(example());
        octets[octet] = static_cast<std::uint8_t>(octets[octet] ^ 0x80U);
        CHECK(table.insert(guid_from_octets(octets)).second);
        CHECK(guid_from_octets(octets) != example());
    }
    CHECK(table.count(example()) == 0);
}
