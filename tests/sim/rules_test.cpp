// Rules that change while the daemon runs: who is served from then on, and what stays as it is.
#include "sim/world.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

const EndpointChoice transient{.durability = DurabilityKind::transient};

TopicRule latched(const std::string& topic) {
    TopicRule rule;
    rule.topic = topic;
    rule.serve = ServeKind::transient_local;
    rule.contract.history = ContractHistory::keep_all;
    return rule;
}

const service::ServedGroup* group_of(World& world, DurabilityKind durability) {
    for (const service::ServedGroup* group :
         world.daemon().service().groups().of_topic("chatter")) {
        if (group->meta.key.durability == durability) return group;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("a writer that no rule serves is recorded from the moment a rule does") {
    World world;
    world.config.topics = {};
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.write(writer, 5);
    world.run(2s);
    REQUIRE(world.daemon().service().groups().size() == 0);
    REQUIRE(world.daemon().service().written_and_left_out("chatter").size() == 1);

    world.daemon().set_rules({latched("chatter")}, world.now());
    REQUIRE(world.run_until_kept(writer));
    CHECK(world.daemon().service().written_and_left_out("chatter").empty());
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(2s);
    CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5");
}

TEST_CASE("a topic served for TRANSIENT writers takes in its TRANSIENT_LOCAL ones by a rule") {
    World world;
    world.config.topics = {};
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& strong = world.create_writer(talker, transient);
    ModelWriter& weak = world.create_writer(talker, {});
    world.run(1s);
    world.write(strong, 3);
    world.write(weak, 4);
    REQUIRE(world.run_until_kept(strong));
    REQUIRE(group_of(world, DurabilityKind::transient_local) == nullptr);

    world.daemon().set_rules({latched("chatter")}, world.now());
    REQUIRE(world.run_until_kept(weak));
    world.write(strong, 2);
    world.write(weak, 2);
    REQUIRE(world.run_until_kept(strong));
    REQUIRE(world.run_until_kept(weak));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(2s);
    CHECK(reader.numbers_of(strong.guid()) == "1 2 3 4 5");
    CHECK(reader.numbers_of(weak.guid()) == "1 2 3 4 5 6");
    CHECK(reader.count() == 11);
}

TEST_CASE("another contract for a served topic discards what it does not keep, and goes on") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 10);
    REQUIRE(world.run_until_kept(writer));

    TopicRule three = latched("chatter");
    three.contract.history = ContractHistory::keep_last;
    three.contract.depth = 3;
    world.daemon().set_rules({three}, world.now());
    REQUIRE(world.run_until(
        [&] {
            const auto* group = group_of(world, DurabilityKind::transient_local);
            return group != nullptr && group->contracts_asked == 0 &&
                   group->meta.contract.depth == 3;
        },
        5s));
    CHECK(group_of(world, DurabilityKind::transient_local)->meta.contract_source ==
          ContractSource::rule);
    world.write(writer, 1);
    REQUIRE(world.run_until_kept(writer));
    world.end_application(talker, Ending::farewell);
    world.run(1s);
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(2s);
    CHECK(reader.numbers_of(writer.guid()) == "9 10 11");
}

TEST_CASE("a stored topic that no rule serves after a restart is served as soon as one does") {
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

    world.config.topics = {};
    world.start_daemon();
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(3s);
    CHECK(reader.count() == 0);
    const auto left_out = world.daemon().service().stored_and_left_out("chatter");
    REQUIRE(left_out.size() == 1);
    CHECK(left_out[0].durability == DurabilityKind::transient_local);

    world.daemon().set_rules({latched("chatter")}, world.now());
    world.run(3s);
    CHECK(world.daemon().service().stored_and_left_out("chatter").empty());
    CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5 6");
    CHECK(world.daemon().events_of(EventKind::ServedFromStoredMeta) == 1);
}

TEST_CASE("rules that concern another topic leave readers and writers alone") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 4);
    REQUIRE(world.run_until_kept(writer));
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& reader = world.create_reader(listener, {});
    world.run(2s);
    for (int i = 0; i < 5; ++i) {
        world.daemon().set_rules({latched("other" + std::to_string(i)), latched("chatter")},
                                 world.now());
        world.run(300ms);
        world.write(writer, 1);
        REQUIRE(world.run_until_kept(writer));
    }
    world.run(1s);
    CHECK(reader.count() == 9);
    CHECK(reader.numbers_of(writer.guid()) == "1 2 3 4 5 6 7 8 9");
    CHECK(world.daemon().service().groups().size() == 1);
}
