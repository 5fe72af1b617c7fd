#include "discovery/type_lookup.hpp"

#include "discovery/messages.hpp"
#include "discovery/some_types.hpp"
#include "wire/message_builder.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <random>

using namespace durability;
using namespace durability::discovery;
using namespace std::chrono_literals;

namespace {

GuidPrefix prefix_of(std::uint8_t number) {
    return GuidPrefix{{1, 0x7f, number, 0, 0, 0, 0, 0, 0, 0, number, 1}};
}

struct Node {
    explicit Node(std::uint8_t number, TypeLookupOptions options = {})
        : prefix(prefix_of(number)),
          outbox(wire::Header{{2, 5}, vendor::own, prefix}),
          types(prefix, std::move(options)) {}

    [[nodiscard]] ParticipantFound as_found(std::uint32_t bits = builtin_endpoint::own) const {
        ParticipantFound found;
        found.data.guid = {prefix, entity::participant};
        found.data.vendor = vendor::own;
        found.data.builtin_endpoints = bits;
        found.metatraffic = std::make_shared<rtps::Destination>(
            rtps::Destination{prefix, {Locator::udp_v4(0x7f000001U, 7410)}, vendor::own});
        found.user = found.metatraffic;
        return found;
    }
    void receive(const Buffer& message, MonoTime now) {
        for (const SeenSubmessage& seen : submessages_of(message)) {
            if (seen.state.destination != unknown_prefix && seen.state.destination != prefix)
                continue;
            dispatch(seen, now);
        }
    }
    void dispatch(const SeenSubmessage& seen, MonoTime now) {
        if (const auto* data = std::get_if<wire::Data>(&seen.submessage)) {
            types.on_data(seen.state, *data, now);
        } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&seen.submessage)) {
            types.on_heartbeat(seen.state, *heartbeat, now, outbox);
        } else if (const auto* acknack = std::get_if<wire::AckNack>(&seen.submessage)) {
            types.on_acknack(seen.state, *acknack, now, outbox);
        } else if (const auto* gap = std::get_if<wire::Gap>(&seen.submessage)) {
            types.on_gap(seen.state, *gap, now);
        } else if (const auto* frag = std::get_if<wire::DataFrag>(&seen.submessage)) {
            types.on_data_frag(seen.state, *frag, now);
        } else if (const auto* nack = std::get_if<wire::NackFrag>(&seen.submessage)) {
            types.on_nack_frag(seen.state, *nack, now, outbox);
        } else if (const auto* announced = std::get_if<wire::HeartbeatFrag>(&seen.submessage)) {
            types.on_heartbeat_frag(seen.state, *announced, now, outbox);
        }
    }
    template <class Event>
    std::vector<Event> events() {
        std::vector<Event> chosen;
        while (auto event = types.next_event()) {
            if (auto* wanted = std::get_if<Event>(&*event)) chosen.push_back(std::move(*wanted));
        }
        return chosen;
    }
    void offer(const SomeType& type) { types.offer(type.id, type.object); }

    GuidPrefix prefix;
    rtps::Outbox outbox;
    TypeLookup types;
};

// Participants and the network between them; everybody hears everything.
struct World {
    explicit World(std::size_t count = 2, TypeLookupOptions options = {}) {
        for (std::size_t i = 0; i < count; ++i)
            nodes.push_back(std::make_unique<Node>(static_cast<std::uint8_t>(i + 1), options));
    }
    Node& operator[](std::size_t at) { return *nodes[at]; }

    void meet() {
        for (auto& node : nodes) {
            for (auto& other : nodes) {
                if (node != other)
                    node->types.add_participant(other->as_found(), now, node->outbox);
            }
        }
    }
    void run(Duration time) {
        const MonoTime end = now + time;
        for (int steps = 0;; ++steps) {
            REQUIRE(steps < 50'000);
            MonoTime next = MonoTime::max();
            for (auto& node : nodes) {
                node->types.tick(now, node->outbox);
                next = std::min(next, node->types.next_deadline());
            }
            if (carry()) continue;
            if (next > end) break;
            now = std::max(next, now + 1us);
        }
        now = end;
    }
    bool carry() {
        std::vector<std::pair<Node*, Buffer>> under_way;
        for (auto& node : nodes) {
            for (auto& transmit : drain(node->outbox))
                under_way.emplace_back(node.get(), std::move(transmit.datagram));
        }
        if (reorders) std::shuffle(under_way.begin(), under_way.end(), random);
        for (const auto& [from, datagram] : under_way) {
            ++datagrams;
            if (lost(*from, datagram)) continue;
            for (auto& node : nodes) {
                if (node.get() != from) node->receive(datagram, now);
            }
        }
        return !under_way.empty();
    }
    void lose(double part) {
        lost = [this, part](const Node&, const Buffer&) {
            return std::uniform_real_distribution<>(0, 1)(random) < part;
        };
    }

    std::vector<std::unique_ptr<Node>> nodes;
    std::function<bool(const Node&, const Buffer&)> lost = [](const Node&, const Buffer&) {
        return false;
    };
    std::mt19937_64 random{4};
    bool reorders{false};
    MonoTime now{1h};
    std::size_t datagrams{0};
};

// Ids that came, in order of the ids.
std::vector<types::TypeId> received(Node& node) {
    std::vector<types::TypeId> ids;
    for (const TypesReceived& event : node.events<TypesReceived>()) {
        for (const auto& [id, object] : event.types) {
            CHECK(types::type_id_of(object) == id);
            ids.push_back(id);
        }
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<types::TypeId> sorted(std::vector<types::TypeId> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::vector<types::TypeId> offer_many(Node& node, std::uint8_t count, std::size_t size = 64) {
    std::vector<types::TypeId> ids;
    for (std::uint8_t which = 0; which < count; ++which) {
        node.offer(some_type(which, size));
        ids.push_back(some_type(which, size).id);
    }
    return ids;
}

}  // namespace

TEST_CASE("types are looked up, and unknown ones are said to be") {
    World world;
    world[1].offer(some_type(1));
    world[1].offer(some_type(2));
    world.meet();
    world.run(100ms);
    world[0].types.look_up(
        world[1].prefix, {some_type(1).id, some_type(2).id, some_type(3).id}, world.now);
    CHECK(world[0].types.next_deadline() <= world.now);
    world.run(1ms);
    std::vector<TypesReceived> came;
    std::vector<TypesUnavailable> did_not;
    while (auto event = world[0].types.next_event()) {
        if (auto* types = std::get_if<TypesReceived>(&*event)) came.push_back(*types);
        if (auto* types = std::get_if<TypesUnavailable>(&*event)) did_not.push_back(*types);
    }
    REQUIRE(came.size() == 1);
    CHECK(came[0].peer == world[1].prefix);
    CHECK(came[0].types == std::vector{std::pair{some_type(1).id, some_type(1).object},
                                       std::pair{some_type(2).id, some_type(2).object}});
    REQUIRE(did_not.size() == 1);
    CHECK(did_not[0].types == std::vector{some_type(3).id});
    CHECK(world[0].types.pending() == 0);
    CHECK_FALSE(world[1].types.next_event());
}

TEST_CASE("a request right after the meeting arrives, whoever learns of the other first") {
    World world;
    world[1].offer(some_type(1));
    world[0].types.add_participant(world[1].as_found(), world.now, world[0].outbox);
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(30ms);
    world[1].types.add_participant(world[0].as_found(), world.now, world[1].outbox);
    world.run(300ms);
    CHECK(received(world[0]) == std::vector{some_type(1).id});
}

TEST_CASE("the first HEARTBEAT a reader can see says nothing, whatever is lost") {
    World world;
    world[1].offer(some_type(1));
    std::size_t with_data = 0;
    world.lost = [&](const Node& from, const Buffer& message) {
        if (&from != &world[0]) return false;
        // Each datagram alone has to begin with it, as all before it may be lost.
        for (const SeenSubmessage& seen : submessages_of(message)) {
            const auto* heartbeat = std::get_if<wire::Heartbeat>(&seen.submessage);
            if (heartbeat != nullptr && heartbeat->writer == entity::type_request_writer) {
                CHECK(heartbeat->last == previous(heartbeat->first));
                break;
            }
            if (std::holds_alternative<wire::Data>(seen.submessage)) FAIL("data came first");
        }
        with_data += data_of(message, entity::type_request_writer).size();
        return true;
    };
    world[0].types.add_participant(world[1].as_found(), world.now, world[0].outbox);
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(1s);
    CHECK(with_data >= 2);
    world.lost = [](const Node&, const Buffer&) { return false; };
    world[1].types.add_participant(world[0].as_found(), world.now, world[1].outbox);
    world.run(1s);
    CHECK(received(world[0]) == std::vector{some_type(1).id});
}

TEST_CASE("types arrive through loss and disorder, in both directions, large ones too") {
    World world;
    world.lose(0.3);
    world.reorders = true;
    const auto left = offer_many(world[0], 20, 3'000);
    const auto right = offer_many(world[1], 40, 500);
    world.meet();
    world[0].types.look_up(world[1].prefix, right, world.now);
    world[1].types.look_up(world[0].prefix, left, world.now);
    world.run(10s);
    CHECK(received(world[0]) == sorted(right));
    CHECK(received(world[1]) == sorted(left));
    // Nothing is kept, nothing is left to do.
    CHECK(world[0].types.next_deadline() == MonoTime::max());
}

TEST_CASE("a description larger than a datagram comes in fragments") {
    World world;
    world[1].offer(some_type(1, 200'000));
    world.meet();
    world.run(10ms);
    world[0].types.look_up(world[1].prefix, {some_type(1, 200'000).id}, world.now);
    world.run(1s);
    CHECK(received(world[0]) == std::vector{some_type(1, 200'000).id});
}

TEST_CASE("without the service at the peer, or without the peer, nothing is waited for") {
    World world;
    const std::uint32_t no_replies = builtin_endpoint::own & ~builtin_endpoint::type_reply_writer;
    world[0].types.add_participant(world[1].as_found(no_replies), world.now, world[0].outbox);
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    CHECK(world[0].events<TypesUnavailable>().size() == 1);
    world[0].types.look_up(prefix_of(9), {some_type(1).id}, world.now);
    CHECK(world[0].events<TypesUnavailable>().size() == 1);
    world.run(1s);
    CHECK(world[0].types.pending() == 0);

    // It says later that it has it.
    world[0].types.change_participant(world[1].as_found().data, world.now, world[0].outbox);
    world[1].types.add_participant(world[0].as_found(), world.now, world[1].outbox);
    world[1].offer(some_type(1));
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(1s);
    CHECK(received(world[0]).size() == 1);
}

TEST_CASE("a peer that is lost or never answers is given up") {
    World world;
    world.meet();
    world.run(10ms);
    world.lost = [](const Node&, const Buffer&) { return true; };
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(4'900ms);
    CHECK(world[0].events<TypesUnavailable>().empty());
    world.run(200ms);
    CHECK(world[0].events<TypesUnavailable>().size() == 1);

    world[0].types.look_up(world[1].prefix, {some_type(2).id}, world.now);
    world[0].types.remove_participant(world[1].prefix);
    CHECK(world[0].events<TypesUnavailable>().size() == 1);
    world.run(3s);
    CHECK(world[0].types.next_deadline() == MonoTime::max());
}

TEST_CASE("a request is for one participant; the others see no number of it") {
    World world(4);
    for (auto& node : world.nodes)
        node->offer(some_type(1));
    world.meet();
    world.run(2s);
    const std::size_t before = world.datagrams;
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(500ms);
    CHECK(received(world[0]).size() == 1);
    // Request, acknowledgement, reply, acknowledgement.
    CHECK(world.datagrams - before <= 6);
    // One that is asked later has to be told what was not for it.
    world[0].types.look_up(world[2].prefix, {some_type(1).id}, world.now);
    world.run(500ms);
    CHECK(received(world[0]).size() == 1);
    CHECK(world[0].types.last_number() == SequenceNumber{2});
}

TEST_CASE("after a restart numbers and counts go on above the old ones, and peers answer") {
    World world;
    world[1].offer(some_type(1));
    world.meet();
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(100ms);
    CHECK(received(world[0]).size() == 1);
    const SequenceNumber used = world[0].types.last_number();

    TypeLookupOptions options;
    options.first_number = SequenceNumber{used.value + 100};
    options.first_count = 1'000;
    world.nodes[0] = std::make_unique<Node>(std::uint8_t{1}, options);
    world[0].types.add_participant(world[1].as_found(), world.now, world[0].outbox);
    world.run(20ms);
    world[0].types.look_up(world[1].prefix, {some_type(1).id}, world.now);
    world.run(1s);
    CHECK(received(world[0]).size() == 1);
    CHECK(world[0].types.last_number() == options.first_number);
}

TEST_CASE("a peer that begins anew under the same prefix is answered anew") {
    World world;
    world[0].offer(some_type(1));
    world.meet();
    for (std::uint8_t which = 2; which < 30; ++which)
        world[1].types.look_up(world[0].prefix, {some_type(which).id}, world.now);
    world.run(5s);
    world.nodes[1] = std::make_unique<Node>(std::uint8_t{2});
    world[1].types.add_participant(world[0].as_found(), world.now, world[1].outbox);
    world[1].types.look_up(world[0].prefix, {some_type(1).id}, world.now);
    world.run(4s);
    CHECK(received(world[1]).size() == 1);
}

TEST_CASE("a message that cannot be read is reported and answered by nothing") {
    World world;
    world.meet();
    world.run(100ms);
    for (const EntityId writer : {entity::type_request_writer, entity::type_reply_writer}) {
        wire::MessageBuilder builder(wire::Header{{2, 3}, vendor::own, world[1].prefix}, 65'000);
        wire::DataFields fields;
        const Buffer payload{0, 7, 0, 0, 1, 2, 3, 4};
        fields.writer = writer;
        fields.number = SequenceNumber{1};
        fields.payload = payload;
        fields.payload_kind = PayloadKind::data;
        REQUIRE(builder.data(fields));
        world[0].receive(builder.take(), world.now);
        const auto malformed = world[0].events<MalformedAnnouncement>();
        REQUIRE(malformed.size() == 1);
        CHECK(malformed[0].writer == Guid{world[1].prefix, writer});
    }
    world.run(1s);
    CHECK(world[0].types.last_number() == SequenceNumber{0});
}

TEST_CASE("a request that names somebody else is not answered") {
    World world;
    world[0].offer(some_type(1));
    world.meet();
    world.run(100ms);
    TypeLookupRequest request;
    request.identity.number = 3;
    request.ids = {some_type(1).id};
    std::int64_t number = 0;
    const auto answered = [&](const std::string& name) {
        request.instance_name = name;
        const Buffer payload = encode_type_lookup_request(request);
        wire::MessageBuilder builder(wire::Header{{2, 3}, vendor::own, world[1].prefix}, 65'000);
        wire::DataFields fields;
        fields.writer = entity::type_request_writer;
        fields.number = SequenceNumber{++number};
        fields.payload = payload;
        fields.payload_kind = PayloadKind::data;
        REQUIRE(builder.data(fields));
        const SequenceNumber before = world[0].types.last_number();
        world[0].receive(builder.take(), world.now);
        world.run(1ms);
        return world[0].types.last_number() > before;
    };
    CHECK_FALSE(answered(type_lookup_instance(prefix_of(9))));
    CHECK(answered(type_lookup_instance(world[0].prefix)));
    CHECK(answered(""));
}

TEST_CASE("only submessages of these endpoints belong here") {
    CHECK(TypeLookup::concerns(entity::unknown, entity::type_request_writer));
    CHECK(TypeLookup::concerns(entity::type_reply_reader, entity::type_reply_writer));
    CHECK_FALSE(TypeLookup::concerns(EntityId{0x00000107}, entity::type_reply_writer));
    CHECK_FALSE(TypeLookup::concerns(entity::unknown, entity::publications_writer));
}
