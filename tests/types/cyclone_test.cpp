// What Cyclone DDS makes of types, samples and keys: cyclone.hex.
#include "types/key_plan.hpp"

#include "base/bytes.hpp"
#include "support/hex_file.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

struct Recorded {
    TypeLibrary library;
    TypeInformation information;
    std::map<std::string, Buffer> parts;  // "data1", "key2", ...
};

std::map<std::string, Recorded> recorded_types() {
    std::map<std::string, Recorded> types;
    for (const HexEntry& entry : read_hex_file(DURABILITYD_TYPES_DIR "/cyclone.hex")) {
        const std::size_t blank = entry.name.find(' ');
        Recorded& type = types[entry.name.substr(0, blank)];
        const std::string part = entry.name.substr(blank + 1);
        if (part == "information") {
            const auto information = decode_type_information(entry.bytes);
            REQUIRE(information);
            type.information = *information;
        } else if (part == "object") {
            REQUIRE(type.library.add(type_id_of(entry.bytes), entry.bytes));
        } else {
            type.parts[part] = entry.bytes;
        }
    }
    return types;
}

KeyPlan plan_of(const Recorded& type, TypeIdKind kind) {
    const auto id =
        kind == TypeIdKind::minimal ? type.information.minimal : type.information.complete;
    REQUIRE(id);
    auto plan = KeyPlan::from_type(type.library, *id);
    INFO((plan ? std::string() : plan.error().text()));
    REQUIRE(plan);
    return *plan;
}

Buffer serialized_key(const Recorded& type, const KeyPlan& plan) {
    const auto key = plan.key_of_data(type.parts.at("data2"));
    REQUIRE(key);
    return *key;
}

KeyHash hash_in(const Buffer& bytes) {
    KeyHash hash{};
    REQUIRE(bytes.size() == hash.size());
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

}  // namespace

TEST_CASE("the TypeObjects of Cyclone DDS have the hashes it announces, and nothing is missing") {
    const auto types = recorded_types();
    REQUIRE(types.size() == 13);
    for (const auto& [name, type] : types) {
        INFO(name);
        CHECK(type.library.missing(type.information).empty());
        CHECK(TypeLibrary().missing(type.information).size() == type.library.all().size());
    }
}

TEST_CASE("samples and key payloads of Cyclone DDS give one key") {
    for (const auto& [name, type] : recorded_types()) {
        for (const auto kind : {TypeIdKind::minimal, TypeIdKind::complete}) {
            const KeyPlan plan = plan_of(type, kind);
            const Buffer key = serialized_key(type, plan);
            INFO(name << ' ' << to_hex(key));
            CHECK(plan.key_of_key(type.parts.at("key2")) == key);
            if (!type.parts.contains("data1")) continue;
            CHECK(plan.key_of_data(type.parts.at("data1")) == key);
            CHECK(plan.key_of_key(type.parts.at("key1")) == key);
        }
    }
}

TEST_CASE("key payloads are written as Cyclone DDS writes them") {
    for (const auto& [name, type] : recorded_types()) {
        const KeyPlan plan = plan_of(type, TypeIdKind::minimal);
        const Buffer key = serialized_key(type, plan);
        INFO(name);
        CHECK(to_hex(plan.key_payload(key, 2)) == to_hex(type.parts.at("key2")));
        if (type.parts.contains("key1"))
            CHECK(to_hex(plan.key_payload(key, 0)) == to_hex(type.parts.at("key1")));
    }
}

TEST_CASE("the key hash of Cyclone DDS is known for a serialized key") {
    for (const auto& [name, type] : recorded_types()) {
        const KeyPlan plan = plan_of(type, TypeIdKind::minimal);
        const Buffer key = serialized_key(type, plan);
        INFO(name);
        const KeyHash hash = hash_in(type.parts.at("hash2"));
        CHECK(plan.key_hash_by(key, cyclone_hash_rule(2)) == hash);
        // Cyclone DDS makes the hash of XCDR1 from the key in XCDR2, forgets to step over the
        // DHEADER of an array of enumerators, and so hashes that and not the last of them.
        if (type.parts.contains("hash1") && name != "Enums")
            CHECK(plan.key_hash_by(key, cyclone_hash_rule(0)) == hash_in(type.parts.at("hash1")));
    }
}

TEST_CASE("keys of Cyclone's types are described with the names of their members") {
    const std::map<std::string, std::string> expected{
        {"Pair", "a=7, b=1000"},
        {"Name", "name=\"abcdef\""},
        {"Nested", "location.place.room=16909060, location.place.wing=9"},
        {"Whole", "point.x=-1, point.y=2"},
        {"Enums", "tint=BLUE, tiny=B, bits=0x201, three=[GREEN, RED, BLUE]"},
        {"Reversed", "late=100, early=5"},
        {"Appendable", "id=77, part=\"part\""},
        {"Mutable", "num=16909060, part=\"abcde\""},
        {"Deep", "part.digits=168496141, part.letter=85, last=-2"},
        {"Derived", "base_id=287454020"},
    };
    const auto types = recorded_types();
    for (const auto& [name, text] : expected) {
        const Recorded& type = types.at(name);
        const KeyPlan plan = plan_of(type, TypeIdKind::complete);
        CHECK(plan.describe(serialized_key(type, plan)) == text);
    }
    const KeyPlan nameless = plan_of(types.at("Enums"), TypeIdKind::minimal);
    CHECK(nameless.describe(serialized_key(types.at("Enums"), nameless)) ==
          "2, 1, 0x201, [1, 0, 2]");
}
