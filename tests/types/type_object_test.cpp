#include "types/type_object.hpp"

#include "types/type_model.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

TypeDescription described(const TypePointer& type, Detail detail) {
    TypeLibrary library;
    const TypeId id = describe_in(library, type, detail);
    const auto description = decode_type_object(*library.find(id));
    REQUIRE(description);
    return *description;
}

TypeDescription decoded(std::string_view object) {
    const auto description = decode_type_object(from_hex(object));
    REQUIRE(description);
    return *description;
}

}  // namespace

TEST_CASE("a structure has its members, by name where the object is complete") {
    const auto type =
        structure(Growth::mutable_members, {key("id", int32(), 7), optional("text", text(300))});
    const TypeDescription minimal = described(type, Detail::minimal);
    REQUIRE(minimal.members.size() == 2);
    CHECK(minimal.kind == TypeKind::structure);
    CHECK(minimal.extensibility == Extensibility::mutable_members);
    CHECK(minimal.members[0].id == 7);
    CHECK(minimal.members[0].is_key);
    CHECK(minimal.members[0].name.empty());
    CHECK(minimal.members[1].is_optional);
    CHECK(minimal.members[1].type.kind == TypeKind::string8);
    CHECK(minimal.members[1].type.bound == 300);

    const TypeDescription complete = described(type, Detail::complete);
    REQUIRE(complete.members.size() == 2);
    CHECK(complete.members[0].name == "id");
    CHECK(complete.members[1].name == "text");
    CHECK(complete.name == "module::Type");
}

TEST_CASE("a union has its discriminator and labels") {
    const auto type = choice(Growth::appendable,
                             int16(),
                             {branch("a", int32(), {1, -2}), branch("b", octet(), {}, true)});
    for (const Detail detail : {Detail::minimal, Detail::complete}) {
        const TypeDescription description = described(type, detail);
        CHECK(description.related.kind == TypeKind::int16);
        REQUIRE(description.members.size() == 2);
        CHECK(description.members[0].labels == std::vector<std::int32_t>{1, -2});
        CHECK(description.members[1].is_default);
    }
}

TEST_CASE("enumerations, bitmasks and aliases are read in both kinds") {
    for (const Detail detail : {Detail::minimal, Detail::complete}) {
        const auto colors = described(enumeration(2, {{"red", 0}, {"blue", -5}}), detail);
        CHECK(colors.bits == 16);
        REQUIRE(colors.literals.size() == 2);
        CHECK(colors.literals[1].value == -5);
        CHECK(colors.literals[1].name == (detail == Detail::complete ? "blue" : ""));
        CHECK(described(bitmask(8), detail).bits == 64);
        const auto name = described(alias(map(text(), sequence(int64(), 1000))), detail);
        CHECK(name.related.kind == TypeKind::map);
        REQUIRE(name.related.parts.size() == 2);
        CHECK(name.related.parts[0].bound == 1000);
        CHECK(name.related.parts[1].kind == TypeKind::string8);
    }
}

TEST_CASE("described collections are read") {
    const TypeDescription sequence = decoded(
        "21000000 f160 0000 04000000 05000000 11000000 0000 f1 0102030405060708090a0b0c0d0e");
    CHECK(sequence.kind == TypeKind::sequence);
    CHECK(sequence.bound == 5);
    CHECK(references_of(sequence).size() == 1);

    const TypeDescription array =
        decoded("1b000000 f161 0000 0c000000 02000000 03000000 04000000 03000000 0000 04");
    CHECK(array.dimensions == std::vector<std::uint32_t>{3, 4});
    CHECK(array.related.kind == TypeKind::int32);
    // The complete form has a DHEADER of its own and a name behind annotations.
    const TypeDescription complete = decoded(
        "2b000000 f261 0000 23000000 0000 0000 12000000 01000000 03000000 00 00 0000 "
        "02000000 6100 0000 03000000 0000 04");
    CHECK(complete.dimensions == std::vector<std::uint32_t>{3});
    CHECK(complete.name == "a");

    const TypeDescription map =
        decoded("1b000000 f162 0000 04000000 00000000 03000000 0000 04 00 03000000 0000 02");
    CHECK(map.map_key.kind == TypeKind::int32);
    CHECK(map.related.kind == TypeKind::byte);
}

TEST_CASE("a bitset is as wide as its last field needs") {
    const TypeDescription bitset = decoded(
        "36000000 f153 0000 2e000000 0000 0000 00000000 22000000 02000000 0a000000 0000 0000 03 07 "
        "aabbccdd 0000 0a000000 0300 0000 0a 07 aabbccdd");
    CHECK(bitset.bits == 13);
}

TEST_CASE("cut objects are refused or short, never read beyond") {
    TypeLibrary library;
    const auto leaf = enumeration(4, {{"a", 1}});
    (void)describe_in(
        library,
        structure(Growth::closed,
                  {key("a", array(leaf, {300, 2})), plain("b", choice(Growth::closed, leaf, {}))}),
        Detail::complete);
    for (const auto& [id, object] : library.all()) {
        REQUIRE(decode_type_object(object));
        for (std::size_t size = 0; size < object.size(); ++size) {
            const Buffer cut(object.begin(), object.begin() + static_cast<std::ptrdiff_t>(size));
            CHECK_FALSE(decode_type_object(cut));
        }
    }
}

TEST_CASE("identifiers nested without end are refused") {
    std::string object = "ff0f0000 f130 0000 00000000 f70f0000 0000 ";
    for (int depth = 0; depth < 1000; ++depth)
        object += "80 f3 0000 00 ";
    Buffer bytes = from_hex(object);
    const auto size = static_cast<std::uint32_t>(bytes.size() - 4);
    bytes[0] = static_cast<std::uint8_t>(size);
    bytes[1] = static_cast<std::uint8_t>(size >> 8U);
    const std::uint32_t body = size - 12;
    bytes[12] = static_cast<std::uint8_t>(body);
    bytes[13] = static_cast<std::uint8_t>(body >> 8U);
    CHECK_FALSE(decode_type_object(bytes));
}
