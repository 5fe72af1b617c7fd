// Many late readers at once, and the limit on what all of them together are sent (semantics.md,
// section 7: pacing).
#include "sim/world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace durability;
using namespace durability::test;

namespace {

constexpr std::size_t octets_of_sample = 1'000;

// A writer that left so many samples behind and is gone.
Guid leave_history(World& world, int samples) {
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {.durability = DurabilityKind::transient});
    world.run(200ms);
    world.write(writer, samples, octets_of_sample);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    return writer.guid();
}

struct Crowd {
    Crowd(World& world, int processes, int readers_each) {
        for (int process = 0; process < processes; ++process) {
            const VendorId vendor = process % 2 == 0 ? vendor::eclipse : vendor::eprosima;
            applications.push_back(&world.start_application(vendor));
        }
        world.run(2s);  // all have met
        for (int each = 0; each < readers_each; ++each) {
            for (Application* application : applications)
                readers.push_back(&world.create_reader(*application, {}));
        }
    }
    [[nodiscard]] bool all_have(std::size_t samples) const {
        return std::ranges::all_of(
            readers, [&](const AppReader* reader) { return reader->received.size() >= samples; });
    }
    [[nodiscard]] std::uint64_t octets(const World& world) const {
        std::uint64_t sum = 0;
        for (const Application* application : applications)
            sum += world.replayed_to(*application).octets;
        return sum;
    }
    std::vector<Application*> applications;
    std::vector<const AppReader*> readers;
};

}  // namespace

TEST_CASE("hundreds of late readers that come at once all get the history once") {
    World world;
    world.start_daemon();
    const Guid writer = leave_history(world, 50);
    Crowd crowd(world, 60, 4);
    REQUIRE(world.run_until([&] { return crowd.all_have(50); }, 30s));
    world.run(5s);
    for (const AppReader* reader : crowd.readers) {
        CHECK(reader->received.size() == 50);
        CHECK(reader->numbers_of(writer).starts_with("1 2 3 "));
    }
}

TEST_CASE("all late readers together are sent no more than replay.max_rate") {
    for (const std::uint64_t rate : {100'000ULL, 1'000'000ULL}) {
        for (const double loss : {0.0, 0.1}) {
            CAPTURE(rate, loss);
            World world(7, {.loss = loss});
            world.config.replay.max_rate = rate;
            world.start_daemon();
            leave_history(world, 100);
            Crowd crowd(world, 5, 2);
            const std::uint64_t before = crowd.octets(world);
            const MonoTime begin = world.now().mono;
            const std::uint64_t owed = crowd.readers.size() * 100 * octets_of_sample;
            const auto least = Duration{1s} * (owed / rate);
            bool too_fast = false;
            // At any time, not only in the end: HEARTBEATs and headers on top.
            REQUIRE(world.run_until(
                [&] {
                    const auto seconds =
                        std::chrono::duration<double>(world.now().mono - begin).count() + 0.1;
                    const auto allowed = 1.2 * seconds * static_cast<double>(rate) + 150'000;
                    const auto sent = static_cast<double>(crowd.octets(world) - before);
                    too_fast = too_fast || sent > allowed;
                    return crowd.all_have(100);
                },
                least * 4 + 30s));
            CHECK_FALSE(too_fast);
            CHECK(world.now().mono - begin > least * 8 / 10);
        }
    }
}

TEST_CASE("readers take turns when the rate is limited") {
    World world;
    world.config.replay.max_rate = 50'000;
    world.start_daemon();
    leave_history(world, 100);
    Crowd crowd(world, 3, 1);
    REQUIRE(world.run_until([&] { return crowd.readers.front()->received.size() >= 50; }, 60s));
    for (const AppReader* reader : crowd.readers)
        CHECK(reader->received.size() >= 30);
}

TEST_CASE("a reader that has stopped does not slow the others") {
    for (const std::uint64_t rate : {unlimited, std::uint64_t{200'000}}) {
        CAPTURE(rate);
        World world;
        world.config.replay.max_rate = rate;
        world.start_daemon();
        leave_history(world, 300);
        Crowd crowd(world, 4, 1);
        // Its process goes without a word before it has had anything.
        world.end_application(*crowd.applications.front(), Ending::killed);
        crowd.readers.erase(crowd.readers.begin());
        const MonoTime begin = world.now().mono;
        REQUIRE(world.run_until([&] { return crowd.all_have(300); }, 60s));
        const Duration alone = rate == unlimited ? 1s : 3 * Duration{1s} * 300'000 / 200'000;
        // What the dead one is sent before its window is full is all it costs.
        CHECK(world.now().mono - begin < alone + 3s);
    }
}
