// What a change of addresses asks for: nothing, new addresses for the same participants, or new
// participants.
#include "runtime/network_change.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace durability;
using net::Interface;
using runtime::NetworkChange;

namespace {

const Interface loopback{"lo", 1, 0x7f000001U, 0xff000000U, true, true};
const Interface wired{"eth0", 2, 0x0a000007U, 0xffffff00U, false, true};
const Interface wired_elsewhere{"eth0", 2, 0x0a000009U, 0xffffff00U, false, true};
const Interface wired_again{"eth0", 7, 0x0a000007U, 0xffffff00U, false, true};
const Interface wireless{"wlan0", 3, 0xc0a80105U, 0xffffff00U, false, true};

using List = std::vector<Interface>;

// One participant through a sequence of states of the machine; what each step asked for.
struct Life {
    explicit Life(List up) : used(choose(up)) { known = runtime::with_addresses({}, used); }
    static List choose(const List& up) { return net::select_interfaces(up, {}); }
    NetworkChange becomes(const List& up) {
        const List chosen = choose(up);
        const NetworkChange change = runtime::judge_change(known, used, up, chosen);
        if (change == NetworkChange::replaced) known.clear();
        used = chosen;
        known = runtime::with_addresses(known, chosen);
        return change;
    }
    List used;
    std::vector<std::uint32_t> known;
};

}  // namespace

TEST_CASE("an interface that comes is announced, one that goes is not waited for") {
    Life life({loopback});
    CHECK(life.becomes({loopback}) == NetworkChange::none);
    CHECK(life.becomes({loopback, wired}) == NetworkChange::extended);
    CHECK(life.becomes({loopback, wired, wireless}) == NetworkChange::extended);
    CHECK(life.becomes({loopback, wired, wireless}) == NetworkChange::none);
    CHECK(life.becomes({loopback, wired}) == NetworkChange::extended);
    CHECK(life.becomes({loopback, wired, wireless}) == NetworkChange::extended);
}

TEST_CASE("a start without any network is followed by the first one") {
    Life life({});
    CHECK(life.becomes({}) == NetworkChange::none);
    CHECK(life.becomes({wired}) == NetworkChange::extended);
    CHECK(life.becomes({}) == NetworkChange::extended);
    CHECK(life.becomes({wired}) == NetworkChange::extended);
}

TEST_CASE("a cable that is pulled and put back changes nothing but the addresses in use") {
    Life life({loopback, wired});
    CHECK(life.becomes({loopback}) == NetworkChange::extended);
    CHECK(life.becomes({loopback, wired}) == NetworkChange::extended);
}

TEST_CASE("another address instead of one that peers know needs other participants") {
    Life life({loopback, wired});
    CHECK(life.becomes({loopback, wired_elsewhere}) == NetworkChange::replaced);
    CHECK(life.becomes({loopback, wired_elsewhere}) == NetworkChange::none);
    // Also when they are not seen at the same time.
    CHECK(life.becomes({loopback}) == NetworkChange::extended);
    CHECK(life.becomes({loopback, wired}) == NetworkChange::replaced);
}

TEST_CASE("an interface that was made anew is joined again, under the same identity") {
    Life life({loopback, wired});
    CHECK(life.becomes({loopback, wired_again}) == NetworkChange::extended);
    CHECK(life.used == List{wired_again});
}

TEST_CASE("a known address that is up but not used any more has not gone") {
    Life life({loopback});
    CHECK(life.becomes({loopback, wired}) == NetworkChange::extended);
    CHECK(life.becomes({loopback}) == NetworkChange::extended);
}
