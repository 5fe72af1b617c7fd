// Layouts an operator writes down where no type description is to be had.
#include "types/plan_for.hpp"

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

KeyPlan plan_of(const std::vector<std::string>& layout) {
    auto plan = KeyPlan::from_layout(layout);
    INFO((plan ? std::string() : plan.error().text()));
    REQUIRE(plan);
    return *plan;
}

}  // namespace

TEST_CASE("a layout names what a payload begins with") {
    const KeyPlan plan = plan_of({"int32", "skip string", "uint8[4]", "string"});

    CHECK(key_in(plan, "00010000 07000000 02000000 6100 01020304 0000 02000000 6200") ==
          "0000000701020304000000026200");
    CHECK(plan.describe(from_hex("0000000701020304000000026200")) == "7, 01020304, \"b\"");
    CHECK_FALSE(plan.fits_key_hash());
}

TEST_CASE("a layout holds for final and appendable types") {
    const KeyPlan plan = plan_of({"skip int64", "int32"});

    CHECK(key_in(plan, "00010000 0000000000000000 07000000") == "00000007");
    CHECK(key_in(plan, "00070000 0000000000000000 07000000") == "00000007");
    CHECK(key_in(plan, "00090000 0c000000 0000000000000000 07000000") == "00000007");
    CHECK(key_in(plan, "00090000 08000000 0000000000000000 07000000") == "none");
    CHECK(key_in(plan, "00090000 ffffffff 0000000000000000 07000000") == "none");
    CHECK(key_in(plan, "00030000 0000000000000000 07000000") == "none");
    CHECK(key_in(plan, "000b0000 0000000000000000 07000000") == "none");
    CHECK(plan.fits_key_hash());
    CHECK(hex_or_none(plan.key_of_key(from_hex("00090000 07000000"))) == "00000007");
}

TEST_CASE("every element of a layout is known") {
    const KeyPlan plan = plan_of(
        {"bool",      "octet",   "char",       "int8",    "int16",     "int32",          "int64",
         "uint8",     "uint16",  "uint32",     "uint64",  "float32",   "float64",        "string",
         "string<4>", "wstring", "wstring<2>", "char[2]", "string[2]", "skip float64[3]"});
    CHECK(plan.describe({}) == "(no key of the type)");
}

TEST_CASE("values of a layout are shown as what they are") {
    const KeyPlan plan = plan_of({"bool", "char", "int8", "uint16", "float32", "wstring"});
    CHECK(plan.describe(from_hex("01 0a ff 00 ffff 0000 3fc00000 00000004 20ac0022")) ==
          "true, '\\n', -1, 65535, 1.5, \"\u20ac\\\"\"");
}

TEST_CASE("a layout that is none is refused by name") {
    const auto error_of = [](const std::vector<std::string>& layout) {
        const auto plan = KeyPlan::from_layout(layout);
        REQUIRE_FALSE(plan);
        CHECK(plan.error().code == Errc::invalid_argument);
        return plan.error().detail;
    };
    CHECK(error_of({"int32", "integer"}) == "\"integer\" is no element of a key layout");
    for (const char* element : {"",
                                "skip",
                                "skip ",
                                "int32[0]",
                                "int32[]",
                                "int32[x]",
                                "int32[2",
                                "int32<4>",
                                "string<>",
                                "string<0>",
                                "[3]",
                                " int32",
                                "int32 ",
                                "skip skip int32",
                                "uint8[99999999]",
                                "uint8[4294967297]"}) {
        INFO(element);
        CHECK(error_of({element}).find("no element") != std::string::npos);
    }
    CHECK(error_of({}) == "the type has no key");
    CHECK(error_of({"skip int32"}) == "the type has no key");
    CHECK(error_of(std::vector<std::string>(1001, "octet")).find("1000") != std::string::npos);
}
