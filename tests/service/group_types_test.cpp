// How a group comes to its type: stored, asked of writers, asked of a reader, or not at all; and
// what hangs on it.
#include "service/group_types.hpp"

#include "types/type_id.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::service;
using namespace durability::test;

namespace {

// peers::SmallKey { @key long id; long seq; string text } as Cyclone DDS announces and describes
// it; the complete description is not among what it gives here.
Buffer information(std::uint8_t change = 0) {
    Buffer bytes = from_hex(
        "6000000001100040280000002400000014000000f12e6f6e762a3e15b7296aaa8616e100480000000000000004"
        "0000000000000002100040280000002400000014000000f2e1136dd3b6676a4eb09f10c26b1600730000000000"
        "00000400000000000000");
    bytes[22] = static_cast<std::uint8_t>(bytes[22] ^ change);
    return bytes;
}
Buffer minimal_object() {
    return from_hex(
        "44000000 f151 0100 01000000 00000000 34000000 03000000 0b000000 00000000 3100 04 b80bb774 "
        "00 "
        "0b000000 01000000 0100 04 e068c2de 00 0c000000 02000000 0100 70 00 1cb251ec");
}
types::TypeId minimal_id() {
    return types::type_id_of(minimal_object());
}
types::TypeId complete_id() {
    return *types::decode_type_information(information())->complete;
}

GuidPrefix prefix_of(std::uint8_t peer) {
    return GuidPrefix{{1, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, peer}};
}

// One domain's service as far as types are concerned; nobody is on the network, so what is asked
// there is unavailable, and answers are given by hand.
class World {
  public:
    World() : ingest_(options(201)), replay_(options(202)), types(context, ingest_, replay_) {}

    ServedGroup& open(GroupMeta meta = keyed_meta()) {
        ServedGroup& group = groups.add(std::move(meta));
        groups.set_open(group, 7);
        types.on_group_opened(group, now);
        return group;
    }
    static GroupMeta keyed_meta() {
        GroupMeta meta;
        meta.key.topic = "t";
        meta.key.type = "peers::SmallKey";
        meta.key.keyed = true;
        return meta;
    }
    discovery::EndpointData add_writer(ServedGroup& group, std::uint8_t peer, Buffer type) {
        discovery::EndpointData data;
        data.guid = {prefix_of(peer), EntityId{0x102}};
        data.topic = "t";
        data.type = "peers::SmallKey";
        data.qos.type_information = std::move(type);
        group.writers[data.guid].data = data;
        return data;
    }
    void answer(std::uint8_t peer) {
        types.on_received({prefix_of(peer), {{minimal_id(), minimal_object()}}}, now);
    }
    [[nodiscard]] bool settled() { return types.next_settled().has_value(); }
    [[nodiscard]] std::size_t reported(EventKind kind) const {
        std::size_t count = 0;
        for (const Event& event : events.latest())
            count += event.kind == kind ? 1 : 0;
        return count;
    }

    Config config;
    EventLog events;
    std::deque<store::Command> commands;
    EntityIds entities;
    ServedGroups groups;
    Context context{config, 0, events, commands, entities, groups};
    Now now{MonoTime{std::chrono::seconds{100}}, WallTime{std::chrono::seconds{1'800'000'000}}};

  private:
    static participant::ParticipantOptions options(std::uint8_t which) {
        participant::ParticipantOptions options;
        options.own.guid = {prefix_of(which), entity::participant};
        return options;
    }
    participant::Participant ingest_;
    participant::Participant replay_;

  public:
    GroupTypes types;
};

Buffer value(std::uint8_t id) {
    return {0, 1, 0, 0, id, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
}

}  // namespace

TEST_CASE("a group without a described type is announced at once") {
    World world;
    ServedGroup& group = world.open();
    CHECK(world.settled());
    CHECK_FALSE(group.types.key_plan);
    CHECK(world.commands.empty());
}

TEST_CASE("what a writer describes is stored, and finds keys") {
    World world;
    GroupMeta meta = World::keyed_meta();
    ServedGroup& group = world.groups.add(meta);
    world.groups.set_open(group, 7);
    world.add_writer(group, 1, information());
    world.types.on_group_opened(group, world.now);
    CHECK(group.types.state == GroupType::State::asked);
    CHECK_FALSE(world.settled());
    world.answer(1);
    // The complete description is still to come; the peer does not have it.
    CHECK(group.types.state == GroupType::State::asked);
    CHECK(group.types.is_awaited());
}

TEST_CASE("a stored type needs no writer") {
    World world;
    GroupMeta meta = World::keyed_meta();
    meta.qos.type_information = information();
    meta.type_objects = {minimal_object()};
    ServedGroup& group = world.open(meta);
    CHECK(group.types.state == GroupType::State::known);
    CHECK(world.settled());
    REQUIRE(group.types.key_plan);
    const auto key = group.types.key_plan->key_of_data(value(5));
    REQUIRE(key);
    CHECK(*key == Buffer{0, 0, 0, 5});
    // A writer of another description changes nothing here: it is another group's.
    world.types.on_writer_found(group, world.add_writer(group, 2, information(1)), world.now);
    CHECK(group.types.state == GroupType::State::known);
}

TEST_CASE("a late reader waits for a description a second at most") {
    World world;
    ServedGroup& group = world.groups.add(World::keyed_meta());
    world.groups.set_open(group, 7);
    world.add_writer(group, 1, information());
    world.types.on_group_opened(group, world.now);
    REQUIRE(group.types.state == GroupType::State::asked);
    CHECK(world.types.next_deadline() == group.types.serve_by);
    world.now.mono = group.types.serve_by;
    world.types.tick(world.now);
    CHECK(world.settled());
    CHECK_FALSE(group.types.is_awaited());
    CHECK(world.types.next_deadline() == MonoTime::max());
    CHECK_FALSE(world.settled());
}

TEST_CASE("where one writer does not answer another one is asked, and then it is reported once") {
    World world;
    ServedGroup& group = world.groups.add(World::keyed_meta());
    world.groups.set_open(group, 7);
    world.add_writer(group, 1, information());
    world.add_writer(group, 2, information());
    world.types.on_group_opened(group, world.now);
    REQUIRE(group.types.asked == prefix_of(1));
    world.types.on_keyless_sample(group, {prefix_of(1), EntityId{0x102}}, world.now);
    CHECK(world.reported(EventKind::KeyUnresolved) == 0);
    world.types.on_unavailable({prefix_of(1), {minimal_id(), complete_id()}}, world.now);
    CHECK(group.types.asked == prefix_of(2));
    CHECK(group.types.state == GroupType::State::asked);
    world.types.on_unavailable({prefix_of(2), {minimal_id()}}, world.now);
    CHECK(group.types.state == GroupType::State::unavailable);
    CHECK(world.settled());
    CHECK(world.reported(EventKind::KeyUnresolved) == 1);
    world.types.on_keyless_sample(group, {prefix_of(2), EntityId{0x102}}, world.now);
    CHECK(world.reported(EventKind::KeyUnresolved) == 1);
    // A third one may know better.
    world.types.on_writer_found(group, world.add_writer(group, 3, information()), world.now);
    CHECK(group.types.state == GroupType::State::asked);
}

TEST_CASE("a layout in the rule does where nobody describes the type") {
    World world;
    TopicRule rule;
    rule.topic = "t";
    rule.key = {"int32"};
    world.config.topics.push_back(rule);
    ServedGroup& group = world.open();
    REQUIRE(group.types.key_plan);
    CHECK(group.types.key_plan->key_of_data(value(5)) == Buffer{0, 0, 0, 5});
    world.types.on_keyless_sample(group, {prefix_of(1), EntityId{0x102}}, world.now);
    CHECK(world.reported(EventKind::KeyUnresolved) == 0);
}

TEST_CASE("a description above limits.type_bytes is not to be had") {
    World world;
    world.config.limits.type_bytes = 60;
    ServedGroup& group = world.groups.add(World::keyed_meta());
    world.groups.set_open(group, 7);
    world.add_writer(group, 1, information());
    world.types.on_group_opened(group, world.now);
    world.answer(1);
    CHECK(group.types.state == GroupType::State::unavailable);
    CHECK_THAT(group.types.problem, Catch::Contains("limits.type_bytes"));
}

TEST_CASE("a reader's description helps to name instances, and is not the topic's") {
    World world;
    ServedGroup& group = world.open();
    REQUIRE(world.settled());
    discovery::EndpointData reader;
    reader.guid = {prefix_of(9), EntityId{0x107}};
    reader.qos.type_information = information();
    world.types.on_reader_found(group, reader, world.now);
    REQUIRE(group.types.state == GroupType::State::asked);
    CHECK(group.types.of_reader);
    CHECK(group.types.is_awaited());
    // A writer that has a description comes first.
    world.types.on_writer_found(group, world.add_writer(group, 1, information()), world.now);
    CHECK_FALSE(group.types.of_reader);
    CHECK(group.types.asked == prefix_of(1));
}
