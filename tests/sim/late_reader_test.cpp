// The promise itself: a late reader gets the history of a writer that is gone, once and in order.
#include "sim/world.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};

}  // namespace

TEST_CASE("a late reader gets everything that a writer left behind when it ended") {
    for (const VendorId writers : both_vendors) {
        for (const VendorId readers : both_vendors) {
            for (const Ending ending : {Ending::killed, Ending::farewell}) {
                CAPTURE(writers.value, readers.value, static_cast<int>(ending));
                World world;
                world.start_daemon();
                Application& talker = world.start_application(writers);
                ModelWriter& writer = world.create_writer(talker, {});
                world.run(200ms);
                world.write(writer, 10);
                REQUIRE(world.run_until_kept(writer));
                world.end_application(talker, ending);
                world.run(15s);  // longer than the writer's lease

                Application& listener = world.start_application(readers);
                const AppReader& reader = world.create_reader(listener, {});
                world.run(2s);
                CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5 6 7 8 9 10");
                CHECK(reader.count() == 10);
                for (const Delivered& sample : reader.received) {
                    CHECK(sample.replayed);
                    CHECK(sample.intact);
                }
                CHECK(world.daemon().events_of(EventKind::SampleLost) == 0);
            }
        }
    }
}

TEST_CASE("a late reader that asks for TRANSIENT gets the history of a TRANSIENT writer") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eclipse);
        const EndpointChoice transient{.durability = DurabilityKind::transient};
        ModelWriter& writer = world.create_writer(talker, transient);
        world.run(200ms);
        world.write(writer, 5);
        REQUIRE(world.run_until_kept(writer));
        world.end_application(talker, Ending::farewell);
        world.run(1s);

        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, transient);
        world.run(2s);
        CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5");
    }
}

TEST_CASE("history that does not fit into one window arrives, also where samples are large") {
    for (const std::size_t size : {std::size_t{64}, std::size_t{1'500}, std::size_t{40'000}}) {
        CAPTURE(size);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        // The smallest are more than fit into one page of the store's list.
        const int samples = size > 10'000 ? 60 : size > 1'000 ? 600 : 5'000;
        for (int i = 0; i < samples; i += 20) {
            world.write(writer, 20, size);
            world.run(20ms);
        }
        REQUIRE(world.run_until_kept(writer, 60s));
        world.end_application(talker, Ending::farewell);
        world.run(1s);

        Application& listener = world.start_application(vendor::eprosima);
        const AppReader& reader = world.create_reader(listener, {});
        CHECK(world.run_until([&] { return reader.count() == static_cast<std::size_t>(samples); },
                              30s));
        world.run(5s);
        REQUIRE(reader.count() == static_cast<std::size_t>(samples));
        for (int i = 0; i < samples; ++i) {
            CHECK(reader.received[static_cast<std::size_t>(i)].id.number.value == i + 1);
            CHECK(reader.received[static_cast<std::size_t>(i)].intact);
        }
    }
}

TEST_CASE("a VOLATILE reader gets no history, and what comes live is not held up by it") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        world.start_daemon();
        Application& old_talker = world.start_application(vendor::eprosima);
        ModelWriter& old_writer = world.create_writer(old_talker, {});
        world.run(200ms);
        world.write(old_writer, 5);
        REQUIRE(world.run_until_kept(old_writer));
        world.end_application(old_talker, Ending::farewell);
        world.run(1s);

        Application& listener = world.start_application(readers);
        const AppReader& reader =
            world.create_reader(listener, {.durability = DurabilityKind::volatile_});
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(2s);
        world.write(writer, 3);
        world.run(2s);
        CHECK(reader.numbers_of(old_writer.guid()).empty());
        CHECK(reader.numbers_of(writer.guid()) == "1 2 3");
    }
}

TEST_CASE("once everything is delivered the replay writer is silent") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 10);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    for (const VendorId readers : both_vendors) {
        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, {});
        world.run(5s);
        REQUIRE(reader.count() == 10);
        int user_messages = 0;
        world.loses = [&](const Buffer& datagram) {
            user_messages +=
                static_cast<int>(has_user_heartbeat(datagram) || has_user_acknack(datagram));
            return false;
        };
        world.run(60s);
        world.loses = nullptr;
        CHECK(user_messages == 0);
    }
}
