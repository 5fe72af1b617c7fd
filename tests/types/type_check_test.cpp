// Descriptions that somebody hands in: with those of Cyclone DDS (cyclone.hex).
#include "types/type_check.hpp"

#include "support/hex_file.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

struct Given {
    Buffer information;
    std::vector<Buffer> objects;
};

std::map<std::string, Given> given_types() {
    std::map<std::string, Given> types;
    for (const HexEntry& entry : read_hex_file(DURABILITYD_TYPES_DIR "/cyclone.hex")) {
        const std::size_t blank = entry.name.find(' ');
        Given& type = types[entry.name.substr(0, blank)];
        const std::string part = entry.name.substr(blank + 1);
        if (part == "information") type.information = entry.bytes;
        if (part == "object") type.objects.push_back(entry.bytes);
    }
    return types;
}

}  // namespace

TEST_CASE("a whole description says that the type has a key") {
    const auto types = given_types();
    REQUIRE(types.size() == 13);
    for (const auto& [name, type] : types) {
        INFO(name);
        const auto keyed = check_description(type.information, type.objects);
        REQUIRE(keyed);
        CHECK(*keyed);
    }
}

TEST_CASE("a description without what it depends on, or of another type, is refused") {
    const auto types = given_types();
    const Given& one = types.begin()->second;
    const Given& other = types.rbegin()->second;
    const auto empty = check_description(one.information, {});
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == Errc::invalid_argument);
    CHECK_FALSE(check_description(one.information, other.objects));
    auto damaged = one.objects;
    for (Buffer& object : damaged)
        object.back() = static_cast<std::uint8_t>(object.back() ^ 1U);
    CHECK_FALSE(check_description(one.information, damaged));
}

TEST_CASE("type information that cannot be read is refused") {
    const Buffer cut = {1, 2, 3};
    const auto checked = check_description(cut, {});
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == Errc::invalid_argument);
    CHECK_THAT(checked.error().detail, Catch::Contains("type information"));
}
