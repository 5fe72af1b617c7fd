// A router, a player of recordings: samples that come in the name of their original writer are kept
// once and under its identity, whoever brought them, and a late reader has them once.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace durability;
using namespace durability::test;

namespace {

const auto both_vendors = {vendor::eprosima, vendor::eclipse};

std::string numbers(int first, int last) {
    std::string text;
    for (int number = first; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

struct Routed {
    World world;
    Application* router{nullptr};
    ModelWriter* relay{nullptr};

    void start_router() {
        router = &world.start_application(vendor::eprosima);
        relay = &world.create_writer(*router, {});
        world.run(500ms);
    }
    void bring(const Guid& writer, int first, int last) {
        for (int number = first; number <= last; ++number)
            world.relay(*router, *relay, {writer, SequenceNumber{number}});
        REQUIRE(world.run_until_kept(*relay));
    }
    void restart() {
        world.end_daemon(Ending::killed);
        world.run(1s);
        world.start_daemon();
        world.run(2s);
    }
    std::uint64_t retained() { return world.daemon().status().topics.at(0).retained_samples; }
};

}  // namespace

TEST_CASE("a sample that comes directly and by a router is kept once, whichever was first") {
    for (const bool router_first : {true, false}) {
        for (const bool restarted : {true, false}) {
            CAPTURE(router_first, restarted);
            Routed routed;
            World& world = routed.world;
            world.start_daemon();
            Application& talker = world.start_application(vendor::eprosima);
            ModelWriter* writer = nullptr;
            Guid original;
            if (router_first) {
                // Whom the daemon has not met: the writer is known by name only.
                routed.start_router();
                original = {talker.prefix(), EntityId{0x00000103}};
                routed.bring(original, 1, 10);
                if (restarted) routed.restart();
                writer = &world.create_writer(talker, {});
                REQUIRE(writer->guid() == original);
                world.run(500ms);
                world.write(*writer, 12);
                REQUIRE(world.run_until_kept(*writer));
            } else {
                writer = &world.create_writer(talker, {});
                original = writer->guid();
                world.run(500ms);
                world.write(*writer, 12);
                REQUIRE(world.run_until_kept(*writer));
                if (restarted) routed.restart();
                routed.start_router();
                routed.bring(original, 1, 10);
            }
            world.run(1s);
            CHECK(routed.retained() == 12);
            world.end_application(*routed.router, Ending::farewell);
            world.end_application(talker, Ending::farewell);
            world.run(1s);
            const AppReader& reader =
                world.create_reader(world.start_application(vendor::eclipse), {});
            world.run(3s);
            CHECK(reader.numbers_of(original) == numbers(1, 12));
            CHECK(reader.count() == 12);
        }
    }
}

TEST_CASE("a router speaks for many writers, and what it sends again is not kept again") {
    Routed routed;
    World& world = routed.world;
    world.start_daemon();
    routed.start_router();
    std::vector<Guid> originals;
    for (std::uint8_t i = 0; i < 20; ++i) {
        Guid guid;
        guid.prefix.octets[0] = 0x77;
        guid.prefix.octets[11] = i;
        guid.entity = EntityId{0x00000103};
        originals.push_back(guid);
    }
    for (int round = 0; round < 2; ++round) {
        for (int number = 1; number <= 5; ++number) {
            for (const Guid& original : originals)
                routed.bring(original, number, number);
        }
    }
    CHECK(routed.retained() == 100);
    CHECK(world.daemon().status().writers.size() == 20);
    // After a restart the router is asked for everything again.
    routed.restart();
    world.run(2s);
    CHECK(routed.retained() == 100);
    world.end_application(*routed.router, Ending::farewell);
    world.run(1s);
    const AppReader& reader = world.create_reader(world.start_application(vendor::eprosima), {});
    world.run(3s);
    CHECK(reader.count() == 100);
    for (const Guid& original : originals)
        CHECK(reader.numbers_of(original) == numbers(1, 5));
}

TEST_CASE("what a living router sends a late reader itself the daemon does not send as well") {
    for (const VendorId readers : both_vendors) {
        for (const bool restarted : {true, false}) {
            CAPTURE(readers.value, restarted);
            Routed routed;
            World& world = routed.world;
            world.start_daemon();
            routed.start_router();
            Guid original;
            original.prefix.octets[0] = 0x77;
            original.entity = EntityId{0x00000103};
            routed.bring(original, 1, 10);
            if (restarted) routed.restart();
            const AppReader& early = world.create_reader(world.start_application(readers), {});
            world.run(6s);
            CHECK(early.numbers_of(original) == numbers(1, 10));
            // Gone, it is spoken for.
            world.end_application(*routed.router, Ending::farewell);
            world.run(1s);
            const AppReader& late = world.create_reader(world.start_application(readers), {});
            world.run(3s);
            CHECK(late.numbers_of(original) == numbers(1, 10));
            CHECK(early.count() == 10);
        }
    }
}

TEST_CASE("when a router is gone, those it spoke for are retired, and back with it") {
    Routed routed;
    World& world = routed.world;
    world.start_daemon();
    routed.start_router();
    Guid original;
    original.prefix.octets[0] = 0x77;
    original.entity = EntityId{0x00000103};
    const auto is_retired = [&] {
        const auto status = world.daemon().status();
        return status.writers.size() == 1 && status.writers[0].retired;
    };
    routed.bring(original, 1, 3);
    CHECK_FALSE(is_retired());
    // It stands for them also after a restart.
    routed.restart();
    world.run(40s);
    CHECK_FALSE(is_retired());
    world.end_application(*routed.router, Ending::farewell);
    world.run(1s);
    CHECK(is_retired());
    routed.start_router();
    routed.bring(original, 1, 4);
    world.run(1s);
    CHECK_FALSE(is_retired());
    CHECK(routed.retained() == 4);
}
