#include "types/type_library.hpp"

#include "types/type_model.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

// wire::SmallKey of the fact sheet, section 11, with the DHEADER in front.
Buffer small_key() {
    return from_hex(
        "44000000 f151 0100 01000000 00000000 34000000 03000000 0b000000 00000000 3100 04 b80bb774 "
        "00 0b000000 01000000 0100 04 e068c2de 00 0c000000 02000000 0100 70 00 1cb251ec");
}

}  // namespace

TEST_CASE("the id of a TypeObject is the MD5 of all of it, its DHEADER included") {
    CHECK(to_string(type_id_of(small_key())) == "minimal 2e6f6e762a3e15b7296aaa8616e1");
    CHECK(type_id_of({}).kind == TypeIdKind::minimal);
}

TEST_CASE("a library takes what has the hash, and nothing else") {
    TypeLibrary library;
    const TypeId id = type_id_of(small_key());
    Buffer forged = small_key();
    forged[24] ^= 1;
    CHECK_FALSE(library.add(id, forged));
    CHECK_FALSE(library.add(id, {}));
    TypeId complete = id;
    complete.kind = TypeIdKind::complete;
    CHECK_FALSE(library.add(complete, small_key()));
    CHECK(library.empty());
    CHECK(library.find(id) == nullptr);

    CHECK(library.add(id, small_key()));
    CHECK(library.add(id, small_key()));
    REQUIRE(library.find(id) != nullptr);
    CHECK(*library.find(id) == small_key());
    CHECK(library.bytes() == small_key().size());
    CHECK(library.all().size() == 1);
}

TEST_CASE("what is missing is found through what is known") {
    TypeLibrary whole;
    const auto leaf = structure(Growth::closed, {plain("x", int32())});
    const auto color = enumeration(4, {{"red", 0}});
    const auto base = structure(Growth::closed, {key("id", alias(color))});
    const auto top = structure(Growth::closed, {plain("leaves", sequence(array(leaf, {2})))}, base);
    TypeInformation information;
    information.minimal = describe_in(whole, top);
    information.complete = describe_in(whole, top, Detail::complete);
    CHECK(whole.all().size() == 10);
    CHECK(whole.missing(information).empty());

    // Asking again and again brings them all.
    TypeLibrary library;
    std::size_t rounds = 0;
    for (auto missing = library.missing(information); !missing.empty();
         missing = library.missing(information), ++rounds) {
        CHECK(std::adjacent_find(missing.begin(), missing.end()) == missing.end());
        for (const TypeId& id : missing)
            REQUIRE(library.add(id, *whole.find(id)));
    }
    CHECK(rounds == 4);
    CHECK(library == whole);
}

TEST_CASE("dependencies are missing at once, and each once") {
    TypeInformation information;
    information.minimal = type_id_of(small_key());
    information.dependencies = {*information.minimal, {TypeIdKind::minimal, {1}}};
    CHECK(TypeLibrary().missing(information).size() == 2);
}

TEST_CASE("an object that cannot be read refers to nothing") {
    const Buffer object = from_hex("04000000 f1510100");
    TypeLibrary library;
    TypeInformation information;
    information.minimal = type_id_of(object);
    REQUIRE(library.add(*information.minimal, object));
    CHECK(library.missing(information).empty());
}
