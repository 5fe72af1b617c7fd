#include "types/type_information.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::types;
using namespace durability::test;

namespace {

// wire::SmallKey as Cyclone DDS 0.10.2 announces it (fact sheet, section 11).
const char* const small_key =
    "60000000 01100040 28000000 24000000 14000000 f12e6f6e762a3e15b7296aaa8616e100 48000000 "
    "00000000 04000000 00000000 02100040 28000000 24000000 14000000 "
    "f2e1136dd3b6676a4eb09f10c26b1600 73000000 00000000 04000000 00000000";

}  // namespace

TEST_CASE("type information of Cyclone DDS names both types") {
    const auto information = decode_type_information(from_hex(small_key));

    REQUIRE(information);
    REQUIRE(information->minimal);
    REQUIRE(information->complete);
    CHECK(to_string(*information->minimal) == "minimal 2e6f6e762a3e15b7296aaa8616e1");
    CHECK(to_string(*information->complete) == "complete e1136dd3b6676a4eb09f10c26b16");
    CHECK(information->dependencies.empty());
}

TEST_CASE("type information lists what the types depend on, hashed types only") {
    const auto plain = decode_type_information(
        from_hex("54000000 01100040 4c000000 48000000 14000000 f1010101010101010101010101010100 "
                 "48000000 02000000 28000000 02000000 14000000 f1020202020202020202020202020200 "
                 "48000000 08000000 04000000 00000000"));

    REQUIRE(plain);
    REQUIRE(plain->dependencies.size() == 1);
    CHECK(plain->dependencies[0].hash[0] == 2);
    CHECK_FALSE(plain->complete);
}

TEST_CASE("a length may stand for the header of the member behind it") {
    const auto information = decode_type_information(
        from_hex("2c000000 01100050 24000000 14000000 f1010101010101010101010101010100 48000000 "
                 "00000000 04000000 00000000"));

    REQUIRE(information);
    REQUIRE(information->minimal);
    CHECK(information->minimal->hash[13] == 1);
}

TEST_CASE("unknown members of type information are skipped") {
    const auto information = decode_type_information(
        from_hex("40000000 03100020 ffffffff 04100000 ff000000 01100040 28000000 24000000 14000000 "
                 "f1010101010101010101010101010100 48000000 00000000 04000000 00000000"));

    REQUIRE(information);
    CHECK(information->minimal);
}

TEST_CASE("a type that is no hash is none") {
    const auto information = decode_type_information(
        from_hex("24000000 01100040 1c000000 18000000 08000000 04000000 00000000 00000000 04000000 "
                 "00000000"));

    REQUIRE(information);
    CHECK_FALSE(information->minimal);
}

TEST_CASE("type information that is cut or of another encoding is nothing") {
    const Buffer whole = from_hex(small_key);
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_FALSE(decode_type_information(ByteView(whole).first(size)));
    // Fast DDS 2.x: encapsulation header and an encoding of its own.
    CHECK_FALSE(decode_type_information(from_hex("00010000 f2000000 01000000 00000000")));
    CHECK_FALSE(decode_type_information(from_hex("00000000")));
}
