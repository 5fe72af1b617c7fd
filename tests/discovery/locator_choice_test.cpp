#include "discovery/locator_choice.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;

namespace {

constexpr Locator loopback = Locator::udp_v4(0x7f000001, 7410);
constexpr Locator wired = Locator::udp_v4(0x0a000007, 7410);
constexpr Locator wireless = Locator::udp_v4(0xc0a80107, 7410);
constexpr Locator group = Locator::udp_v4(0xefff0001, 7400);
// The source port is ephemeral and does not matter.
constexpr Locator from_wireless = Locator::udp_v4(0xc0a80107, 51234);
using List = std::vector<Locator>;

}  // namespace

TEST_CASE("the address a datagram came from is preferred") {
    CHECK(choose_locators(List{loopback, wired, wireless}, {}, from_wireless) == List{wireless});
}

TEST_CASE("without it the first address that is not loopback is taken") {
    CHECK(choose_locators(List{loopback, wired, wireless}, {}, std::nullopt) == List{wired});
    CHECK(choose_locators(List{loopback}, {}, std::nullopt) == List{loopback});
}

TEST_CASE("a choice stays as long as it is announced") {
    CHECK(choose_locators(List{wired, wireless}, {}, from_wireless, List{wired}) == List{wired});
    CHECK(choose_locators(List{wireless}, {}, std::nullopt, List{wired}) == List{wireless});
}

TEST_CASE("multicast is the last resort, and nothing else is one") {
    CHECK(choose_locators(List{}, List{group}, std::nullopt) == List{group});
    CHECK(choose_locators(List{group}, List{}, std::nullopt).empty());
    CHECK(choose_locators(List{}, List{wired}, std::nullopt).empty());
    CHECK(choose_locators(List{Locator{}}, List{}, std::nullopt).empty());
    CHECK(choose_locators(List{Locator::udp_v4(0, 7410)}, List{}, std::nullopt).empty());
    Locator shared_memory = wired;
    shared_memory.kind = 16;
    CHECK(choose_locators(List{shared_memory}, List{}, std::nullopt).empty());
}
