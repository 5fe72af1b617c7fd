#include "net/interfaces.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace durability;
using net::Interface;

namespace {

const Interface loopback{"lo", 1, 0x7f000001U, 0xff000000U, true, true};
const Interface ethernet{"eth0", 2, 0x0a000007U, 0xffffff00U, false, true};
const Interface wireless{"wlan0", 3, 0xc0a80105U, 0xffffff00U, false, true};
const Interface tunnel{"tun0", 4, 0x0a080001U, 0xffffff00U, false, false};

std::string chosen(const std::vector<Interface>& available,
                   const std::vector<std::string>& wanted) {
    std::string names;
    for (const Interface& interface : net::select_interfaces(available, wanted))
        names += interface.name + " ";
    return names;
}

}  // namespace

TEST_CASE(
    "with nothing named every interface that can multicast is used, loopback only if there is no "
    "other") {
    CHECK(chosen({loopback, ethernet, wireless, tunnel}, {}) == "eth0 wlan0 ");
    CHECK(chosen({loopback, tunnel}, {}) == "lo ");
    CHECK(chosen({loopback}, {}) == "lo ");
    CHECK(chosen({}, {}).empty());
    CHECK(chosen({tunnel}, {}).empty());
}

TEST_CASE("interfaces are named by name or by address, and what is not there is left out") {
    const std::vector<Interface> all{loopback, ethernet, wireless, tunnel};
    CHECK(chosen(all, {"wlan0"}) == "wlan0 ");
    CHECK(chosen(all, {"10.0.0.7"}) == "eth0 ");
    CHECK(chosen(all, {"192.168.1.5", "lo"}) == "lo wlan0 ");
    CHECK(chosen(all, {"tun0"}) == "tun0 ");
    CHECK(chosen(all, {"eth1"}).empty());
    CHECK(chosen(all, {"eth1", "eth0"}) == "eth0 ");
    CHECK(chosen(all, {"10.0.0.70"}).empty());
    CHECK(chosen(all, {"eth"}).empty());
}

TEST_CASE("an address is four numbers and nothing else") {
    CHECK(net::parse_ipv4("10.0.0.7").value() == 0x0a000007U);
    CHECK(net::parse_ipv4("255.255.255.255").value() == 0xffffffffU);
    for (const char* text :
         {"", "10.0.0", "10.0.0.256", "10.0.0.7 ", "eth0", "::1", "10.0.0.7:7400"}) {
        CAPTURE(text);
        CHECK_FALSE(net::parse_ipv4(text).has_value());
    }
}
