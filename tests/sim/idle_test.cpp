// What the daemon sends when nothing happens: that it is there, and nothing else (semantics.md,
// section 7: no traffic in steady state).
#include "sim/world.hpp"

#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <vector>

using namespace durability;
using namespace durability::test;

namespace {

// Nothing but the announcement of a participant (RTPS 2.5, 8.5.3).
bool only_announces(const Buffer& datagram) {
    wire::MessageReader message(datagram);
    while (const auto next = message.next()) {
        if (!*next) return false;
        const auto* data = std::get_if<wire::Data>(&**next);
        if (data == nullptr || data->writer != entity::spdp_writer) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("with a hundred topics and twenty readers at rest only participants are announced") {
    World world;
    world.start_daemon();
    std::vector<ModelWriter*> writers;
    std::vector<const AppReader*> readers;
    for (int process = 0; process < 10; ++process) {
        Application& application =
            world.start_application(process % 2 == 0 ? vendor::eclipse : vendor::eprosima);
        for (int topic = 0; topic < 10; ++topic) {
            const std::string name = fmt::format("topic {}", process * 10 + topic);
            writers.push_back(&world.create_writer(application, {.topic = name}));
        }
    }
    world.run(3s);
    for (ModelWriter* writer : writers)
        world.write(*writer, 5);
    world.run(3s);
    for (int process = 0; process < 10; ++process) {
        Application& application =
            world.start_application(process % 2 == 0 ? vendor::eclipse : vendor::eprosima);
        for (int topic = 0; topic < 2; ++topic) {
            const std::string name = fmt::format("topic {}", process * 7 + topic);
            readers.push_back(&world.create_reader(application, {.topic = name}));
        }
    }
    world.run(30s);
    REQUIRE(world.daemon().service().groups().all().size() == 100);
    for (const AppReader* reader : readers)
        REQUIRE(reader->received.size() == 5);

    std::size_t others = 0;
    std::size_t sent = 0;
    world.watches = [&](const Buffer& datagram, std::size_t addresses) {
        sent += addresses;
        if (!only_announces(datagram)) ++others;
    };
    world.run(60s);
    CHECK(others == 0);
    // Two participants: to the group every tenth of the lease of 30 s, and to each of the twenty
    // processes every third.
    CHECK(sent >= 2 * 20);
    CHECK(sent <= 2 * (20 + 20 * 6) + 4);
}
