#include "model/locator.hpp"

#include <catch2/catch.hpp>

using namespace durability;

TEST_CASE("an IPv4 locator keeps its address in the last four octets") {
    const Locator locator = Locator::udp_v4(0x7f000001, 7410);
    CHECK(locator.is_udp_v4());
    CHECK(locator.ipv4() == 0x7f000001U);
    CHECK(locator.address[11] == 0);
    CHECK(locator.address[12] == 127);
    CHECK_FALSE(locator.is_multicast());
    CHECK(to_string(locator) == "127.0.0.1:7410");
}

TEST_CASE("multicast addresses are recognised at both ends of their range") {
    CHECK(Locator::udp_v4(0xe0000000, 1).is_multicast());
    CHECK(Locator::udp_v4(0xefffffff, 1).is_multicast());
    CHECK_FALSE(Locator::udp_v4(0xdfffffff, 1).is_multicast());
    CHECK_FALSE(Locator::udp_v4(0xf0000000, 1).is_multicast());
}

TEST_CASE("a port that UDP does not have makes a locator unusable") {
    Locator locator = Locator::udp_v4(0x7f000001, 7410);
    locator.port = 0;
    CHECK_FALSE(locator.is_udp_v4());
    locator.port = 65536;
    CHECK_FALSE(locator.is_udp_v4());
    locator.port = 65535;
    CHECK(locator.is_udp_v4());
}

TEST_CASE("locators of other kinds are shown but not taken for UDPv4") {
    Locator locator;
    CHECK_FALSE(locator.is_udp_v4());
    locator.kind = static_cast<std::int32_t>(LocatorKind::shared_memory);
    locator.port = 7410;
    CHECK_FALSE(locator.is_udp_v4());
    CHECK(to_string(locator) == "kind 16 00000000000000000000000000000000:7410");
}
