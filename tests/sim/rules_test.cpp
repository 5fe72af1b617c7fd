// What is known of topics that no rule serves, for programs that then serve them: written at
// present, or stored from earlier. Rules that change while the daemon runs: see reload_test.cpp.
#include "sim/world.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace durability;
using namespace durability::test;

namespace {

const service::ServedGroup& only_group(World& world) {
    REQUIRE(world.daemon().service().groups().size() == 1);
    return *world.daemon().service().groups().all().begin()->second;
}

}  // namespace

TEST_CASE("a writer that no rule serves is known as left out until a rule serves it") {
    World world;
    const std::vector<TopicRule> rules = std::exchange(world.config.topics, {});
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.write(writer, 5);
    world.run(2s);
    REQUIRE(world.daemon().service().groups().size() == 0);
    const auto left_out = world.daemon().service().written_and_left_out("chatter");
    REQUIRE(left_out.size() == 1);
    CHECK(left_out[0].durability == DurabilityKind::transient_local);
    CHECK(world.daemon().service().written_and_left_out("other").empty());

    world.config.topics = rules;
    world.reload();
    REQUIRE(world.run_until_kept(writer));
    CHECK(world.daemon().service().written_and_left_out("chatter").empty());
}

TEST_CASE("a stored topic that no rule serves after a restart is known, and served when one does") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 6);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    world.end_daemon(Ending::stopped);

    const std::vector<TopicRule> rules = std::exchange(world.config.topics, {});
    world.start_daemon();
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(3s);
    CHECK(reader.count() == 0);
    const auto left_out = world.daemon().service().stored_and_left_out("chatter");
    REQUIRE(left_out.size() == 1);
    CHECK(left_out[0].durability == DurabilityKind::transient_local);
    CHECK(world.daemon().service().stored_and_left_out("other").empty());

    world.config.topics = rules;
    world.reload();
    world.run(3s);
    CHECK(world.daemon().service().stored_and_left_out("chatter").empty());
    CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5 6");
    CHECK(world.daemon().events_of(EventKind::ServedFromStoredMeta) == 1);
}

TEST_CASE("a contract that is taken back at once is not in force") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 10);
    REQUIRE(world.run_until_kept(writer));
    const Contract before = only_group(world).meta.contract;

    const std::vector<TopicRule> rules = world.config.topics;
    world.config.topics.front().contract = {};
    world.config.topics.front().contract.depth = 20;
    world.reload();
    REQUIRE(only_group(world).contract_ticket != 0);
    world.config.topics = rules;
    world.reload();
    world.run(1s);
    CHECK(only_group(world).contract_ticket == 0);
    CHECK(only_group(world).contract_problem.empty());
    CHECK(only_group(world).meta.contract == before);
}
