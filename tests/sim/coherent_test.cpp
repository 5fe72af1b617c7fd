// Coherent sets: kept whole or not at all, acknowledged when they are kept, replayed as sets.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

using namespace durability;
using namespace durability::test;

namespace {

const auto reader_vendors = {vendor::eprosima, vendor::eclipse, vendor::rti};
const EndpointChoice coherent{.coherent = true};
const EndpointChoice transient_coherent{.durability = DurabilityKind::transient, .coherent = true};

// "1 2 [3 4] [5 6]", by the sets that the samples of that writer came in; the number of each set
// has to be the one under which its first sample came.
std::string received(const AppReader& reader, const Guid& writer) {
    std::string text;
    std::int64_t set = 0;
    for (const Delivered& sample : reader.received) {
        if (sample.id.writer != writer || sample.is_empty) continue;
        const std::int64_t of = sample.set.value_or(0);
        CHECK(sample.intact);
        if (of != set && set != 0) text += "]";
        if (!text.empty()) text += " ";
        if (of != set && of != 0) {
            CHECK(of == sample.number);
            text += "[";
        }
        text += std::to_string(sample.id.number.value);
        set = of;
    }
    return set != 0 ? text + "]" : text;
}

std::size_t markers(const AppReader& reader) {
    return static_cast<std::size_t>(
        std::ranges::count(reader.received, true, &Delivered::is_empty));
}

std::string reason_of_drop(const SimDaemon& daemon) {
    for (const Event& event : daemon.events()) {
        if (event.kind != EventKind::IncompleteSetDropped) continue;
        for (const auto& [key, value] : event.fields) {
            if (key == "reason") return value;
        }
    }
    return {};
}

}  // namespace

TEST_CASE("a late reader gets sets as sets, numbered by their first sample") {
    for (const VendorId readers : reader_vendors) {
        for (const bool restarts : {false, true}) {
            CAPTURE(readers.value, restarts);
            World world;
            world.start_daemon();
            Application& talker = world.start_application(vendor::eprosima);
            ModelWriter& writer = world.create_writer(talker, coherent);
            world.run(200ms);
            world.write(writer, 2);
            world.write_set(writer, 3, false);
            world.write_set(writer, 2);  // 6, 7, and the sample that ends it
            world.write(writer, 1);      // 9
            world.write_set(writer, 2);  // 10, 11
            REQUIRE(world.run_until_kept(writer));
            world.end_application(talker, Ending::farewell);
            world.run(1s);
            if (restarts) {
                world.end_daemon(Ending::killed);
                world.run(1s);
                world.start_daemon();
            }
            Application& listener = world.start_application(readers);
            const AppReader& reader = world.create_reader(listener, coherent);
            world.run(5s);
            CHECK(received(reader, writer.guid()) == "1 2 [3 4 5] [6 7] 9 [10 11]");
            // What ends the last one, for those that know sets; nobody is asked for it for ever.
            CHECK(markers(reader) == (readers == vendor::rti ? 1U : 0U));
            const auto status = world.daemon().status().readers.at(0);
            CHECK(status.state == "complete");
            CHECK(status.owed == 10);
            CHECK(status.sent == 10);
            CHECK(status.acknowledged == 10);
            // Who came first is shown nothing by who comes after it.
            const AppReader& second = world.create_reader(listener, coherent);
            world.run(5s);
            CHECK(received(second, writer.guid()) == "1 2 [3 4 5] [6 7] 9 [10 11]");
            CHECK(reader.count() == (readers == vendor::rti ? 11U : 10U));
            CHECK(world.daemon().events_of(EventKind::IncompleteSetDropped) == 0);
        }
    }
}

TEST_CASE("a reader that does not ask for coherent access needs nothing that ends a set") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, coherent);
    world.run(200ms);
    world.write_set(writer, 3);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    const AppReader& reader = world.create_reader(world.start_application(vendor::rti), {});
    world.run(5s);
    CHECK(received(reader, writer.guid()) == "[1 2 3]");
    CHECK(markers(reader) == 0);
    CHECK(world.daemon().status().readers.at(0).state == "complete");
}

TEST_CASE(
    "nothing of a set is acknowledged before all of it is kept; a daemon killed in it gets all") {
    for (const bool transient : {false, true}) {
        CAPTURE(transient);
        World world;
        world.start_daemon();
        // One that serves late readers itself, and one that forgets what is acknowledged.
        Application& talker =
            world.start_application(transient ? vendor::eclipse : vendor::eprosima);
        const EndpointChoice& choice = transient ? transient_coherent : coherent;
        ModelWriter& writer = world.create_writer(talker, choice);
        world.run(200ms);
        world.write(writer, 1);
        REQUIRE(world.run_until_kept(writer));
        world.write_set(writer, 3, false);
        world.run(3s);
        CHECK(writer.kept().size() == 1);
        world.end_daemon(Ending::killed);
        world.run(2s);
        world.start_daemon();
        world.run(2s);
        CHECK(writer.kept().size() == 1);
        world.write(writer, 2);
        world.run(2s);
        CHECK(writer.kept().size() == 1);
        world.end_set(writer);
        REQUIRE(world.run_until_kept(writer));
        CHECK(world.daemon().events_of(EventKind::IncompleteSetDropped) == 0);
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        const AppReader& reader = world.create_reader(world.start_application(vendor::rti), choice);
        world.run(5s);
        CHECK(received(reader, writer.guid()) == "1 [2 3 4 5 6]");
    }
}

TEST_CASE("of a set whose writer vanishes nothing remains but an event") {
    for (const Ending ending : {Ending::killed, Ending::farewell}) {
        CAPTURE(static_cast<int>(ending));
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, coherent);
        world.run(200ms);
        world.write_set(writer, 2);
        world.write_set(writer, 3, false);
        world.run(1s);
        CHECK(writer.kept().size() == 3);
        world.end_application(talker, ending);
        world.run(15s);
        CHECK(world.daemon().events_of(EventKind::IncompleteSetDropped) == 1);
        CHECK(reason_of_drop(world.daemon()) == "its writer is gone");
        const AppReader& reader =
            world.create_reader(world.start_application(vendor::rti), coherent);
        world.run(10s);
        CHECK(received(reader, writer.guid()) == "[1 2]");
    }
}

TEST_CASE("a set that began before the daemon is dropped, and its writer need not wait") {
    World world;
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, transient_coherent);
    world.run(200ms);
    world.write_set(writer, 2, false);  // nobody is there, and nothing is kept of it
    world.start_daemon();
    world.run(1s);
    world.write(writer, 2);
    world.run(1s);
    CHECK(writer.all_acknowledged());
    world.end_set(writer);
    world.write_set(writer, 2);
    REQUIRE(world.run_until([&] { return writer.all_acknowledged(); }, 10s));
    CHECK(reason_of_drop(world.daemon()) == "its beginning was not received");
    CHECK(world.daemon().status().writers.at(0).lost >= 2);
    const AppReader& reader =
        world.create_reader(world.start_application(vendor::rti), transient_coherent);
    world.run(5s);
    CHECK(received(reader, writer.guid()) == "[6 7]");
}

TEST_CASE("a set above its limit is dropped, and its writer need not wait") {
    World world;
    world.config.limits.coherent_set_bytes = 20'000;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, transient_coherent);
    world.run(200ms);
    world.write_set(writer, 30, false, 1'000);
    REQUIRE(world.run_until([&] { return writer.all_acknowledged(); }, 10s));
    world.end_set(writer);
    world.write_set(writer, 5, true, 1'000);
    REQUIRE(world.run_until_kept(writer));
    CHECK(reason_of_drop(world.daemon()) == "limits.coherent_set_bytes");
    const AppReader& reader =
        world.create_reader(world.start_application(vendor::rti), transient_coherent);
    world.run(5s);
    CHECK(received(reader, writer.guid()) == "[32 33 34 35 36]");
}

TEST_CASE("a set comes through a bad network, also one larger than can be asked for at once") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        LinkConditions bad;
        bad.loss = 0.05;
        bad.duplication = 0.02;
        bad.max_delay = 2ms;
        World world(seed, bad);
        world.start_daemon();
        Application& talker = world.start_application(vendor::eclipse);
        ModelWriter& writer = world.create_writer(talker, transient_coherent);
        REQUIRE(world.run_until([&] { return writer.matched() > 0; }, 30s));
        world.run(1s);
        std::mt19937_64 random(seed);
        std::map<std::int64_t, int> sets;  // first number, samples
        for (int round = 0; round < 12; ++round) {
            const int size = round == 5 ? 1'000 : 1 + static_cast<int>(random() % 20);
            sets[writer.last() + 1] = size;
            world.write_set(writer, size);
            world.run(Duration{std::chrono::milliseconds{random() % 50}});
        }
        REQUIRE(world.run_until_kept(writer, 120s));
        CHECK(world.daemon().events_of(EventKind::IncompleteSetDropped) == 0);
        world.end_application(talker, Ending::farewell);
        world.run(20s);
        const AppReader& reader =
            world.create_reader(world.start_application(vendor::rti), transient_coherent);
        std::string all;
        for (const auto& [first, size] : sets) {
            all += all.empty() ? "[" : " [";
            for (int i = 0; i < size; ++i)
                all += fmt::format("{}{}", i == 0 ? "" : " ", first + i);
            all += "]";
        }
        CHECK(world.run_until([&] { return received(reader, writer.guid()) == all; }, 120s));
    }
}
