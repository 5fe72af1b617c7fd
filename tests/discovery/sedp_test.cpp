#include "discovery/sedp.hpp"

#include "discovery/captured.hpp"
#include "discovery/messages.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace durability;
using namespace durability::discovery;
using namespace std::chrono_literals;

namespace {

GuidPrefix prefix_of(std::uint8_t number) {
    return GuidPrefix{{1, 0x7f, number}};
}

EndpointData endpoint(GuidPrefix prefix, std::uint32_t entity_id, std::string topic = "Square") {
    EndpointData data;
    data.guid = {prefix, EntityId{entity_id}};
    data.participant = {prefix, entity::participant};
    data.topic = std::move(topic);
    data.type = "ShapeType";
    data.version = {2, 5};
    data.vendor = vendor::own;
    data.qos.durability = DurabilityKind::transient;
    data.qos.reliability = ReliabilityKind::reliable;
    data.qos.representations = {0};
    return data;
}

constexpr std::uint32_t writer_id = 0x00000102;
constexpr std::uint32_t reader_id = 0x00000107;

// One participant: its Sedp, its outbox.
struct Node {
    Node(std::uint8_t number, VendorId vendor_id, SedpOptions options = {})
        : prefix(prefix_of(number)),
          vendor(vendor_id),
          outbox(wire::Header{{2, 5}, vendor_id, prefix}),
          sedp(prefix, std::move(options)) {}

    [[nodiscard]] ParticipantFound as_found(bool returning = false) const {
        ParticipantFound found;
        found.data.guid = {prefix, entity::participant};
        found.data.vendor = vendor;
        found.data.builtin_endpoints = builtin_endpoint::own;
        found.metatraffic = std::make_shared<rtps::Destination>(
            rtps::Destination{prefix, {Locator::udp_v4(0x7f000001U, 7410)}, vendor});
        found.user = found.metatraffic;
        found.returning = returning;
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
            sedp.on_data(seen.state, *data, now);
        } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&seen.submessage)) {
            sedp.on_heartbeat(seen.state, *heartbeat, now, outbox);
        } else if (const auto* acknack = std::get_if<wire::AckNack>(&seen.submessage)) {
            sedp.on_acknack(seen.state, *acknack, now, outbox);
        } else if (const auto* gap = std::get_if<wire::Gap>(&seen.submessage)) {
            sedp.on_gap(seen.state, *gap, now);
        } else if (const auto* frag = std::get_if<wire::DataFrag>(&seen.submessage)) {
            sedp.on_data_frag(seen.state, *frag, now);
        } else if (const auto* nack = std::get_if<wire::NackFrag>(&seen.submessage)) {
            sedp.on_nack_frag(seen.state, *nack, now, outbox);
        }
    }
    std::vector<SedpEvent> events() {
        std::vector<SedpEvent> all;
        while (auto event = sedp.next_event())
            all.push_back(std::move(*event));
        return all;
    }

    GuidPrefix prefix;
    VendorId vendor;
    rtps::Outbox outbox;
    Sedp sedp;
};

template <class T>
std::vector<T> only(std::vector<SedpEvent> events) {
    std::vector<T> chosen;
    for (SedpEvent& event : events) {
        if (auto* wanted = std::get_if<T>(&event)) chosen.push_back(std::move(*wanted));
    }
    return chosen;
}

// Two participants and the network between them.
struct Pair {
    explicit Pair(SedpOptions left_options = {}, VendorId right_vendor = vendor::own)
        : left(1, vendor::own, std::move(left_options)), right(2, right_vendor) {}

    void meet() {
        left.sedp.add_participant(right.as_found(), now, left.outbox);
        right.sedp.add_participant(left.as_found(), now, right.outbox);
    }
    // Runs both machines and delivers what they send for that long.
    void run(Duration time) {
        const MonoTime end = now + time;
        for (int steps = 0;; ++steps) {
            REQUIRE(steps < 20'000);
            left.sedp.tick(now, left.outbox);
            right.sedp.tick(now, right.outbox);
            if (carry()) continue;
            const MonoTime next = std::min(left.sedp.next_deadline(), right.sedp.next_deadline());
            if (next > end) break;
            now = std::max(next, now + 1us);
        }
        now = end;
    }
    bool carry() {
        bool any = false;
        for (auto& transmit : drain(left.outbox)) {
            ++datagrams;
            any = true;
            if (!lost(left, transmit.datagram)) right.receive(transmit.datagram, now);
        }
        for (auto& transmit : drain(right.outbox)) {
            ++datagrams;
            any = true;
            if (!lost(right, transmit.datagram)) left.receive(transmit.datagram, now);
        }
        return any;
    }

    std::function<bool(const Node&, const Buffer&)> lost = [](const Node&, const Buffer&) {
        return false;
    };
    Node left;
    Node right;
    MonoTime now{1h};
    std::size_t datagrams{0};
};

// The writer side of a built-in topic as a peer would send it, numbered by hand.
struct Forger {
    Buffer message(EntityId writer,
                   std::int64_t number,
                   ByteView payload,
                   PayloadKind kind,
                   ByteView inline_qos = {}) const {
        wire::MessageBuilder builder(wire::Header{{2, 3}, vendor, source}, 65'000);
        wire::DataFields fields;
        fields.writer = writer;
        fields.number = SequenceNumber{number};
        fields.inline_qos = inline_qos;
        fields.payload = payload;
        fields.payload_kind = kind;
        REQUIRE(builder.data(fields));
        return builder.take();
    }
    Buffer announce(std::int64_t number, const EndpointData& data) const {
        const EntityId writer =
            data.is_writer() ? entity::publications_writer : entity::subscriptions_writer;
        return message(writer, number, encode_endpoint(data), PayloadKind::data);
    }
    GuidPrefix source;
    VendorId vendor;
};

Buffer departure_qos(std::optional<Guid> key_hash) {
    wire::InlineQos qos;
    if (key_hash) qos.key_hash = to_octets(*key_hash);
    qos.status_info = 3;
    Buffer out;
    wire::encode_inline_qos(out, qos);
    return out;
}

// A node that knows participant 2, which the test plays.
struct Alone {
    explicit Alone(SedpOptions options = {}, VendorId peer_vendor = vendor::eprosima)
        : node(1, vendor::own, std::move(options)),
          peer(2, peer_vendor),
          forger{peer.prefix, peer_vendor} {
        node.sedp.add_participant(peer.as_found(), now, node.outbox);
        (void)drain(node.outbox);
    }
    void receive(const Buffer& message) { node.receive(message, now); }

    Node node;
    Node peer;
    Forger forger;
    MonoTime now{1h};
};

}  // namespace

TEST_CASE("endpoints announced before and after the meeting are found, both ways") {
    Pair pair;
    const EndpointData early_writer = endpoint(pair.left.prefix, writer_id);
    const EndpointData late_reader = endpoint(pair.right.prefix, reader_id, "Circle");
    pair.left.sedp.announce(early_writer);
    pair.meet();
    pair.run(10ms);
    pair.right.sedp.announce(late_reader);
    pair.run(10ms);

    const auto at_right = only<WriterFound>(pair.right.events());
    REQUIRE(at_right.size() == 1);
    CHECK(at_right[0].data == early_writer);
    const auto at_left = only<ReaderFound>(pair.left.events());
    REQUIRE(at_left.size() == 1);
    CHECK(at_left[0].data == late_reader);
    REQUIRE(pair.right.sedp.find_writer(early_writer.guid) != nullptr);
    CHECK(pair.right.sedp.find_reader(early_writer.guid) == nullptr);
}

TEST_CASE(
    "announcements are sent with the meeting and repeated while what they meet is not ready") {
    Pair pair;
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    // The right side knows nothing of the left one for 5 ms and drops everything.
    pair.left.sedp.add_participant(pair.right.as_found(), pair.now, pair.left.outbox);
    const MonoTime start = pair.now;
    std::vector<Duration> sent_at;
    pair.lost = [&](const Node& from, const Buffer& message) {
        if (&from == &pair.left && !data_of(message, entity::publications_writer).empty()) {
            sent_at.push_back(pair.now - start);
        }
        return false;
    };
    pair.run(5ms);
    pair.right.sedp.add_participant(pair.left.as_found(), pair.now, pair.right.outbox);
    pair.run(10ms);

    REQUIRE(sent_at.size() >= 3);
    CHECK(sent_at[0] == 0ms);
    CHECK(sent_at[1] == 1ms);
    CHECK(sent_at[2] == 3ms);
    CHECK(only<WriterFound>(pair.right.events()).size() == 1);
}

TEST_CASE("a peer that was late to know us gets everything with the first thing it says to us") {
    Pair pair;
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    pair.left.sedp.add_participant(pair.right.as_found(), pair.now, pair.left.outbox);
    // Between two HEARTBEATs of the left one, which back off.
    pair.run(450ms);
    pair.right.sedp.add_participant(pair.left.as_found(), pair.now, pair.right.outbox);
    pair.run(2ms);
    CHECK(only<WriterFound>(pair.right.events()).size() == 1);
    CHECK(pair.left.sedp.acknowledged_by(pair.right.prefix, EntityId{writer_id}));
}

TEST_CASE("what a peer is sent unasked is little, and it gets the rest at once by asking") {
    Pair pair;
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        pair.left.sedp.announce(endpoint(pair.left.prefix, (i << 8U) | 0x02U));
    }
    pair.left.sedp.add_participant(pair.right.as_found(), pair.now, pair.left.outbox);
    std::size_t unasked = 0;
    pair.lost = [&](const Node& from, const Buffer& message) {
        if (&from == &pair.left) unasked += message.size();
        return false;
    };
    pair.run(1min);
    CHECK(unasked < 20'000);
    pair.right.sedp.add_participant(pair.left.as_found(), pair.now, pair.right.outbox);
    pair.run(200ms);
    CHECK(pair.right.sedp.writers().size() == 1'000);
}

TEST_CASE("one knows when the peer has an announcement") {
    Pair pair;
    const EntityId writer{writer_id};
    const EntityId reader{reader_id};
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    CHECK_FALSE(pair.left.sedp.acknowledged_by(pair.right.prefix, writer));
    pair.meet();
    CHECK(only<LocalAcknowledged>(pair.left.events()).empty());
    pair.run(10ms);

    auto acknowledged = only<LocalAcknowledged>(pair.left.events());
    REQUIRE(acknowledged.size() == 1);
    CHECK(acknowledged[0].peer == pair.right.prefix);
    CHECK(acknowledged[0].local == writer);
    CHECK(pair.left.sedp.acknowledged_by(pair.right.prefix, writer));

    pair.left.sedp.announce(endpoint(pair.left.prefix, reader_id));
    pair.run(10ms);
    acknowledged = only<LocalAcknowledged>(pair.left.events());
    REQUIRE(acknowledged.size() == 1);
    CHECK(acknowledged[0].local == reader);

    // Known to nobody else, and not after it was retracted.
    CHECK_FALSE(pair.left.sedp.acknowledged_by(prefix_of(7), writer));
    pair.left.sedp.retract(writer);
    pair.run(10ms);
    CHECK_FALSE(pair.left.sedp.acknowledged_by(pair.right.prefix, writer));
    CHECK(only<LocalAcknowledged>(pair.left.events()).empty());
}

TEST_CASE("every announcement arrives over a network that loses every third datagram") {
    Pair pair;
    std::size_t count = 0;
    pair.lost = [&count](const Node&, const Buffer&) { return ++count % 3 == 0; };
    for (std::uint32_t i = 0; i < 200; ++i) {
        pair.left.sedp.announce(endpoint(pair.left.prefix, (i << 8U) | 0x02U));
        pair.right.sedp.announce(endpoint(pair.right.prefix, (i << 8U) | 0x07U));
    }
    pair.meet();
    pair.run(20s);
    CHECK(only<ReaderFound>(pair.left.events()).size() == 200);
    CHECK(only<WriterFound>(pair.right.events()).size() == 200);
    CHECK(pair.left.sedp.readers().size() == 200);
    CHECK(pair.right.sedp.writers().size() == 200);
}

TEST_CASE("when all is acknowledged there is silence") {
    Pair pair;
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    pair.meet();
    pair.run(5s);
    const std::size_t before = pair.datagrams;
    pair.run(60s);
    CHECK(pair.datagrams == before);
}

TEST_CASE("to a peer that never answers, announcements cost little") {
    Node node(1, vendor::own);
    const Node silent(2, vendor::own);
    for (std::uint32_t i = 0; i < 50; ++i) {
        node.sedp.announce(endpoint(node.prefix, (i << 8U) | 0x02U));
    }
    MonoTime now{1h};
    node.sedp.add_participant(silent.as_found(), now, node.outbox);
    std::size_t bytes = 0;
    const MonoTime end = now + 10min;
    std::size_t last_datagrams = 0;
    while (now < end) {
        node.sedp.tick(now, node.outbox);
        for (const auto& transmit : drain(node.outbox)) {
            bytes += transmit.datagram.size();
            if (now > end - 1min) ++last_datagrams;
        }
        now = std::max(now + 1ms, std::min(node.sedp.next_deadline(), end));
    }
    CHECK(bytes < 256U * 1024U);
    CHECK(last_datagrams == 0);
}

TEST_CASE("readers expect inline QoS towards Fast DDS and nobody else") {
    for (const VendorId vendor : {vendor::eprosima, vendor::eclipse, vendor::rti, vendor::own}) {
        Pair pair({}, vendor);
        pair.left.sedp.announce(endpoint(pair.left.prefix, reader_id));
        pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
        pair.meet();
        pair.run(20ms);
        const auto found = only<ReaderFound>(pair.right.events());
        REQUIRE(found.size() == 1);
        CHECK(found[0].data.expects_inline_qos == (vendor == vendor::eprosima));
        CHECK_FALSE(pair.right.sedp.writers().begin()->second.expects_inline_qos);
    }
}

TEST_CASE("an endpoint for one participant is not known to another") {
    Pair pair;
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id), prefix_of(9));
    pair.left.sedp.announce(endpoint(pair.left.prefix, 0x00000202), pair.right.prefix);
    pair.meet();
    pair.run(20ms);
    const auto found = only<WriterFound>(pair.right.events());
    REQUIRE(found.size() == 1);
    CHECK(found[0].data.guid.entity.value == 0x00000202);
    const auto acknowledged = only<LocalAcknowledged>(pair.left.events());
    REQUIRE(acknowledged.size() == 1);
    CHECK(acknowledged[0].local.value == 0x00000202);
}

TEST_CASE("changed QoS is a change, another topic is another endpoint") {
    Pair pair;
    EndpointData data = endpoint(pair.left.prefix, writer_id);
    pair.left.sedp.announce(data);
    pair.meet();
    pair.run(10ms);
    (void)pair.right.events();

    data.qos.partitions = {"A"};
    pair.left.sedp.announce(data);
    pair.run(10ms);
    auto events = pair.right.events();
    REQUIRE(events.size() == 1);
    REQUIRE(std::holds_alternative<WriterChanged>(events[0]));
    CHECK(std::get<WriterChanged>(events[0]).data == data);

    data.topic = "Triangle";
    pair.left.sedp.announce(data);
    pair.run(10ms);
    events = pair.right.events();
    REQUIRE(events.size() == 2);
    CHECK(std::holds_alternative<WriterLost>(events[0]));
    CHECK(std::holds_alternative<WriterFound>(events[1]));

    pair.left.sedp.announce(data);  // nothing new
    pair.run(10ms);
    CHECK(pair.right.events().empty());
}

TEST_CASE("a retracted endpoint is lost, and who comes later never hears of it") {
    Pair pair;
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    pair.left.sedp.announce(endpoint(pair.left.prefix, reader_id));
    pair.meet();
    pair.run(10ms);
    (void)pair.right.events();

    pair.left.sedp.retract(EntityId{writer_id});
    pair.left.sedp.retract(EntityId{reader_id});
    pair.run(10ms);
    const auto events = pair.right.events();
    REQUIRE(events.size() == 2);
    CHECK(std::get<WriterLost>(events[0]).guid.entity.value == writer_id);
    CHECK(std::get<WriterLost>(events[0]).reason == LossReason::disposed);
    CHECK(std::get<ReaderLost>(events[1]).guid.entity.value == reader_id);

    Node late(3, vendor::own);
    late.sedp.add_participant(pair.left.as_found(), pair.now, late.outbox);
    pair.left.sedp.add_participant(late.as_found(), pair.now, pair.left.outbox);
    for (const auto& transmit : drain(pair.left.outbox))
        late.receive(transmit.datagram, pair.now);
    CHECK(late.events().empty());
}

TEST_CASE("our disposes carry key hash, status and key") {
    Alone alone;
    alone.node.sedp.announce(endpoint(alone.node.prefix, writer_id));
    alone.node.sedp.tick(alone.now, alone.node.outbox);
    (void)drain(alone.node.outbox);
    alone.node.sedp.retract(EntityId{writer_id});
    alone.node.sedp.tick(alone.now, alone.node.outbox);

    std::size_t disposes = 0;
    for (const auto& transmit : drain(alone.node.outbox)) {
        for (const SeenData& seen : data_of(transmit.datagram, entity::publications_writer)) {
            const Guid guid{alone.node.prefix, EntityId{writer_id}};
            CHECK(seen.data.has_key);
            const auto qos = wire::decode_inline_qos(seen.data.inline_qos, seen.data.order);
            REQUIRE(qos.has_value());
            CHECK(qos->status_info == 3U);
            CHECK(qos->key_hash == to_octets(guid));
            const auto key = decode_endpoint_key(seen.data.payload);
            REQUIRE(key.has_value());
            CHECK(*key == guid);
            ++disposes;
        }
    }
    CHECK(disposes == 1);
}

TEST_CASE("endpoints come and go for ever and leave nothing behind") {
    Pair pair;
    pair.meet();
    for (std::uint32_t round = 0; round < 300; ++round) {
        const std::uint32_t id = (round << 8U) | 0x02U;
        pair.left.sedp.announce(endpoint(pair.left.prefix, id));
        pair.run(10ms);
        pair.left.sedp.retract(EntityId{id});
        pair.run(10ms);
    }
    CHECK(pair.right.sedp.writers().empty());
    CHECK(only<WriterLost>(pair.right.events()).size() == 300);

    // A newcomer gets an empty history.
    Node late(3, vendor::own);
    pair.left.sedp.add_participant(late.as_found(), pair.now, pair.left.outbox);
    std::size_t data = 0;
    for (const auto& transmit : drain(pair.left.outbox)) {
        if (transmit.datagram.size() < 20) continue;
        data += data_of(transmit.datagram, entity::publications_writer).size();
    }
    CHECK(data == 0);
}

TEST_CASE("disposes are understood in every form that is in use") {
    Alone alone;
    const EndpointData writer = endpoint(alone.peer.prefix, writer_id);
    alone.receive(alone.forger.announce(1, writer));
    REQUIRE(only<WriterFound>(alone.node.events()).size() == 1);
    const Buffer key = encode_endpoint_key(writer.guid);
    const EntityId from = entity::publications_writer;

    SECTION("key in the payload (Cyclone DDS)") {
        alone.receive(
            alone.forger.message(from, 2, key, PayloadKind::key, departure_qos(std::nullopt)));
    }
    SECTION("key hash only (Fast DDS)") {
        alone.receive(
            alone.forger.message(from, 2, {}, PayloadKind::none, departure_qos(writer.guid)));
    }
    SECTION("both") {
        alone.receive(
            alone.forger.message(from, 2, key, PayloadKind::key, departure_qos(writer.guid)));
    }
    SECTION("the whole announcement") {
        alone.receive(alone.forger.message(
            from, 2, encode_endpoint(writer), PayloadKind::data, departure_qos(std::nullopt)));
    }
    const auto lost = only<WriterLost>(alone.node.events());
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].guid == writer.guid);
    CHECK(lost[0].reason == LossReason::disposed);
    CHECK(alone.node.sedp.writers().empty());
}

TEST_CASE("an endpoint is announced, changed and removed by its own participant only") {
    Alone alone;
    Node victim(3, vendor::eclipse);
    alone.node.sedp.add_participant(victim.as_found(), alone.now, alone.node.outbox);
    const EndpointData writer = endpoint(victim.prefix, writer_id);
    const Forger genuine{victim.prefix, vendor::eclipse};

    // Announced by a stranger.
    alone.receive(alone.forger.announce(1, writer));
    CHECK(alone.node.sedp.writers().empty());
    CHECK(only<MalformedAnnouncement>(alone.node.events()).size() == 1);

    alone.receive(genuine.announce(1, writer));
    REQUIRE(only<WriterFound>(alone.node.events()).size() == 1);

    // Changed and removed by a stranger.
    EndpointData changed = writer;
    changed.topic = "Stolen";
    alone.receive(alone.forger.announce(2, changed));
    alone.receive(alone.forger.message(
        entity::publications_writer, 3, {}, PayloadKind::none, departure_qos(writer.guid)));
    REQUIRE(alone.node.sedp.find_writer(writer.guid) != nullptr);
    CHECK(*alone.node.sedp.find_writer(writer.guid) == writer);
    CHECK(only<WriterLost>(alone.node.events()).empty());
}

TEST_CASE("nothing is taken from participants that were never found") {
    Node node(1, vendor::own);
    const Forger stranger{prefix_of(5), vendor::eclipse};
    node.receive(stranger.announce(1, endpoint(prefix_of(5), writer_id)), MonoTime{1h});
    CHECK(node.events().empty());
    CHECK(node.sedp.writers().empty());
    CHECK(drain(node.outbox).empty());
}

TEST_CASE("an announcement that does not fit its topic or is damaged creates nothing") {
    Alone alone;
    const EndpointData reader = endpoint(alone.peer.prefix, reader_id);
    // A reader among the publications.
    alone.receive(alone.forger.message(
        entity::publications_writer, 1, encode_endpoint(reader), PayloadKind::data));
    // Without its end.
    Buffer cut = encode_endpoint(reader);
    cut.resize(cut.size() - 4);
    alone.receive(alone.forger.message(entity::subscriptions_writer, 1, cut, PayloadKind::data));
    // A dispose of nobody.
    alone.receive(alone.forger.message(
        entity::subscriptions_writer, 2, {}, PayloadKind::none, departure_qos(std::nullopt)));
    CHECK(only<MalformedAnnouncement>(alone.node.events()).size() == 3);
    CHECK(alone.node.sedp.readers().empty());
    CHECK(alone.node.sedp.writers().empty());

    // What follows is not hurt.
    alone.receive(alone.forger.announce(3, reader));
    CHECK(only<ReaderFound>(alone.node.events()).size() == 1);
}

TEST_CASE("built-in endpoints of other implementations are nobody's topics") {
    Alone alone;
    alone.receive(alone.forger.announce(1, endpoint(alone.peer.prefix, 0x000300c3)));
    alone.receive(alone.forger.announce(2, endpoint(alone.peer.prefix, 0x00000142)));
    CHECK(alone.node.events().empty());
    CHECK(alone.node.sedp.writers().empty());
}

TEST_CASE("at the limit new endpoints are refused without a trace, and there is room again later") {
    SedpOptions options;
    options.max_writers = 3;
    options.max_readers = 1;
    Alone alone(options);
    std::int64_t number = 0;
    for (int round = 0; round < 10; ++round) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            alone.receive(
                alone.forger.announce(++number, endpoint(alone.peer.prefix, (i << 8U) | 0x02U)));
        }
        CHECK(only<WriterFound>(alone.node.events()).size() == 3);
        alone.receive(alone.forger.announce(++number, endpoint(alone.peer.prefix, 0x00000902)));
        auto events = alone.node.events();
        REQUIRE(events.size() == 1);
        const auto* refused = std::get_if<LimitReached>(&events[0]);
        REQUIRE(refused != nullptr);
        CHECK(refused->limit == DiscoveryLimit::remote_writers);
        CHECK(alone.node.sedp.writers().size() == 3);
        // Changes of known ones still pass.
        EndpointData changed = endpoint(alone.peer.prefix, 0x00000002);
        changed.qos.partitions = {"A"};
        alone.receive(alone.forger.announce(++number, changed));
        CHECK(only<WriterChanged>(alone.node.events()).size() == 1);
        for (std::uint32_t i = 0; i < 3; ++i) {
            const Guid guid{alone.peer.prefix, EntityId{(i << 8U) | 0x02U}};
            alone.receive(alone.forger.message(
                entity::publications_writer, ++number, {}, PayloadKind::none, departure_qos(guid)));
        }
        CHECK(only<WriterLost>(alone.node.events()).size() == 3);
    }
    CHECK(alone.node.sedp.writers().empty());
}

TEST_CASE("a participant takes its endpoints with it, and no others") {
    Alone alone;
    Node other(3, vendor::eclipse);
    alone.node.sedp.add_participant(other.as_found(), alone.now, alone.node.outbox);
    const Forger other_forger{other.prefix, vendor::eclipse};
    alone.receive(alone.forger.announce(1, endpoint(alone.peer.prefix, writer_id)));
    alone.receive(alone.forger.announce(1, endpoint(alone.peer.prefix, reader_id)));
    alone.receive(other_forger.announce(1, endpoint(other.prefix, writer_id)));
    (void)alone.node.events();

    SECTION("lease") {
        alone.node.sedp.remove_participant(alone.peer.prefix, LossReason::lease_expired);
        const auto events = alone.node.events();
        REQUIRE(events.size() == 2);
        CHECK(std::get<WriterLost>(events[0]).reason == LossReason::lease_expired);
        CHECK(std::get<ReaderLost>(events[1]).reason == LossReason::lease_expired);
    }
    SECTION("good-bye") {
        alone.node.sedp.remove_participant(alone.peer.prefix, LossReason::disposed);
        const auto events = alone.node.events();
        REQUIRE(events.size() == 2);
        CHECK(std::get<WriterLost>(events[0]).reason == LossReason::participant_disposed);
    }
    CHECK(alone.node.sedp.writers().size() == 1);
    CHECK(alone.node.sedp.readers().empty());
    // It cannot speak any more, and nothing is sent to it.
    alone.receive(alone.forger.announce(2, endpoint(alone.peer.prefix, writer_id)));
    CHECK(alone.node.events().empty());
    (void)drain(alone.node.outbox);
    alone.node.sedp.announce(endpoint(alone.node.prefix, writer_id));
    alone.node.sedp.tick(alone.now, alone.node.outbox);
    for (const auto& transmit : drain(alone.node.outbox)) {
        for (const SeenSubmessage& seen : submessages_of(transmit.datagram)) {
            CHECK(seen.state.destination == other.prefix);
        }
    }
}

TEST_CASE("SEDP of Cyclone DDS as recorded is taken in") {
    Node node(1, vendor::own);
    const MonoTime now{1h};
    ParticipantFound found = Node(2, vendor::eclipse).as_found();
    found.data.guid.prefix =
        GuidPrefix{{0x5a, 0xb8, 0x10, 0x01, 0x16, 0x36, 0xc7, 0xd5, 0x18, 0x95, 0xc5, 0x4e}};
    node.sedp.add_participant(found, now, node.outbox);
    const Buffer publications = captured::cyclone_sedp_writers();
    const Buffer subscriptions = captured::cyclone_sedp_readers();
    // The recorded messages are directed to somebody else; what they hold is what counts here.
    for (const SeenSubmessage& seen : submessages_of(publications)) {
        node.dispatch(seen, now);
    }
    CHECK(only<WriterFound>(node.events()).size() == 5);
    // Number 1 of the subscriptions was in an earlier datagram, so these wait for it.
    for (const SeenSubmessage& seen : submessages_of(subscriptions)) {
        node.dispatch(seen, now);
    }
    CHECK(only<ReaderFound>(node.events()).empty());
    bool asked = false;
    for (const auto& transmit : drain(node.outbox)) {
        for (const SeenSubmessage& seen : submessages_of(transmit.datagram)) {
            const auto* acknack = std::get_if<wire::AckNack>(&seen.submessage);
            if (acknack == nullptr || acknack->writer != entity::subscriptions_writer) continue;
            asked |= acknack->state.contains(SequenceNumber{1});
        }
    }
    CHECK(asked);
}

TEST_CASE("only the built-in endpoints a participant has are matched") {
    Node node(1, vendor::own);
    Node peer(2, vendor::own);
    const MonoTime now{1h};
    ParticipantFound found = peer.as_found();
    found.data.builtin_endpoints = builtin_endpoint::publications_writer;
    node.sedp.add_participant(found, now, node.outbox);
    node.sedp.announce(endpoint(node.prefix, writer_id));
    node.sedp.tick(now, node.outbox);
    for (const auto& transmit : drain(node.outbox)) {
        for (const SeenSubmessage& seen : submessages_of(transmit.datagram)) {
            CHECK(std::holds_alternative<wire::AckNack>(seen.submessage));
        }
    }
    // Readers it did not have before are served once it says so.
    found.data.builtin_endpoints |= builtin_endpoint::publications_reader;
    node.sedp.change_participant(found.data, now, node.outbox);
    std::size_t announcements = 0;
    for (const auto& transmit : drain(node.outbox)) {
        announcements += data_of(transmit.datagram, entity::publications_writer).size();
    }
    CHECK(announcements == 1);
}

TEST_CASE("a daemon that returns is understood by a peer that never missed it") {
    Pair pair;
    pair.right.sedp.announce(endpoint(pair.right.prefix, reader_id));
    pair.left.sedp.announce(endpoint(pair.left.prefix, writer_id));
    pair.left.sedp.announce(endpoint(pair.left.prefix, 0x00000202));
    pair.meet();
    pair.run(1s);
    (void)pair.right.events();

    // The left one crashes. It comes back with numbers and counts above the old ones, knows the
    // peer from its state directory, announces one endpoint again, disposes the other and has a new
    // one.
    SedpOptions higher;
    higher.first_number = SequenceNumber{1'000'000};
    higher.first_count = 1'000'000;
    Node back(1, vendor::own, higher);
    back.sedp.add_participant(pair.right.as_found(true), pair.now, back.outbox);
    back.sedp.announce(endpoint(back.prefix, writer_id));
    back.sedp.retract(EntityId{0x00000202});
    back.sedp.announce(endpoint(back.prefix, 0x00000302));

    // The first datagrams hold HEARTBEATs and ACKNACKs that ask.
    std::vector<SedpEvent> at_right;
    std::vector<SedpEvent> at_back;
    bool asked = false;
    for (int step = 0; step < 2000; ++step) {
        back.sedp.tick(pair.now, back.outbox);
        pair.right.sedp.tick(pair.now, pair.right.outbox);
        for (const auto& transmit : drain(back.outbox)) {
            for (const SeenSubmessage& seen : submessages_of(transmit.datagram)) {
                const auto* acknack = std::get_if<wire::AckNack>(&seen.submessage);
                if (acknack != nullptr && !acknack->final) {
                    asked = true;
                    CHECK(acknack->count >= 1'000'000);
                }
                const auto* heartbeat = std::get_if<wire::Heartbeat>(&seen.submessage);
                if (heartbeat != nullptr) CHECK(heartbeat->count >= 1'000'000);
                const auto* data = std::get_if<wire::Data>(&seen.submessage);
                if (data != nullptr) CHECK(data->number.value >= 1'000'000);
            }
            pair.right.receive(transmit.datagram, pair.now);
        }
        for (const auto& transmit : drain(pair.right.outbox)) {
            back.receive(transmit.datagram, pair.now);
        }
        for (auto& event : pair.right.events())
            at_right.push_back(std::move(event));
        for (auto& event : back.events())
            at_back.push_back(std::move(event));
        pair.now += 1ms;
    }
    CHECK(asked);
    // The peer's reader is relearned, ours are acknowledged.
    CHECK(only<ReaderFound>(at_back).size() == 1);
    CHECK(back.sedp.acknowledged_by(pair.right.prefix, EntityId{writer_id}));
    // The peer sees no interruption of the first, the end of the second, and the new one.
    const auto lost = only<WriterLost>(at_right);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].guid.entity.value == 0x00000202);
    const auto found = only<WriterFound>(at_right);
    REQUIRE(found.size() == 1);
    CHECK(found[0].data.guid.entity.value == 0x00000302);
}

TEST_CASE("a peer that begins anew under its old identity is taken in anew") {
    Pair pair;
    pair.meet();
    for (std::uint32_t i = 1; i <= 20; ++i) {
        pair.right.sedp.announce(endpoint(pair.right.prefix, (i << 8U) | 0x02U));
    }
    pair.run(1s);
    CHECK(pair.left.sedp.writers().size() == 20);
    (void)pair.left.events();

    // A container restarts its process: same prefix, numbers from 1, one endpoint, no good-bye.
    Node again(2, vendor::own);
    again.sedp.announce(endpoint(again.prefix, 0x00000907, "Circle"));
    again.sedp.announce(endpoint(again.prefix, 0x00000902, "Circle"));
    again.sedp.add_participant(pair.left.as_found(), pair.now, again.outbox);
    for (int step = 0; step < 20'000; ++step) {
        again.sedp.tick(pair.now, again.outbox);
        pair.left.sedp.tick(pair.now, pair.left.outbox);
        for (const auto& transmit : drain(again.outbox))
            pair.left.receive(transmit.datagram, pair.now);
        for (const auto& transmit : drain(pair.left.outbox))
            again.receive(transmit.datagram, pair.now);
        pair.now += 1ms;
    }
    const auto lost = only<WriterLost>(pair.left.events());
    CHECK(lost.size() == 20);
    CHECK(pair.left.sedp.writers().size() == 1);
    CHECK(pair.left.sedp.readers().size() == 1);
}

namespace {

// A writer of that kind is announced, and `kind` is what the messages about it say.
void check_assertions(LivelinessKind offered, const std::string& kind) {
    Pair pair;
    EndpointData data = endpoint(pair.left.prefix, writer_id);
    data.qos.liveliness = {offered, {3, 0}};
    pair.left.sedp.announce(data);
    pair.meet();
    std::vector<MonoTime> asserted;
    Buffer payload;
    std::int64_t last_number = 0;
    pair.lost = [&](const Node& from, const Buffer& message) {
        if (&from != &pair.left) return false;
        for (const SeenData& seen : data_of(message, entity::participant_message_writer)) {
            if (seen.data.number.value <= last_number) continue;
            last_number = seen.data.number.value;
            asserted.push_back(pair.now);
            payload.assign(seen.data.payload.begin(), seen.data.payload.end());
        }
        return false;
    };
    pair.run(10s);
    REQUIRE(asserted.size() >= 10);
    for (std::size_t i = 1; i < asserted.size(); ++i)
        CHECK(asserted[i] - asserted[i - 1] <= 1s);
    CHECK(to_hex(payload) ==
          "00010000"
          "017f01000000000000000000" +
              kind +
              "01000000"
              "00000000");

    pair.left.sedp.retract(EntityId{writer_id});
    const std::size_t before = asserted.size();
    pair.run(10s);
    CHECK(asserted.size() == before);
}

}  // namespace

TEST_CASE("a writer that promises liveliness has it asserted more often than its lease") {
    check_assertions(LivelinessKind::automatic, "00000001");
    check_assertions(LivelinessKind::manual_by_participant, "00000002");
}

TEST_CASE("what concerns the built-in endpoints is told apart from the rest") {
    CHECK(Sedp::concerns(entity::publications_reader, entity::publications_writer));
    CHECK(Sedp::concerns(entity::unknown, entity::subscriptions_writer));
    CHECK(Sedp::concerns(entity::participant_message_reader, entity::participant_message_writer));
    CHECK_FALSE(Sedp::concerns(entity::spdp_reader, entity::spdp_writer));
    CHECK_FALSE(Sedp::concerns(EntityId{reader_id}, EntityId{writer_id}));
    CHECK_FALSE(Sedp::concerns(entity::unknown, EntityId{writer_id}));
}
