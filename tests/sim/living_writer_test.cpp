// The writer lives: what it sends late readers itself is not sent again, what it does not is.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};
const EndpointChoice transient{.durability = DurabilityKind::transient};

std::string numbers(int first, int last) {
    std::string text;
    for (int number = first; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}
std::size_t replayed(const AppReader& reader) {
    return static_cast<std::size_t>(
        std::ranges::count(reader.received, true, &Delivered::replayed));
}

}  // namespace

TEST_CASE("a TRANSIENT_LOCAL writer that lives serves its own history, the daemon adds nothing") {
    for (const VendorId writers : both_vendors) {
        for (const VendorId readers : both_vendors) {
            CAPTURE(writers.value, readers.value);
            World world;
            world.start_daemon();
            Application& talker = world.start_application(writers);
            ModelWriter& writer = world.create_writer(talker, {});
            world.run(200ms);
            world.write(writer, 10);
            REQUIRE(world.run_until_kept(writer));
            Application& listener = world.start_application(readers);
            const AppReader& reader = world.create_reader(listener, {});
            world.run(1s);
            world.write(writer, 5);
            world.run(5s);
            CHECK(reader.numbers_of(writer.guid()) == numbers(1, 15));
            CHECK(reader.count() == 15);
            CHECK(replayed(reader) == 0);
        }
    }
}

TEST_CASE(
    "a TRANSIENT writer of Cyclone DDS that lives sends live samples, the daemon the history") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eclipse);
        ModelWriter& writer = world.create_writer(talker, transient);
        world.run(200ms);
        world.write(writer, 10);
        REQUIRE(world.run_until_kept(writer));
        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, transient);
        world.run(1s);
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, 10));
        CHECK(replayed(reader) == 10);
        world.write(writer, 5);
        world.run(5s);
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, 15));
        CHECK(replayed(reader) == 10);
    }
}

TEST_CASE("the share of a writer that died without a word is sent after the handover window") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        world.write(writer, 10);
        REQUIRE(world.run_until_kept(writer));
        world.end_application(talker, Ending::killed);
        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, {});
        world.run(1s);
        CHECK(reader.count() == 0);
        world.run(2s);
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, 10));
        world.run(20s);
        CHECK(reader.count() == 10);
    }
}

TEST_CASE("where the system says that nobody listens, the dead writer's share is sent at once") {
    World world;
    world.reports_unreachable = true;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 10);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::killed);
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(500ms);
    CHECK(reader.numbers_of(writer.guid()) == numbers(1, 10));
    world.run(20s);
    CHECK(reader.count() == 10);
}

TEST_CASE("a writer that leaves while the reader is being considered is replaced by the daemon") {
    for (int moment = 0; moment < 30; ++moment) {
        CAPTURE(moment);
        World world(static_cast<std::uint64_t>(moment) + 1);
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        world.write(writer, 10);
        REQUIRE(world.run_until_kept(writer));
        Application& listener = world.start_application(vendor::eprosima);
        const AppReader& reader = world.create_reader(listener, {});
        world.run(moment * 100us);
        world.end_application(talker, Ending::farewell);
        world.run(20s);
        // Duplicates are possible here, and only here (semantics.md, section 7); a hole is not.
        std::set<std::int64_t> got;
        for (const Delivered& sample : reader.received)
            got.insert(sample.id.number.value);
        CHECK(got.size() == 10);
    }
}

TEST_CASE("the ingest reader acknowledges what is on disk, and nothing else") {
    World world;
    SimDaemon& daemon = world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 5);
    REQUIRE(world.run_until_kept(writer));

    daemon.disk_hangs = true;
    world.write(writer, 20);
    world.run(5s);
    CHECK(writer.kept().size() == 5);
    CHECK_FALSE(writer.all_acknowledged());
    daemon.disk_hangs = false;
    world.run(1s);
    CHECK(writer.kept().size() == 25);

    daemon.sync_delay = 300ms;
    world.write(writer, 1);
    world.run(250ms);
    CHECK(writer.kept().size() == 25);
    world.run(250ms);
    CHECK(writer.kept().size() == 26);
}

TEST_CASE("a topic in memory does not wait for the disk") {
    World world;
    SimDaemon& daemon = world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, transient);
    world.run(200ms);
    daemon.disk_hangs = true;
    world.write(writer, 5);
    world.run(200ms);
    CHECK(writer.kept().size() == 5);
}

TEST_CASE("while the disk hangs, a topic takes so much and no more, and loses nothing") {
    World world;
    world.config.limits.uncommitted_bytes = 64U << 10U;
    SimDaemon& daemon = world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& on_disk = world.create_writer(talker, {});
    Application& other = world.start_application(vendor::eclipse);
    ModelWriter& in_memory = world.create_writer(other, transient);
    world.run(200ms);
    world.write(on_disk, 5);
    REQUIRE(world.run_until_kept(on_disk));

    daemon.disk_hangs = true;
    constexpr int many = 3'000;
    for (int i = 0; i < many / 100; ++i) {
        world.write(on_disk, 100);
        world.run(50ms);
    }
    CHECK(daemon.events_of(EventKind::IngestStalled) == 1);
    const auto received = daemon.status().writers.at(0).received;
    CHECK(received > 5);
    CHECK(received < many);
    // A topic in memory goes on, and is told about nothing.
    world.write(in_memory, 5);
    world.run(500ms);
    CHECK(in_memory.kept().size() == 5);

    daemon.disk_hangs = false;
    CHECK(world.run_until_kept(on_disk));
    CHECK(on_disk.kept().size() == many + 5);
}

// As with two broadcasters of /tf_static: the dead one's samples are older than the living one's,
// and a reader with room for both must have both.
TEST_CASE("what a dead writer left is not withheld for a living one's newer samples") {
    for (const std::int32_t depth : {0, 1, 100}) {
        CAPTURE(depth);
        World world;
        world.start_daemon();
        Application& first_talker = world.start_application(vendor::eclipse);
        ModelWriter& dead = world.create_writer(first_talker, {});
        world.write(dead, 3);
        REQUIRE(world.run_until_kept(dead));
        world.end_application(first_talker, Ending::farewell);
        world.run(1s);
        ModelWriter& living = world.create_writer(world.start_application(vendor::eclipse), {});
        world.write(living, 2);
        REQUIRE(world.run_until_kept(living));
        const AppReader& reader =
            world.create_reader(world.start_application(vendor::eclipse), {.depth = depth});
        world.run(8s);
        CHECK(reader.numbers_of(living.guid()) == numbers(1, 2));
        CHECK(reader.numbers_of(dead.guid()) == (depth == 1 ? "" : numbers(1, 3)));
    }
}
