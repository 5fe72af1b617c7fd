#include "wire/locator.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

TEST_CASE("a locator has 24 octets, its address unswapped") {
    const Buffer bytes = from_hex("01000000 f21c0000 000000000000000000000000 7f000001");
    CHECK(decode_locator(bytes, std::endian::little) == Locator::udp_v4(0x7f000001, 7410));
    Buffer out;
    ByteWriter writer(out);
    write_locator(writer, Locator::udp_v4(0x7f000001, 7410));
    CHECK(out == bytes);
    CHECK(decode_locator(from_hex("00000001 00001cf2 000000000000000000000000 7f000001"),
                         std::endian::big) == Locator::udp_v4(0x7f000001, 7410));
}

TEST_CASE("a locator of an unknown kind is kept, one of another length refused") {
    const auto unknown = decode_locator(
        from_hex("ffffffff 00000000 00000000000000000000000000000000"), std::endian::little);
    REQUIRE(unknown.has_value());
    CHECK(unknown->kind == -1);
    CHECK(decode_locator(Buffer(20), std::endian::little).error() == DecodeError::bad_length);
    CHECK(decode_locator(Buffer(28), std::endian::little).error() == DecodeError::bad_length);
}

TEST_CASE("the ports of a domain are those of the standard") {
    const PortMapping ports;
    CHECK(ports.multicast_metatraffic(0) == 7400);
    CHECK(ports.multicast_user(0) == 7401);
    CHECK(ports.unicast_metatraffic(0, 0) == 7410);
    CHECK(ports.unicast_user(0, 0) == 7411);
    CHECK(ports.unicast_metatraffic(7, 3) == 7400 + 7 * 250 + 10 + 6);
    CHECK(ports.unicast_user(7, 3) == 7400 + 7 * 250 + 11 + 6);
}

TEST_CASE("a port that does not exist is nothing, at the edge and far beyond") {
    const PortMapping ports;
    CHECK(ports.multicast_metatraffic(232) == 65400);
    CHECK_FALSE(ports.multicast_metatraffic(233).has_value());
    CHECK(ports.unicast_user(232, 62) == 65535);
    CHECK_FALSE(ports.unicast_user(232, 63).has_value());
    CHECK(ports.unicast_metatraffic(232, 62) == 65534);
    CHECK_FALSE(ports.unicast_metatraffic(0xffffffffU, 0xffffffffU).has_value());
    CHECK_FALSE(ports.multicast_user(0xffffffffU).has_value());
    const PortMapping wide{65535, 0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU, 0, 0};
    CHECK_FALSE(wide.unicast_metatraffic(0xffffffffU, 0xffffffffU).has_value());
    const PortMapping zero{0, 250, 2, 0, 10, 1, 11};
    CHECK_FALSE(zero.multicast_metatraffic(0).has_value());
}
