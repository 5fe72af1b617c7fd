// Payloads that hold the key alone, key hashes, names of instances.
#include "types/plan_for.hpp"

#include "base/md5.hpp"

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

constexpr Growth closed = Growth::closed;
constexpr Growth appendable = Growth::appendable;
constexpr Growth mutable_members = Growth::mutable_members;

std::string key_alone_in(const KeyPlan& plan, std::string_view payload) {
    return hex_or_none(plan.key_of_key(from_hex(payload)));
}

std::string hash_of(const KeyPlan& plan, std::string_view key, const HashRule& rule = {}) {
    return to_hex(plan.key_hash_by(from_hex(key), rule));
}

}  // namespace

TEST_CASE("a key payload is read in both byte orders, with padding said or not") {
    const KeyPlan plan =
        plan_for(structure(closed, {plain("seq", int32()), key("id", int32()), key("c", octet())}));

    CHECK(key_alone_in(plan, "00010003 07000000 61 000000") == "0000000761");
    CHECK(key_alone_in(plan, "00010000 07000000 61 000000") == "0000000761");
    CHECK(key_alone_in(plan, "00000000 00000007 61") == "0000000761");
    CHECK(key_alone_in(plan, "00060000 00000007 61") == "0000000761");
    CHECK(key_alone_in(plan, "00010000 07000000") == "none");
    CHECK(key_alone_in(plan, "00010000 07000000 61 000000 00000000") == "none");
}

TEST_CASE("a key payload may be the type reduced to its key, with headers") {
    const KeyPlan growing = plan_for(
        structure(appendable, {plain("seq", int32()), key("name", text()), key("id", int32())}));
    const std::string expected = "000000036162000000000007";
    // As Cyclone DDS sends it, then with the DHEADER the type has.
    CHECK(key_alone_in(growing, "00090000 03000000 616200 00 07000000") == expected);
    CHECK(key_alone_in(growing, "00090000 0c000000 03000000 616200 00 07000000") == expected);
    CHECK(key_alone_in(growing, "00010000 03000000 616200 00 07000000") == expected);

    const KeyPlan list = plan_for(
        structure(mutable_members,
                  {plain("seq", int32(), 1), key("name", text(), 2), key("id", int32(), 3)}));
    CHECK(key_alone_in(list, "000b0000 03000000 616200 00 07000000") == expected);
    CHECK(key_alone_in(list, "000b0000 14000000 03000020 07000000 02000050 03000000 616200 00") ==
          "none");
    CHECK(key_alone_in(list, "000b0000 13000000 03000020 07000000 02000050 03000000 616200 00") ==
          expected);
    CHECK(key_alone_in(list, "00030000 02400700 03000000 616200 00 03400400 07000000 023f0000") ==
          expected);
}

TEST_CASE("keys are sent in the order of their ids, and declared order is kept in the key") {
    const KeyPlan plan =
        plan_for(structure(closed, {key("late", int32(), 9), key("early", octet(), 4)}));
    const Buffer key = from_hex("0000006405");

    CHECK(to_hex(plan.key_payload(key, 0)) == "000100000500000064000000");
    CHECK(to_hex(plan.key_payload(key, 2)) == "000700000500000064000000");
    CHECK(key_alone_in(plan, "00010000 05000000 64000000") == "0000006405");
    CHECK(plan.key_payload(from_hex("00"), 0).empty());
}

TEST_CASE("a mutable type's key is a parameter list in XCDR1") {
    const KeyPlan plan = plan_for(
        structure(mutable_members,
                  {key("name", text(), 2), plain("seq", int32(), 1), key("id", int32(), 3)}));
    const Buffer payload = plan.key_payload(from_hex("000000036162000000000007"), 0);

    CHECK(to_hex(payload) ==
          "00030000"
          "017f0800020000400700000003000000616200"
          "00"
          "017f0800030000400400000007000000"
          "023f0000");
    CHECK(hex_or_none(plan.key_of_key(payload)) == "000000036162000000000007");
}

TEST_CASE("a key that always fits names the instance by itself") {
    const KeyPlan plan = plan_for(structure(closed, {key("a", octet()), key("b", int64())}));
    const Buffer key = from_hex("07000000000000000000 0000000003e8");
    REQUIRE(plan.fits_key_hash());

    CHECK(plan.identify(key).tag == 0);
    CHECK(to_hex(plan.identify(key).hash) == "070000000000000000000000000003e8");
    CHECK(hex_or_none(plan.key_of_hash(plan.identify(key).hash)) == to_hex(key));
    CHECK(hash_of(plan, to_hex(key), cyclone_hash_rule(2)) == "0700000000000000000003e800000000");

    KeyHash flavour{};
    const Buffer octets = from_hex("0700000000000000000003e800000000");
    std::copy(octets.begin(), octets.end(), flavour.begin());
    CHECK(hex_or_none(plan.key_of_hash(flavour, cyclone_hash_rule(2))) == to_hex(key));
}

TEST_CASE("the maximum decides whether a key fits") {
    const auto fits = [](std::vector<Field> fields) {
        return plan_for(structure(closed, std::move(fields))).fits_key_hash();
    };
    CHECK(fits({key("a", int64()), key("b", int64())}));
    CHECK_FALSE(fits({key("a", octet()), key("b", int64()), key("c", octet())}));
    CHECK_FALSE(fits({key("a", text())}));
    CHECK(fits({key("a", text(11))}));
    CHECK_FALSE(fits({key("a", text(12))}));
    CHECK(fits({key("a", sequence(octet(), 12))}));
    CHECK_FALSE(fits({key("a", sequence(octet(), 13))}));
    CHECK_FALSE(fits({key("a", sequence(octet()))}));
    CHECK(fits({key("a", array(octet(), {4, 4}))}));
    CHECK_FALSE(fits({key("a", array(octet(), {17}))}));
    CHECK(fits({key("a", structure(closed, {plain("x", text()), key("y", int32())}))}));
}

// Fact sheet 6.5: both vendors hash this one so; a short string only Fast DDS does.
TEST_CASE("string keys are hashed, however short the string is") {
    const KeyPlan plan = plan_for(structure(closed, {key("name", text())}));
    const auto found = plan.key_of_data(
        from_hex("00010000 1f000000 "
                 "696e7374616e63652d6e616d652d6c6f6e6765722d7468616e2d31362d3000"));
    REQUIRE(found);
    const Buffer& key = *found;
    CHECK(to_hex(plan.identify(key).hash) == "1eb2be517a366b6be3657a4a205e903e");
    CHECK(plan.key_hash_by(key, cyclone_hash_rule(0)) == plan.identify(key).hash);

    const Buffer short_key = from_hex("0000000261 00");
    CHECK(plan.identify(short_key).hash == md5(short_key));
    CHECK(plan.identify(short_key).tag != 0);
    CHECK(hash_of(plan, "000000026100", cyclone_hash_rule(0)) ==
          "00000002610000000000000000000000");
    CHECK_FALSE(plan.key_of_hash(plan.identify(short_key).hash));
}

TEST_CASE("a hash with something behind the key is no key") {
    const KeyPlan plan = plan_for(structure(closed, {key("id", int32())}));
    KeyHash hash{0, 0, 0, 7};
    CHECK(hex_or_none(plan.key_of_hash(hash)) == "00000007");
    hash[9] = 1;
    CHECK_FALSE(plan.key_of_hash(hash));
}

// The messages of Wang and Yu, as published in "How to Break MD5 and Other Hash Functions" (2005).
TEST_CASE("two keys of one MD5 are two instances") {
    const std::string first =
        "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89"
        "55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b"
        "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
        "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70";
    const std::string second =
        "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f89"
        "55ad340609f4b30283e4888325f1415a085125e8f7cdc99fd91dbd7280373c5b"
        "d8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0"
        "e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70";
    const KeyPlan plan = plan_for(structure(closed, {key("id", array(octet(), {128}))}));

    const InstanceKey one = plan.identify(*plan.key_of_data(from_hex("00010000" + first)));
    const InstanceKey other = plan.identify(*plan.key_of_data(from_hex("00010000" + second)));

    CHECK(to_hex(one.hash) == "79054025255fb1a26e4bc422aef54eb4");
    CHECK(one.hash == other.hash);
    CHECK(one.tag != other.tag);
    CHECK(one != other);
}
