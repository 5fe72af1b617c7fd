// A restart is not a departure (semantics.md, section 7a): what was stored is delivered, nothing is
// delivered twice, and writers that never stopped lose nothing.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};
const auto both_endings = {Ending::stopped, Ending::killed};

std::string numbers(int first, int last) {
    std::string text;
    for (int number = first; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

}  // namespace

TEST_CASE("a late reader gets the history after the daemon was restarted") {
    for (const Ending ending : both_endings) {
        for (const VendorId readers : both_vendors) {
            CAPTURE(static_cast<int>(ending), readers.value);
            World world;
            world.start_daemon();
            Application& talker = world.start_application(vendor::eprosima);
            ModelWriter& writer = world.create_writer(talker, {});
            world.run(200ms);
            world.write(writer, 10);
            REQUIRE(world.run_until_kept(writer));
            world.end_application(talker, Ending::farewell);
            world.run(1s);
            world.end_daemon(ending);
            world.run(2s);
            world.start_daemon();
            world.run(100ms);
            CHECK(world.daemon().events_of(EventKind::ServedFromStoredMeta) == 1);

            Application& listener = world.start_application(readers);
            const AppReader& reader = world.create_reader(listener, {});
            world.run(3s);
            CHECK(reader.numbers_of(writer.guid()) == numbers(1, 10));
            CHECK(reader.count() == 10);
        }
    }
}

TEST_CASE("a reader that stays while the daemon is restarted gets nothing twice") {
    for (const Ending ending : both_endings) {
        for (const VendorId readers : both_vendors) {
            CAPTURE(static_cast<int>(ending), readers.value);
            World world;
            world.start_daemon();
            Application& talker = world.start_application(vendor::eprosima);
            ModelWriter& writer = world.create_writer(talker, {});
            world.run(200ms);
            world.write(writer, 10);
            REQUIRE(world.run_until_kept(writer));
            world.end_application(talker, Ending::farewell);
            world.run(1s);
            Application& listener = world.start_application(readers);
            const AppReader& early = world.create_reader(listener, {});
            world.run(3s);
            REQUIRE(early.numbers_of(writer.guid()) == numbers(1, 10));

            for (int restart = 0; restart < 3; ++restart) {
                world.end_daemon(ending);
                world.run(2s);
                world.start_daemon();
                world.run(5s);
            }
            CHECK(early.count() == 10);

            // A younger reader of the same process is served by the daemon that returned.
            const AppReader& late = world.create_reader(listener, {});
            world.run(5s);
            CHECK(late.numbers_of(writer.guid()) == numbers(1, 10));
            CHECK(early.count() == 10);
        }
    }
}

TEST_CASE("a writer that goes on while the daemon is away loses nothing") {
    // Cyclone DDS, TRANSIENT: it keeps for us what we did not acknowledge, and nothing else.
    for (const Ending ending : both_endings) {
        for (const auto durability : {DurabilityKind::transient, DurabilityKind::transient_local}) {
            CAPTURE(static_cast<int>(ending), static_cast<int>(durability));
            World world;
            world.start_daemon();
            Application& talker = world.start_application(vendor::eclipse);
            ModelWriter& writer = world.create_writer(talker, {.durability = durability});
            world.run(200ms);
            world.write(writer, 10);
            REQUIRE(world.run_until_kept(writer));
            world.end_daemon(ending);
            world.run(1s);
            world.write(writer, 10);
            world.run(1s);
            world.start_daemon();
            CHECK(world.run_until_kept(writer, 5s));
            world.write(writer, 5);
            CHECK(world.run_until_kept(writer, 5s));
            world.end_application(talker, Ending::farewell);
            world.run(1s);
            CHECK(world.daemon().events_of(EventKind::SampleLost) == 0);

            Application& listener = world.start_application(vendor::eprosima);
            const AppReader& reader = world.create_reader(listener, {.durability = durability});
            world.run(3s);
            CHECK(reader.numbers_of(writer.guid()) == numbers(1, 25));
        }
    }
}

TEST_CASE("what was acknowledged survives a kill at any moment") {
    for (int moment = 0; moment < 40; ++moment) {
        CAPTURE(moment);
        World world(static_cast<std::uint64_t>(moment) + 1);
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        world.write(writer, 20);
        world.run(moment * 200us);
        const std::size_t kept = writer.kept().size();
        world.end_application(talker, Ending::killed);
        world.end_daemon(Ending::killed);
        world.start_daemon();
        world.run(15s);

        Application& listener = world.start_application(vendor::eprosima);
        const AppReader& reader = world.create_reader(listener, {});
        world.run(3s);
        REQUIRE(reader.count() >= kept);
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, static_cast<int>(reader.count())));
    }
}

TEST_CASE("a daemon killed in the middle of a replay finishes it when it returns") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        for (int i = 0; i < 20; ++i) {
            world.write(writer, 20, 1'500);
            world.run(20ms);
        }
        REQUIRE(world.run_until_kept(writer));
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, {});
        REQUIRE(world.run_until([&] { return reader.count() >= 100; }, 5s));
        world.end_daemon(Ending::killed);
        const std::size_t before = reader.count();
        REQUIRE(before < 400);
        world.run(2s);
        world.start_daemon();
        world.run(10s);
        // The numbers mean what they meant, so the reader recognises what it had.
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, 400));
    }
}

TEST_CASE("of more readers than may be remembered the oldest is forgotten") {
    World world;
    world.config.limits.frontiers = 2;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    std::vector<const AppReader*> readers;
    for (int i = 1; i <= 4; ++i) {
        world.write(writer, 5);
        REQUIRE(world.run_until_kept(writer));
        if (i == 1) continue;
        readers.push_back(&world.create_reader(world.start_application(vendor::eprosima), {}));
        world.run(3s);
    }
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    world.end_daemon(Ending::killed);
    world.start_daemon();
    world.run(5s);
    std::size_t remembered = 0;
    for (const ReaderStatus& reader : world.daemon().status().readers)
        remembered += reader.reason == "has everything it was owed" ? 1U : 0U;
    CHECK(remembered == 2);
    // For the daemon that returned, the first one is new.
    CHECK(readers[0]->count() == 40);
    CHECK(readers[1]->numbers_of(writer.guid()) == numbers(1, 20));
    CHECK(readers[2]->numbers_of(writer.guid()) == numbers(1, 20));
}

TEST_CASE("a start that takes long serves each topic as it is read, and loses nobody meanwhile") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    std::vector<ModelWriter*> writers;
    for (const char* topic : {"a", "b", "c", "d", "e", "f"}) {
        EndpointChoice choice;
        choice.topic = topic;
        writers.push_back(&world.create_writer(talker, choice));
    }
    world.run(200ms);
    for (ModelWriter* writer : writers) {
        world.write(*writer, 5);
        REQUIRE(world.run_until_kept(*writer));
    }
    Application& gone = world.start_application(vendor::eprosima);
    ModelWriter& ended = world.create_writer(gone, {});
    world.run(200ms);
    world.write(ended, 5);
    REQUIRE(world.run_until_kept(ended));
    world.end_application(gone, Ending::killed);
    world.end_daemon(Ending::killed);
    world.run(1s);
    world.load_delay = 1s;
    SimDaemon& daemon = world.start_daemon();
    std::vector<const AppReader*> readers;
    Application& listener = world.start_application(vendor::eclipse);
    for (const char* topic : {"a", "b", "c", "d", "e", "f", "chatter"}) {
        EndpointChoice choice;
        choice.topic = topic;
        choice.durability = DurabilityKind::transient_local;
        readers.push_back(&world.create_reader(listener, choice));
    }
    const auto served = [&] { return daemon.events_of(EventKind::ServedFromStoredMeta); };
    world.run(1500ms);
    CHECK_FALSE(daemon.service().announced());
    CHECK(world.run_until([&] { return daemon.service().announced(); }, 2s));
    CHECK_FALSE(daemon.service().serving());
    CHECK(served() >= 1);
    CHECK(served() < 7);
    // The writers go on meanwhile; what they say waits for its topic.
    for (ModelWriter* writer : writers)
        world.write(*writer, 5);
    CHECK(world.run_until([&] { return daemon.service().serving(); }, 10s));
    CHECK(served() == 7);
    for (ModelWriter* writer : writers)
        CHECK(world.run_until_kept(*writer));
    world.run(5s);
    for (std::size_t i = 0; i < writers.size(); ++i) {
        CAPTURE(i);
        CHECK(readers[i]->numbers_of(writers[i]->guid()) == numbers(1, 10));
        CHECK(writers[i]->kept().size() == 10);
    }
    CHECK(readers[6]->numbers_of(ended.guid()) == numbers(1, 5));
}
