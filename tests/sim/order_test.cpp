// Order: a reader that keeps the value that comes last is not given an older one of the daemon's
// after a newer one of a living writer, nor of another group of the topic.
#include "sim/world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace durability;
using namespace durability::test;

namespace {

const EndpointChoice transient{.durability = DurabilityKind::transient};
const EndpointChoice last_only{.depth = 1};
constexpr int history = 200;
constexpr std::size_t octets = 4'000;

ModelWriter& new_writer(World& world, const EndpointChoice& choice) {
    return world.create_writer(world.start_application(vendor::eclipse), choice);
}

// It wrote a history and is gone; the replay of it takes two seconds.
Guid leave_history(World& world, const EndpointChoice& choice) {
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, choice);
    world.run(200ms);
    world.write(writer, history, octets);
    REQUIRE(world.run_until_kept(writer));
    const Guid guid = writer.guid();
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    return guid;
}

bool is_of(const Delivered& sample, const Guid& writer) {
    return sample.id.writer == writer;
}

// How many samples of `older` came after the first one of `newer`.
std::size_t late_comers(const AppReader& reader, const Guid& older, const Guid& newer) {
    const auto first = std::ranges::find_if(
        reader.received, [&](const Delivered& sample) { return is_of(sample, newer); });
    return static_cast<std::size_t>(
        std::count_if(first, reader.received.end(), [&](const Delivered& sample) {
            return is_of(sample, older);
        }));
}

std::size_t of(const AppReader& reader, const Guid& writer) {
    std::set<std::int64_t> numbers;
    for (const Delivered& sample : reader.received) {
        if (is_of(sample, writer)) numbers.insert(sample.id.number.value);
    }
    return numbers.size();
}

struct Slow : World {
    Slow() { config.replay.max_rate = history * octets / 2; }
};

}  // namespace

TEST_CASE("nothing older follows what a living writer writes while a history arrives") {
    for (const DurabilityKind kind : {DurabilityKind::transient, DurabilityKind::transient_local}) {
        for (const bool loses : {false, true}) {
            CAPTURE(kind, loses);
            Slow world;
            world.start_daemon();
            const Guid older = leave_history(world, {.durability = kind});
            ModelWriter& living = new_writer(world, {.durability = kind});
            world.run(500ms);
            // What is sent again comes after the live sample as well.
            int sent = 0;
            if (loses) {
                world.loses = [&](const Buffer& datagram) {
                    return has_user_data(datagram) && ++sent % 3 == 0;
                };
            }
            AppReader& reader = world.create_reader(world.start_application(vendor::eclipse),
                                                    {.durability = kind, .depth = 1});
            REQUIRE(world.run_until([&] { return reader.count() > 20; }, 10s));
            CHECK(of(reader, living.guid()) == 0);
            world.loses = nullptr;
            world.write(living, 1);
            world.run(20s);
            CHECK(of(reader, living.guid()) == 1);
            CHECK(late_comers(reader, older, living.guid()) == 0);
            CHECK(of(reader, older) < history);
            const auto not_owed = world.daemon().status().readers.at(0).not_owed;
            REQUIRE(not_owed.size() == 1);
            CHECK(not_owed.front().why == "superseded by a living writer");
            CHECK(not_owed.front().samples == history - of(reader, older));
        }
    }
}

TEST_CASE("a reader with room for several, or in such a process, is given all of the history") {
    for (const bool shares : {false, true}) {
        CAPTURE(shares);
        Slow world;
        world.start_daemon();
        const Guid older = leave_history(world, {});
        ModelWriter& living = new_writer(world, {});
        world.run(500ms);
        Application& listener = world.start_application(vendor::eclipse);
        const AppReader& reader = world.create_reader(listener, {.depth = 1'000});
        if (shares) world.create_reader(listener, last_only);
        REQUIRE(world.run_until([&] { return reader.count() > 20; }, 10s));
        world.write(living, 1);
        world.run(20s);
        CHECK(of(reader, older) == history);
        CHECK(of(reader, living.guid()) == 1);
        CHECK(reader.count() == history + 1);
    }
}

TEST_CASE("what another group of the topic retains replaces what is older") {
    Slow world;
    world.start_daemon();
    const Guid older = leave_history(world, transient);
    const Guid newer = leave_history(world, {});
    const AppReader& reader =
        world.create_reader(world.start_application(vendor::eclipse), last_only);
    const AppReader& other =
        world.create_reader(world.start_application(vendor::eclipse), {.depth = 1'000});
    world.run(20s);
    CHECK(of(reader, newer) == history);
    CHECK(of(reader, older) == 0);
    CHECK(of(other, newer) == history);
    CHECK(of(other, older) == history);
}

TEST_CASE("where limits count for each writer, the samples of one replace none of another") {
    World world;
    world.config.default_contract.scope = ContractScope::writer;
    world.config.replay.max_rate = history * octets / 2;
    world.start_daemon();
    const Guid older = leave_history(world, transient);
    ModelWriter& living = new_writer(world, transient);
    world.run(500ms);
    const AppReader& reader =
        world.create_reader(world.start_application(vendor::eclipse),
                            {.durability = DurabilityKind::transient, .depth = 1});
    REQUIRE(world.run_until([&] { return reader.count() > 20; }, 10s));
    world.write(living, 1);
    world.run(20s);
    CHECK(of(reader, older) == history);
    CHECK(of(reader, living.guid()) == 1);
}
