// The rules change while the daemon runs (semantics.md, section 3; cases R11.4): what a restart
// would make of them, at once. Nothing is lost that was to be kept, and nobody that stays gets
// anything twice.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

using namespace durability;
using namespace durability::test;

namespace {

using Kind = TopicEffect::Kind;

const auto both_vendors = {vendor::eprosima, vendor::eclipse};

std::string numbers(int first, int last) {
    std::string text;
    for (int number = first; number <= last; ++number)
        text += fmt::format("{}{}", text.empty() ? "" : " ", number);
    return text;
}

TopicRule never(const std::string& topic) {
    TopicRule rule;
    rule.topic = topic;
    rule.serve = ServeKind::never;
    rule.origin = "durabilityd.yaml:3";
    return rule;
}

std::vector<Kind> kinds(const std::vector<TopicEffect>& effects) {
    std::vector<Kind> result;
    for (const TopicEffect& effect : effects)
        result.push_back(effect.kind);
    return result;
}

}  // namespace

TEST_CASE("a topic that a rule serves after a reload is recorded with its living writer") {
    for (const VendorId writers : both_vendors) {
        CAPTURE(writers.value);
        World world;
        const std::vector<TopicRule> rules = world.config.topics;
        world.config.topics.clear();
        world.start_daemon();
        Application& talker = world.start_application(writers);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        world.write(writer, 10);
        world.run(1s);
        CHECK(world.daemon().status().topics.empty());

        world.config.topics = rules;
        CHECK(kinds(world.reload()) == std::vector{Kind::served});
        CHECK(world.run_until_kept(writer, 5s));
        world.write(writer, 5);
        CHECK(world.run_until_kept(writer, 5s));
        world.end_application(talker, Ending::killed);
        const AppReader& reader =
            world.create_reader(world.start_application(vendor::eprosima), {});
        world.run(45s);
        CHECK(reader.numbers_of(writer.guid()) == numbers(1, 15));
        CHECK(reader.count() == 15);
    }
}

TEST_CASE("a topic that is served no more is left alone, kept, and served again with its rule") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        const std::vector<TopicRule> rules = world.config.topics;
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

        world.config.topics.insert(world.config.topics.begin(), never("chatter"));
        CHECK(kinds(world.reload()) == std::vector{Kind::not_served});
        CHECK(world.reload().empty());
        world.run(1s);
        Application& latecomer = world.start_application(readers);
        const AppReader& late = world.create_reader(latecomer, {});
        world.run(3s);
        CHECK(late.count() == 0);
        CHECK(world.daemon().service().groups().size() == 0);
        REQUIRE(world.daemon().status().topics.size() == 1);
        CHECK(world.daemon().status().topics[0].retained_samples == 10);

        world.config.topics = rules;
        CHECK(kinds(world.reload()) == std::vector{Kind::served});
        world.run(5s);
        CHECK(early.count() == 10);
        CHECK(late.numbers_of(writer.guid()) == numbers(1, 10));
        CHECK(late.count() == 10);

        // And over a restart: what is remembered lies under the new name of the replay writer.
        world.end_daemon(Ending::killed);
        world.run(1s);
        world.start_daemon();
        world.run(5s);
        CHECK(early.count() == 10);
        CHECK(late.count() == 10);
    }
}

TEST_CASE("a reader in the middle of its history gets the rest when its topic is served again") {
    for (const VendorId readers : both_vendors) {
        CAPTURE(readers.value);
        World world;
        const std::vector<TopicRule> rules = world.config.topics;
        world.config.replay.max_rate = 64U << 10U;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eprosima);
        ModelWriter& writer = world.create_writer(talker, {});
        world.run(200ms);
        for (int i = 0; i < 20; ++i) {
            world.write(writer, 10, 1'500);
            world.run(20ms);
        }
        REQUIRE(world.run_until_kept(writer));
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        Application& listener = world.start_application(readers);
        const AppReader& reader = world.create_reader(listener, {});
        REQUIRE(world.run_until([&] { return reader.count() >= 50; }, 20s));
        REQUIRE(reader.count() < 200);
        world.config.topics.insert(world.config.topics.begin(), never("*"));
        world.config.replay.max_rate = unlimited;
        world.reload();
        world.run(1s);
        const std::size_t before = reader.count();
        CHECK(before < 200);
        world.config.topics = rules;
        world.reload();
        world.run(10s);
        // What was on the way when the topic was withdrawn was not acknowledged.
        CHECK(reader.numbers_of(writer.guid()).ends_with(" 200"));
        CHECK(reader.count() >= 200);
        CHECK(reader.count() <= 300);
    }
}

TEST_CASE("writers and readers that stay notice nothing of a reload that does not concern them") {
    for (const VendorId vendors : both_vendors) {
        CAPTURE(vendors.value);
        World world;
        world.start_daemon();
        Application& talker = world.start_application(vendors);
        ModelWriter& writer = world.create_writer(talker, {});
        EndpointChoice elsewhere;
        elsewhere.topic = "other";
        ModelWriter& other = world.create_writer(talker, elsewhere);
        Application& listener = world.start_application(vendors);
        world.run(200ms);
        const AppReader& early = world.create_reader(listener, {});
        world.run(1s);
        for (int round = 0; round < 10; ++round) {
            world.write(writer, 5);
            world.write(other, 5);
            world.run(50ms);
            if (round % 2 == 0) {
                world.config.topics.insert(world.config.topics.begin(), never("other"));
            } else {
                world.config.topics.erase(world.config.topics.begin());
            }
            world.reload();
            world.run(200ms);
        }
        CHECK(world.run_until_kept(writer));
        CHECK(world.run_until_kept(other));
        CHECK(world.daemon().events_of(EventKind::SampleLost) == 0);
        world.run(1s);
        world.end_application(talker, Ending::killed);
        world.run(40s);
        const AppReader& late = world.create_reader(world.start_application(vendors), {});
        const AppReader& late_elsewhere =
            world.create_reader(world.start_application(vendors), elsewhere);
        world.run(5s);
        CHECK(early.numbers_of(writer.guid()) == numbers(1, 50));
        CHECK(late.numbers_of(writer.guid()) == numbers(1, 50));
        CHECK(late_elsewhere.numbers_of(other.guid()) == numbers(1, 50));
    }
}

TEST_CASE("a contract that is smaller after a reload trims what is kept, a larger one keeps more") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 10);
    REQUIRE(world.run_until_kept(writer));
    const auto kept = [&] { return world.daemon().status().topics.at(0).retained_samples; };
    CHECK(kept() == 10);

    const std::vector<TopicRule> rules = world.config.topics;
    TopicRule few = rules.front();
    few.topic = "chatter";
    few.contract = {};
    few.contract.depth = 3;
    world.config.topics.insert(world.config.topics.begin(), few);
    CHECK(kinds(world.reload()) == std::vector{Kind::contract});
    CHECK(world.run_until([&] { return kept() == 3; }, 5s));
    world.write(writer, 5);
    CHECK(world.run_until_kept(writer));
    CHECK(kept() == 3);

    world.config.topics.front().contract.depth = 7;
    CHECK(kinds(world.reload()) == std::vector{Kind::contract});
    world.write(writer, 10);
    CHECK(world.run_until_kept(writer));
    CHECK(world.run_until([&] { return kept() == 7; }, 5s));
    CHECK(world.daemon().service().groups().all().begin()->second->meta.contract.depth == 7);
    CHECK(world.reload().empty());
    // In force after a restart as well.
    world.end_daemon(Ending::killed);
    world.start_daemon();
    world.run(1s);
    CHECK(kept() == 7);
}

TEST_CASE("a rule that serves weaker writers beside stronger ones gives them a reader of theirs") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        World world;
        const std::vector<TopicRule> rules = world.config.topics;
        for (TopicRule& rule : world.config.topics)
            rule.serve = ServeKind::transient;
        world.start_daemon();
        Application& talker = world.start_application(vendor::eclipse);
        ModelWriter& strong =
            world.create_writer(talker, {.durability = DurabilityKind::transient});
        ModelWriter& weak = world.create_writer(talker, {});
        world.run(200ms);
        world.write(strong, 5);
        world.write(weak, 5);
        REQUIRE(world.run_until_kept(strong));
        world.config.topics = rules;
        world.reload();
        CHECK(world.run_until_kept(weak, 5s));
        if (restarts) {
            world.end_daemon(Ending::killed);
            world.run(500ms);
            world.start_daemon();
        }
        world.write(strong, 5);
        world.write(weak, 5);
        CHECK(world.run_until_kept(strong, 5s));
        CHECK(world.run_until_kept(weak, 5s));
        world.end_application(talker, Ending::farewell);
        world.run(1s);
        const AppReader& reader =
            world.create_reader(world.start_application(vendor::eprosima), {});
        world.run(3s);
        CHECK(reader.numbers_of(strong.guid()) == numbers(1, 10));
        CHECK(reader.numbers_of(weak.guid()) == numbers(1, 10));
    }
}

TEST_CASE("a topic named exactly is served from the reload on, and limits follow") {
    World world;
    world.config.topics.clear();
    world.start_daemon();
    TopicRule exact;
    exact.topic = "map";
    exact.type = "Map";
    exact.keyed = KeyedChoice::no;
    exact.origin = "durabilityd.yaml:1";
    world.config.topics = {exact};
    world.config.limits.served_groups = 1;
    CHECK(kinds(world.reload()) == std::vector{Kind::served});
    CHECK(world.run_until([&] { return world.daemon().status().topics.size() == 1; }, 5s));
    // No room for another one.
    exact.topic = "plan";
    world.config.topics.push_back(exact);
    CHECK(world.reload().empty());
    CHECK(world.daemon().events_of(EventKind::ResourceLimit) == 1);
    world.config.limits.served_groups = 2;
    CHECK(kinds(world.reload()) == std::vector{Kind::served});
}
