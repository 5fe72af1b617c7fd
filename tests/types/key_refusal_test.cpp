// Types no plan is made for, each with its reason, and types made to be expensive.
#include "types/plan_for.hpp"
#include "types/type_object.hpp"

#include "base/md5.hpp"

#include <algorithm>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

constexpr Growth closed = Growth::closed;

Error refusal_of(const TypePointer& type) {
    const auto plan = try_plan_for(type);
    REQUIRE_FALSE(plan);
    return plan.error();
}

}  // namespace

TEST_CASE("a type without a key is refused") {
    const Error error = refusal_of(structure(closed, {plain("a", int32())}));
    CHECK(error.code == Errc::invalid_argument);
    CHECK(error.detail == "the type has no key");
    CHECK(refusal_of(enumeration(4, {})).code == Errc::invalid_argument);
    CHECK(refusal_of(choice(closed, octet(), {})).code == Errc::invalid_argument);
}

TEST_CASE("keys of kinds nobody agrees on are refused by name") {
    const auto either = choice(closed, octet(), {branch("a", int32(), {1})});
    CHECK(refusal_of(structure(closed, {key("a", either)})).detail == "a union in the key");
    CHECK(refusal_of(structure(closed, {key("a", map(octet(), octet()))})).detail ==
          "a map in the key");
    CHECK(refusal_of(structure(closed, {key("a", sequence(either))})).code == Errc::unsupported);
    const auto inner = structure(closed, {optional("x", int32()), plain("y", int32())});
    CHECK(refusal_of(structure(closed, {key("a", inner)})).detail ==
          "an optional member in the key");
}

TEST_CASE("a description that is not known is named, unless it lies behind the last key") {
    TypeLibrary library;
    const auto inner = structure(closed, {plain("x", int32())});
    const TypeId before =
        describe_in(library, structure(closed, {plain("a", inner), key("b", octet())}));
    const TypeId behind =
        describe_in(library, structure(closed, {key("b", octet()), plain("a", inner)}));
    TypeLibrary without;
    for (const TypeId& id : {before, behind})
        REQUIRE(without.add(id, *library.find(id)));

    const auto plan = KeyPlan::from_type(without, before);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Errc::not_found);
    CHECK(plan.error().detail.find("minimal ") != std::string::npos);
    CHECK(KeyPlan::from_type(without, behind));
    CHECK(KeyPlan::from_type({}, behind).error().code == Errc::not_found);
}

TEST_CASE("types that refer to each other are refused by name") {
    // struct { @key StronglyConnectedComponentId }
    const Buffer object = from_hex(
        "30000000 f151 0100 01000000 00 000000 20000000 01000000 18000000 00000000 3100 b0 00"
        "08000000 0102030405060708 aabbccdd");
    TypeLibrary library;
    REQUIRE(library.add(type_id_of(object), object));

    const auto plan = KeyPlan::from_type(library, type_id_of(object));
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Errc::unsupported);
    CHECK(plan.error().detail.find("strongly connected") != std::string::npos);
}

TEST_CASE("a description that cannot be read is refused") {
    const Buffer object = from_hex("04000000 f1510100");
    TypeLibrary library;
    REQUIRE(library.add(type_id_of(object), object));
    const auto plan = KeyPlan::from_type(library, type_id_of(object));
    REQUIRE_FALSE(plan);
    CHECK(plan.error().code == Errc::unsupported);
    CHECK(plan.error().detail.find("cannot be read") != std::string::npos);
}

TEST_CASE("a type nested beyond measure is refused") {
    TypePointer type = int32();
    for (int depth = 0; depth < 100; ++depth)
        type = structure(closed, {key("a", type)});
    CHECK_FALSE(try_plan_for(type));
    // Each half is shallow enough; together they are not.
    TypePointer half = int32();
    for (int depth = 0; depth < 40; ++depth)
        half = structure(closed, {key("a", half)});
    TypePointer whole = half;
    for (int depth = 0; depth < 40; ++depth)
        whole = structure(closed, {key("a", whole)});
    CHECK_FALSE(try_plan_for(structure(closed, {plain("a", half), key("b", whole)})));
}

TEST_CASE("a type of no octets cannot keep the walker busy") {
    // 2^32 elements, each of which takes nothing, and 2^40 of structures in structures.
    const auto empty = structure(closed, {});
    const KeyPlan many =
        plan_for(structure(closed, {plain("a", array(empty, {65535, 65535})), key("b", octet())}));
    CHECK(key_in(many, "00010000 07") == "none");
    const KeyPlan counted =
        plan_for(structure(closed, {plain("a", sequence(empty)), key("b", octet())}));
    CHECK(key_in(counted, "00010000 ffffffff 07") == "none");

    TypePointer twice = empty;
    for (int depth = 0; depth < 40; ++depth)
        twice = structure(closed, {plain("a", twice), plain("b", twice)});
    const KeyPlan bushy = plan_for(structure(closed, {key("a", twice), key("b", octet())}));
    CHECK(key_in(bushy, "00010000 07") == "none");
    CHECK_FALSE(bushy.fits_key_hash());
}

TEST_CASE("an array of more elements than a payload can hold is refused") {
    const auto huge = array(octet(), {65535, 65535, 65535});
    CHECK(refusal_of(structure(closed, {key("a", huge)})).code == Errc::unsupported);
}
