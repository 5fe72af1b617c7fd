// What lies before a key, construct by construct, with the octets written out.
#include "types/plan_for.hpp"

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

constexpr Growth closed = Growth::closed;
constexpr Growth appendable = Growth::appendable;
constexpr Growth mutable_members = Growth::mutable_members;

TypePointer int32_behind(TypePointer type, Growth growth = closed) {
    return structure(growth, {plain("before", std::move(type)), key("id", int32())});
}

}  // namespace

TEST_CASE("a number is found in both byte orders and both representations") {
    const KeyPlan plan = plan_for(structure(closed, {key("id", int32()), plain("seq", int32())}));

    CHECK(key_in(plan, "00010000 01020304 05000000") == "04030201");
    CHECK(key_in(plan, "00000000 01020304 00000005") == "01020304");
    CHECK(key_in(plan, "00070000 01020304 05000000") == "04030201");
    CHECK(key_in(plan, "00060000 01020304 00000005") == "01020304");
}

TEST_CASE("eight octets are aligned to eight in XCDR1 and to four in XCDR2") {
    const KeyPlan plan = plan_for(structure(closed, {key("a", octet()), key("b", int64())}));

    CHECK(key_in(plan, "00010000 07000000 00000000 e803000000000000") ==
          "070000000000000000000000000003e8");
    CHECK(key_in(plan, "00070000 07000000 e803000000000000") == "070000000000000000000000000003e8");
}

TEST_CASE("nothing behind the last key is looked at") {
    const KeyPlan fixed = plan_for(structure(closed, {key("id", int32()), plain("rest", text())}));
    CHECK(key_in(fixed, "00010000 01000000") == "00000001");
    CHECK(key_in(fixed, "00010000 01000000 ffffffff") == "00000001");
    CHECK(key_in(fixed, "00010000 010000") == "none");

    const KeyPlan walked =
        plan_for(structure(mutable_members, {key("id", int32(), 1), plain("rest", text(), 2)}));
    // The second EMHEADER claims more than there is.
    CHECK(key_in(walked, "000b0000 14000000 01000020 07000000 02000040 ff000000 00000000") ==
          "00000007");

    const auto nested = structure(closed, {key("id", int32()), plain("rest", text())});
    const KeyPlan deep =
        plan_for(structure(closed, {plain("name", text()), key("nested", nested)}));
    CHECK(key_in(deep, "00010000 02000000 61000000 07000000") == "00000007");
}

TEST_CASE("strings and sequences before the key are passed over") {
    const KeyPlan behind_text = plan_for(int32_behind(text()));
    CHECK(key_in(behind_text, "00010000 04000000 61626300 07000000") == "00000007");
    CHECK(key_in(behind_text, "00010000 05000000 6162636400 000000 07000000") == "00000007");
    CHECK(key_in(behind_text, "00010000 f0ffffff 61626300 07000000") == "none");

    const KeyPlan behind_numbers = plan_for(int32_behind(sequence(int64())));
    CHECK(key_in(behind_numbers, "00010000 01000000 00000000 0102030405060708 07000000") ==
          "00000007");
    CHECK(key_in(behind_numbers, "00070000 01000000 0102030405060708 07000000") == "00000007");
    // Nothing is aligned for elements that are not there.
    CHECK(key_in(behind_numbers, "00010000 00000000 07000000") == "00000007");

    const KeyPlan behind_wide = plan_for(int32_behind(wide_text()));
    CHECK(key_in(behind_wide, "00010000 06000000 610062006300 0000 07000000") == "00000007");
}

TEST_CASE("XCDR2 has a header before elements that are not primitive") {
    const KeyPlan behind_texts = plan_for(int32_behind(sequence(text())));
    CHECK(key_in(behind_texts,
                 "00010000 02000000 02000000 6100 0000 02000000 6200 0000 07000000") == "00000007");
    CHECK(key_in(behind_texts,
                 "00070000 12000000 02000000 02000000 6100 0000 02000000 6200 0000 07000000") ==
          "00000007");

    const KeyPlan behind_array = plan_for(int32_behind(array(text(), {2})));
    CHECK(key_in(behind_array,
                 "00070000 0e000000 02000000 6100 0000 02000000 6200 0000 07000000") == "00000007");
}

TEST_CASE("enumerators in XCDR2 are read with the header of Cyclone DDS and without, as Fast CDR") {
    const auto color = enumeration(4, {{"red", 0}, {"green", 1}, {"blue", 2}});
    const KeyPlan behind_sequence = plan_for(int32_behind(sequence(color)));
    CHECK(key_in(behind_sequence, "00070000 0c000000 02000000 02000000 01000000 07000000") ==
          "00000007");
    CHECK(key_in(behind_sequence, "00070000 02000000 02000000 01000000 07000000") == "00000007");
    CHECK(key_in(behind_sequence, "00010000 02000000 02000000 01000000 07000000") == "00000007");

    const KeyPlan behind_array = plan_for(int32_behind(array(color, {2})));
    CHECK(key_in(behind_array, "00070000 08000000 02000000 01000000 07000000") == "00000007");
    CHECK(key_in(behind_array, "00070000 02000000 01000000 07000000") == "00000007");
}

TEST_CASE("enumerations and bitmasks are as wide as their bit bound says") {
    const auto narrow = enumeration(1, {{"a", 0}, {"b", 1}});
    const KeyPlan plan = plan_for(
        structure(closed, {key("tiny", narrow), key("flags", bitmask(2)), plain("seq", int32())}));

    CHECK(key_in(plan, "00010000 01 00 0102 05000000") == "01000201");
}

TEST_CASE("the member a union selects is passed over") {
    const auto either = choice(closed,
                               int16(),
                               {branch("number", int32(), {1, 2}),
                                branch("name", text(), {-3}),
                                branch("other", octet(), {}, true)});
    const KeyPlan plan = plan_for(int32_behind(either));

    CHECK(key_in(plan, "00010000 0200 0000 01000000 07000000") == "00000007");
    CHECK(key_in(plan, "00010000 fdff 0000 02000000 6100 0000 07000000") == "00000007");
    CHECK(key_in(plan, "00010000 0900 61 00 07000000") == "00000007");

    const auto growing = choice(appendable, int16(), {branch("number", int32(), {1})});
    CHECK(key_in(plan_for(int32_behind(growing)),
                 "00070000 06000000 0900 aabbccdd 0000 07000000") == "00000007");
}

TEST_CASE("the pairs of a map are passed over") {
    const KeyPlan plan = plan_for(int32_behind(map(int32(), octet())));
    CHECK(key_in(plan, "00010000 02000000 01000000 61 000000 02000000 62 000000 07000000") ==
          "00000007");

    const KeyPlan named = plan_for(int32_behind(map(text(), int32())));
    CHECK(key_in(named, "00070000 10000000 01000000 02000000 6100 0000 01000000 07000000") ==
          "00000007");
}

TEST_CASE("optional members have a presence octet in XCDR2") {
    const KeyPlan plan =
        plan_for(structure(closed, {optional("hint", int32()), key("id", int32())}));

    CHECK(key_in(plan, "00070000 01000000 09000000 07000000") == "00000007");
    CHECK(key_in(plan, "00070000 00000000 07000000") == "00000007");
}

// The vectors of Cyclone DDS's own tests (CdrStreamXcdr1Opt, types t1 to t3).
TEST_CASE("optional members have a parameter header in XCDR1") {
    const KeyPlan plan =
        plan_for(structure(closed, {optional("hint", int32()), key("id", int32())}));
    CHECK(key_in(plan, "00010000 017f0800 00000000 04000000 01000000 02000000") == "00000002");
    CHECK(key_in(plan, "00010000 017f0800 00000000 00000000 02000000") == "00000002");
    CHECK(key_in(plan, "00010000 00000400 01000000 02000000") == "00000002");

    // The value is aligned as if it began at 0; what follows is aligned in the payload again.
    const KeyPlan wide = plan_for(
        structure(closed, {optional("hint", int64()), plain("wide", int64()), key("id", int32())}));
    CHECK(key_in(wide,
                 "00010000 017f0800 00000000 08000000 0100000000000000 00000000 0300000000000000 "
                 "02000000") == "00000002");
    CHECK(key_in(wide, "00010000 017f0800 00000000 00000000 00000000 0300000000000000 02000000") ==
          "00000002");
}

TEST_CASE("an appendable type may be longer or shorter than known") {
    const KeyPlan plan = plan_for(
        structure(appendable, {plain("seq", int32()), key("id", int32()), plain("rest", text())}));

    CHECK(key_in(plan, "00090000 08000000 01000000 07000000") == "00000007");
    CHECK(key_in(plan, "00090000 10000000 01000000 07000000 02000000 6100 0000") == "00000007");
    CHECK(key_in(plan, "00090000 04000000 01000000") == "none");
    // A header that promises more than there is belongs to no value.
    CHECK(key_in(plan, "00090000 10000000 01000000 07000000") == "none");
    CHECK(key_in(plan, "00010000 01000000 07000000") == "00000007");
}

TEST_CASE("a nested appendable structure ends where its header says") {
    const auto inner = structure(appendable, {plain("a", int32())});
    const KeyPlan plan = plan_for(int32_behind(inner));
    CHECK(key_in(plan, "00070000 08000000 01000000 02000000 07000000") == "00000007");

    const auto keyed = structure(appendable, {key("a", int32()), plain("b", int32())});
    const KeyPlan two = plan_for(structure(closed, {key("inner", keyed), key("id", int32())}));
    CHECK(key_in(two, "00070000 0c000000 01000000 02000000 03000000 07000000") ==
          "0000000100000007");
    CHECK(key_in(two, "00070000 04000000 01000000 07000000") == "0000000100000007");
    CHECK(key_in(two, "00070000 00000000 07000000") == "none");
}

TEST_CASE("members of a mutable type are found by id in any order") {
    const KeyPlan plan = plan_for(structure(
        mutable_members, {key("a", int32(), 1), plain("b", text(), 2), key("c", octet(), 3)}));

    CHECK(key_in(plan,
                 "000b0000 1c000000 03000000 61 000000 02000050 02000000 6200 0000 01000020 "
                 "07000000") == "0000000761");
    CHECK(key_in(plan, "000a0000 0000000d 20000001 00000007 00000003 61") == "0000000761");
    CHECK(key_in(plan, "000b0000 08000000 01000020 07000000") == "none");
}

TEST_CASE("every length code of a member header is understood, whatever its flag") {
    const KeyPlan plan = plan_for(structure(mutable_members, {key("id", int32(), 0x33)}));
    const std::string id = "33000020 07000000";
    const std::string before[] = {
        "01000000 aa 000000",                   // 1 octet
        "01000010 aaaa 0000",                   // 2
        "01000020 aaaaaaaa",                    // 4
        "01000030 aaaaaaaaaaaaaaaa",            // 8
        "010000c0 03000000 aaaaaa 00",          // NEXTINT; must understand
        "01000050 03000000 aaaaaa 00",          // the same, part of the value
        "01000060 02000000 aaaaaaaa aaaaaaaa",  // in fours
        "01000070 01000000 aaaaaaaa aaaaaaaa",  // in eights
    };
    for (const std::string& member : before) {
        const std::size_t size = from_hex(member + id).size();
        const Buffer length{static_cast<std::uint8_t>(size), 0, 0, 0};
        INFO(member);
        CHECK(key_in(plan, "000b0000" + to_hex(length) + member + id) == "00000007");
    }
    CHECK(key_in(plan, "000b0000 10000000 01000070 ffffffff 33000020 07000000") == "none");
}

TEST_CASE("a parameter list of XCDR1 is read with short and extended headers") {
    const KeyPlan plan = plan_for(
        structure(mutable_members,
                  {plain("wide", int64(), 5), key("id", int64(), 0x12345), key("c", octet(), 3)}));

    CHECK(key_in(plan,
                 "00030000 05000800 0100000000000000 017f0800 45230100 08000000 0700000000000000 "
                 "03400100 61 000000 023f0000") == "000000000000000761");
    // What is to be ignored is, and the sentinel ends the list.
    CHECK(key_in(plan,
                 "00030000 033f0400 ffffffff 03000100 61 000000 017f0800 45230100 08000000 "
                 "0700000000000000 023f0000 ffffffff") == "000000000000000761");
    CHECK(key_in(plan, "00030000 023f0000 03000100 61 000000") == "none");
    CHECK(key_in(plan, "00030000 0300ff00 61 000000") == "none");
}

TEST_CASE("a mutable structure in another one is a list of its own in XCDR1") {
    const auto inner = structure(mutable_members, {plain("a", octet(), 1), key("b", octet(), 2)});
    const KeyPlan plan = plan_for(structure(closed, {key("inner", inner), key("id", int32())}));

    CHECK(key_in(plan, "00010000 02000100 62 000000 01000100 61 000000 023f0000 07000000") ==
          "6200000000000007");
    CHECK(key_in(plan, "00070000 09000000 02000000 62 000000 01000000 07000000") == "none");
    CHECK(key_in(plan, "00070000 0d000000 02000000 62 000000 01000000 61 000000 07000000") ==
          "6200000000000007");
}

TEST_CASE("members of base types come first") {
    const auto base = structure(closed, {key("base", int16()), plain("text", text())});
    const auto derived = structure(closed, {key("own", octet())}, base);

    CHECK(key_in(plan_for(derived), "00010000 0100 0000 02000000 6100 62") == "000162");
}

TEST_CASE("of a nested structure its marked members are the key, and all of them if none is") {
    const auto marked = structure(closed, {plain("a", int16()), key("b", int16())});
    const auto bare = structure(closed, {plain("a", int16()), plain("b", marked)});
    CHECK(key_in(plan_for(structure(closed, {key("x", marked)})), "00010000 0100 0200") == "0002");
    CHECK(key_in(plan_for(structure(closed, {key("x", bare)})), "00010000 0900 0100 0200") ==
          "00090002");
    // What is marked in a member that is not of the key does not count.
    CHECK(key_in(plan_for(structure(closed, {plain("x", marked), key("y", octet())})),
                 "00010000 0100 0200 03") == "03");
    // In a collection every member counts.
    CHECK(key_in(plan_for(structure(closed, {key("x", array(marked, {2}))})),
                 "00010000 0100 0200 0300 0400") == "0001000200030004");
}

TEST_CASE("arrays and sequences are keys, written as in XCDR1") {
    const KeyPlan numbers = plan_for(structure(closed, {key("x", array(int16(), {2, 2}))}));
    CHECK(key_in(numbers, "00010000 0100 0200 0300 0400") == "0001000200030004");

    const KeyPlan texts = plan_for(structure(closed, {key("x", sequence(text()))}));
    CHECK(key_in(texts, "00070000 10000000 01000000 02000000 6100 0000") == "00000001000000026100");
}

TEST_CASE("a key string ends with its only zero and keeps its bound") {
    const KeyPlan plan = plan_for(structure(closed, {key("name", text(3))}));

    CHECK(key_in(plan, "00010000 04000000 61626300") == "0000000461626300");
    CHECK(key_in(plan, "00010000 05000000 6162636400") == "none");
    CHECK(key_in(plan, "00010000 03000000 616263") == "none");
    CHECK(key_in(plan, "00010000 03000000 610000") == "none");
    // How some write the empty string.
    CHECK(key_in(plan, "00010000 00000000") == "0000000100");
}

TEST_CASE("payloads in an encoding of another extensibility are refused") {
    const KeyPlan final_type = plan_for(structure(closed, {key("id", int32())}));
    CHECK(key_in(final_type, "00090000 04000000 07000000") == "none");
    CHECK(key_in(final_type, "00030000 00000400 07000000") == "none");
    CHECK(key_in(final_type, "000d0000 07000000") == "none");
    CHECK(key_in(final_type, "0001") == "none");
    CHECK(key_in(final_type, "") == "none");
    const KeyPlan list = plan_for(structure(mutable_members, {key("id", int32())}));
    CHECK(key_in(list, "00010000 07000000") == "none");
}
