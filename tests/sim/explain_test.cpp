// Why a reader gets what it gets, as the operator is told: the phases of a late reader, and who is
// not served.
#include "sim/world.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;
using Catch::Contains;

namespace {

const EndpointChoice transient{.durability = DurabilityKind::transient};
const EndpointChoice persistent{.durability = DurabilityKind::persistent};
const EndpointChoice volatile_reader{.durability = DurabilityKind::volatile_};

const ReaderExplanation& reader_of(const TopicExplanation& topic, const AppReader& reader) {
    for (const ReaderExplanation& one : topic.readers) {
        if (one.guid == reader.data.guid) return one;
    }
    FAIL("the reader is not explained");
    return topic.readers.front();
}

const ReaderStatus& status_of(const TopicExplanation& topic, const AppReader& reader) {
    const ReaderExplanation& one = reader_of(topic, reader);
    REQUIRE(one.groups.size() == 1);
    REQUIRE(one.groups.front().served);
    return *one.groups.front().served;
}

std::uint64_t unowed(const ReaderStatus& reader, const std::string& why) {
    for (const UnowedSamples& one : reader.not_owed) {
        if (one.why.find(why) != std::string::npos) return one.samples;
    }
    return 0;
}

}  // namespace

TEST_CASE(
    "a served reader is told with its counts, a VOLATILE one and a stronger one with why not") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, transient);
    world.run(200ms);
    world.write(writer, 20);
    REQUIRE(world.run_until_kept(writer));
    Application& listener = world.start_application(vendor::eprosima);
    const AppReader& served = world.create_reader(listener, transient);
    const AppReader& live_only = world.create_reader(listener, volatile_reader);
    const AppReader& stronger = world.create_reader(listener, persistent);
    world.run(5s);

    const TopicExplanation topic = world.daemon().explain("chatter");
    REQUIRE(topic.groups.size() == 1);
    CHECK(topic.groups[0].state == "served");
    CHECK(topic.groups[0].topic.retained_samples == 20);
    CHECK(topic.groups[0].key == "it has no key");
    REQUIRE(topic.writers.size() == 1);
    CHECK(topic.writers[0].group == 0U);
    CHECK(topic.writers[0].vendor == "Cyclone DDS");
    REQUIRE(topic.readers.size() == 3);
    const ReaderStatus& done = status_of(topic, served);
    CHECK(done.state == "complete");
    CHECK(done.vendor == "Fast DDS");
    CHECK(done.owed == 20);
    CHECK(done.acknowledged == 20);
    CHECK(status_of(topic, live_only).state == "unserved");
    CHECK(status_of(topic, live_only).reason == "requests VOLATILE");
    const ReaderMatch& apart = reader_of(topic, stronger).groups.at(0);
    CHECK_FALSE(apart.served);
    CHECK(apart.policy == "durability");
    CHECK(apart.offered == "TRANSIENT");
    CHECK(apart.requested == "PERSISTENT");
    CHECK_FALSE(apart.cure.empty());
}

TEST_CASE("what a living writer sends by itself is told as not owed") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 5);
    REQUIRE(world.run_until_kept(writer));
    const AppReader& late = world.create_reader(world.start_application(vendor::eprosima), {});
    world.run(5s);
    CHECK(late.count() == 5);
    const TopicExplanation topic = world.daemon().explain("chatter");
    const ReaderStatus& status = status_of(topic, late);
    CHECK(status.state == "complete");
    CHECK(status.owed + unowed(status, "living writer") == 5);
    CHECK(unowed(status, "living writer") > 0);
}

TEST_CASE("a reader that waits says for what") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    ModelWriter& writer = world.create_writer(talker, {});
    world.run(200ms);
    world.write(writer, 5);
    REQUIRE(world.run_until_kept(writer));
    // The writer's process hangs: it does not say what it holds.
    world.loses = [&](const Buffer& datagram) { return has_user_heartbeat(datagram); };
    const AppReader& late = world.create_reader(world.start_application(vendor::eprosima), {});
    const auto says = [&](const std::string& text) {
        const TopicExplanation topic = world.daemon().explain("chatter");
        for (const ReaderExplanation& reader : topic.readers) {
            if (reader.guid != late.data.guid || reader.groups.empty()) continue;
            const auto& served = reader.groups.front().served;
            if (served && served->state == "waiting" &&
                served->reason.find(text) != std::string::npos)
                return true;
        }
        return false;
    };
    CHECK(world.run_until([&] { return says("a living writer has not said"); }, 5s));
    // It counts as dead in the end, and the daemon speaks for it.
    world.loses = nullptr;
    CHECK(world.run_until([&] { return late.count() >= 5; }, 10s));
}

TEST_CASE("a reader of Cyclone DDS that comes too late is told with the cure") {
    World world;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eclipse);
    ModelWriter& writer = world.create_writer(talker, transient);
    world.run(200ms);
    world.write(writer, 3);
    REQUIRE(world.run_until_kept(writer));
    Application& listener = world.start_application(vendor::eclipse);
    world.create_reader(listener, transient);
    world.run(2s);
    const AppReader& second = world.create_reader(listener, transient);
    world.run(2s);
    const ReaderStatus status = status_of(world.daemon().explain("chatter"), second);
    CHECK(status.state == "unserved");
    CHECK_THAT(status.reason, Contains("another reader of its process was served before"));
    CHECK_THAT(status.cure, Contains("TRANSIENT_LOCAL"));
}

TEST_CASE("a writer that is not served is told with the rule, its reader with what that means") {
    World world;
    world.config.topics[0].topic = "denied";
    world.config.topics[0].serve = ServeKind::never;
    world.config.topics[0].origin = "robot.yaml:7";
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    world.create_writer(talker, {.topic = "denied", .durability = DurabilityKind::transient});
    world.create_writer(talker, {.topic = "latched"});
    world.create_writer(talker, {.topic = "live", .durability = DurabilityKind::volatile_});
    Application& listener = world.start_application(vendor::eclipse);
    const AppReader& matching = world.create_reader(listener, {.topic = "latched"});
    const AppReader& stronger = world.create_reader(listener, {.topic = "live"});
    const AppReader& lonely = world.create_reader(listener, {.topic = "lonely"});
    world.run(3s);

    const auto writer_of = [&](const std::string& topic) {
        const TopicExplanation found = world.daemon().explain(topic);
        REQUIRE(found.writers.size() == 1);
        CHECK_FALSE(found.writers[0].group);
        CHECK(found.groups.empty());
        return found.writers[0];
    };
    CHECK_THAT(writer_of("denied").reason, Contains("robot.yaml:7 says serve: never"));
    const WriterExplanation latched = writer_of("latched");
    CHECK(latched.reason ==
          "it offers TRANSIENT_LOCAL, and TRANSIENT is the least that is served by default");
    CHECK_THAT(latched.cure, Contains("serve: transient_local"));
    CHECK_THAT(writer_of("live").reason, Contains("offers VOLATILE"));

    CHECK_THAT(reader_of(world.daemon().explain("latched"), matching).reason,
               Contains("no writer of the topic is served") && Contains("from now on"));
    CHECK_THAT(reader_of(world.daemon().explain("live"), stronger).reason,
               Contains("durability: offered VOLATILE, requested TRANSIENT_LOCAL"));
    CHECK_THAT(reader_of(world.daemon().explain("lonely"), lonely).reason,
               Contains("nobody writes it"));
    CHECK(world.daemon().explain("latch").is_unknown());
    CHECK(world.daemon().service().topics_like("latch").front() == "latched");
}

TEST_CASE("a limit that hides writers is mentioned") {
    World world;
    world.config.limits.remote_writers = 1;
    world.start_daemon();
    Application& talker = world.start_application(vendor::eprosima);
    world.create_writer(talker, {});
    world.create_writer(talker, {.topic = "other"});
    world.run(2s);
    const TopicExplanation topic = world.daemon().explain("chatter");
    REQUIRE(topic.remarks.size() == 1);
    CHECK_THAT(topic.remarks[0], Contains("limits.remote_writers (1) is reached"));
}

TEST_CASE("a process that announces no UDP address is mentioned where its writers are missed") {
    World world;
    Application& talker = world.start_application(vendor::eprosima);
    talker.announce_shared_memory_only(world.now());
    world.create_writer(talker, transient);
    world.start_daemon();
    const auto remarks = [&] { return world.daemon().explain("chatter").remarks; };
    REQUIRE(world.run_until([&] { return !remarks().empty(); }, 30s));
    const TopicExplanation topic = world.daemon().explain("chatter");
    CHECK(topic.writers.empty());
    CHECK(topic.remarks.size() == 1);
    CHECK_THAT(topic.remarks[0], Contains("Fast DDS") && Contains("announces no UDP address"));
}
