// Loss, reordering, duplicates; and the loss of exactly the messages on which everything hangs.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};

std::string one_to(int last) {
    std::string text;
    for (int number = 1; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

// A world in which a writer left `samples` samples.
struct Legacy {
    explicit Legacy(LinkConditions conditions = {},
                    int samples = 30,
                    DurabilityKind durability = DurabilityKind::transient_local)
        : world(7, conditions) {
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {.durability = durability});
        REQUIRE(world.run_until([&] { return writer.matched() > 0; }, 30s));
        world.write(writer, samples);
        REQUIRE(world.run_until_kept(writer, 120s));
        guid = writer.guid();
        world.end_application(talker, Ending::killed);
        world.run(15s);
    }
    World world;
    Guid guid;
};

}  // namespace

TEST_CASE("history arrives once and in order over a bad network") {
    const LinkConditions lossy{0.3, 0.0, 50us, 50us};
    const LinkConditions reordering{0.0, 0.0, 50us, 20ms};
    const LinkConditions doubling{0.0, 0.5, 50us, 5ms};
    const LinkConditions everything{0.3, 0.3, 50us, 20ms};
    for (const LinkConditions& conditions : {lossy, reordering, doubling, everything}) {
        for (const VendorId readers : both_vendors) {
            CAPTURE(conditions.loss,
                    conditions.duplication,
                    conditions.max_delay.count(),
                    readers.value);
            Legacy legacy(conditions);
            Application& listener = legacy.world.start_application(readers);
            const AppReader& reader = legacy.world.create_reader(listener, {});
            CHECK(legacy.world.run_until([&] { return reader.count() >= 30; }, 120s));
            legacy.world.run(10s);
            CHECK(reader.numbers_of(legacy.guid) == one_to(30));
        }
    }
}

TEST_CASE("the loss of the first HEARTBEATs costs nothing but time") {
    // A TRANSIENT reader of Cyclone DDS gets no history at all if the first HEARTBEAT that reaches
    // it is not an empty one.
    for (const auto durability : {DurabilityKind::transient_local, DurabilityKind::transient}) {
        for (const VendorId readers : both_vendors) {
            for (int lost = 1; lost <= 6; ++lost) {
                CAPTURE(static_cast<int>(durability), readers.value, lost);
                Legacy legacy({}, 30, durability);
                int seen = 0;
                legacy.world.loses = [&](const Buffer& datagram) {
                    return has_user_heartbeat(datagram) && ++seen <= lost;
                };
                Application& listener = legacy.world.start_application(readers);
                const AppReader& reader =
                    legacy.world.create_reader(listener, {.durability = durability});
                CHECK(legacy.world.run_until([&] { return reader.count() >= 30; }, 30s));
                legacy.world.run(5s);
                CHECK(reader.numbers_of(legacy.guid) == one_to(30));
            }
        }
    }
}

TEST_CASE("the loss of the first ACKNACKs costs nothing but time") {
    for (const auto durability : {DurabilityKind::transient_local, DurabilityKind::transient}) {
        for (const VendorId readers : both_vendors) {
            for (int lost = 1; lost <= 6; ++lost) {
                CAPTURE(static_cast<int>(durability), readers.value, lost);
                Legacy legacy({}, 30, durability);
                int seen = 0;
                legacy.world.loses = [&](const Buffer& datagram) {
                    return has_user_acknack(datagram) && ++seen <= lost;
                };
                Application& listener = legacy.world.start_application(readers);
                const AppReader& reader =
                    legacy.world.create_reader(listener, {.durability = durability});
                CHECK(legacy.world.run_until([&] { return reader.count() >= 30; }, 30s));
                legacy.world.run(10s);
                CHECK(reader.numbers_of(legacy.guid) == one_to(30));
            }
        }
    }
}

TEST_CASE("a reader that disappears half-way costs a few messages and then nothing") {
    for (const Ending ending : {Ending::killed, Ending::farewell}) {
        CAPTURE(static_cast<int>(ending));
        Legacy legacy({}, 2'000);
        World& world = legacy.world;
        Application& listener = world.start_application(vendor::eprosima);
        const AppReader& reader = world.create_reader(listener, {});
        REQUIRE(world.run_until([&] { return reader.count() > 100; }, 5s));
        world.end_application(listener, ending);
        const World::Traffic at_the_end = world.replayed_to(listener);
        world.run(12s);  // until its lease is over
        const World::Traffic after_lease = world.replayed_to(listener);
        CHECK(after_lease.octets - at_the_end.octets < 400'000);
        CHECK(after_lease.datagrams - at_the_end.datagrams < 150);
        CHECK(world.daemon().status().readers.empty());
        world.run(60s);
        CHECK(world.replayed_to(listener).datagrams - after_lease.datagrams == 0);

        Application& other = world.start_application(vendor::eclipse);
        const AppReader& next = world.create_reader(other, {});
        CHECK(world.run_until([&] { return next.count() == 2'000; }, 10s));
    }
}

TEST_CASE("a reader that is deleted half-way is not sent anything more") {
    Legacy legacy({}, 2'000);
    World& world = legacy.world;
    Application& listener = world.start_application(vendor::eclipse);
    const AppReader& stays = world.create_reader(listener, {});
    AppReader& leaves = world.create_reader(listener, {});
    REQUIRE(world.run_until([&] { return leaves.count() > 100; }, 5s));
    listener.delete_reader(leaves);
    CHECK(world.run_until([&] { return stays.count() == 2'000; }, 10s));
    world.run(5s);
    CHECK(stays.count() == 2'000);
    CHECK(world.daemon().status().readers.size() == 1);
    const World::Traffic at_rest = world.replayed_to(listener);
    world.run(2500ms);
    CHECK(world.replayed_to(listener).datagrams - at_rest.datagrams < 5);  // announcements
}
