#include "fixture.hpp"

#include "discovery/type_lookup_message.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

struct Description {
    types::TypeId id;
    Buffer object;
};

Description description(std::uint8_t which, std::size_t size = 40) {
    Description result;
    result.object.assign(size, which);
    for (unsigned i = 0; i < 4; ++i)
        result.object[i] = static_cast<std::uint8_t>((size - 4) >> (8U * i));
    result.object[4] = 0xf2;
    result.id = types::type_id_of(result.object);
    return result;
}

ParticipantOptions options_of(std::uint8_t which) {
    ParticipantOptions options = default_options();
    options.own.guid.prefix = prefix(which);
    options.own.metatraffic_unicast = {locator(which)};
    options.own.default_unicast = {locator(which)};
    return options;
}

// Two whole participants that hear each other.
struct Couple {
    Couple() : left(options_of(1)), right(options_of(2)) {
        left.start(now);
        right.start(now);
    }
    void run(Duration time) {
        const MonoTime end = now + time;
        while (true) {
            left.tick(now);
            right.tick(now);
            const bool to_right = carry(left, right, 1);
            const bool to_left = carry(right, left, 2);
            if (to_right || to_left) continue;
            const MonoTime next = std::min(left.next_deadline(), right.next_deadline());
            if (next > end) break;
            now = std::max(next, now + 1us);
        }
        now = end;
    }
    bool carry(Participant& from, Participant& to, std::uint8_t which) {
        bool any = false;
        while (const auto transmit = from.next_transmit()) {
            any = true;
            to.receive(transmit->datagram, locator(which), now);
            to.samples().clear();
        }
        return any;
    }

    MonoTime now{1h};
    Participant left;
    Participant right;
};

template <class Event>
std::vector<Event> events_of(Participant& participant) {
    std::vector<Event> chosen;
    while (auto event = participant.next_event()) {
        if (auto* wanted = std::get_if<Event>(&*event)) chosen.push_back(std::move(*wanted));
    }
    return chosen;
}

std::size_t count(const Lines& lines, const std::string& part) {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

constexpr std::uint32_t all_builtin = discovery::builtin_endpoint::own;

}  // namespace

TEST_CASE("a participant looks up the types that another one offers") {
    Couple couple;
    couple.right.offer_type(description(1).id, description(1).object);
    couple.right.offer_type(description(2, 50'000).id, description(2, 50'000).object);
    couple.run(200ms);
    couple.left.look_up_types(
        prefix(2), {description(1).id, description(2, 50'000).id, description(3).id}, couple.now);
    CHECK(couple.left.next_deadline() <= couple.now);
    couple.run(500ms);

    std::vector<discovery::TypesReceived> received;
    std::vector<discovery::TypesUnavailable> unavailable;
    while (auto event = couple.left.next_event()) {
        if (auto* types = std::get_if<discovery::TypesReceived>(&*event))
            received.push_back(std::move(*types));
        if (auto* types = std::get_if<discovery::TypesUnavailable>(&*event))
            unavailable.push_back(std::move(*types));
    }
    REQUIRE(received.size() == 1);
    CHECK(received[0].peer == prefix(2));
    REQUIRE(received[0].types.size() == 2);
    CHECK(received[0].types[0] == std::pair{description(1).id, description(1).object});
    REQUIRE(unavailable.size() == 1);
    CHECK(unavailable[0].types == std::vector{description(3).id});

    couple.right.withdraw_type(description(1).id);
    couple.left.look_up_types(prefix(2), {description(1).id}, couple.now);
    couple.run(500ms);
    CHECK(events_of<discovery::TypesUnavailable>(couple.left).size() == 1);
}

TEST_CASE("the numbers of the service count for the next run") {
    ParticipantOptions options = default_options();
    options.sedp.first_number = {40};
    ParticipantUnderTest node(options);
    CHECK(node.participant.last_builtin_number() == SequenceNumber{39});
    node.meet(1, vendor::eclipse, all_builtin);
    for (std::uint8_t which = 1; which <= 3; ++which)
        node.participant.look_up_types(prefix(1), {description(which).id}, node.now);
    node.tick();
    CHECK(node.participant.last_builtin_number() == SequenceNumber{42});
    CHECK(node.participant.sedp().last_number() == SequenceNumber{39});
}

TEST_CASE("what is said about types is routed to and from its four endpoints") {
    ParticipantUnderTest node;
    node.participant.offer_type(description(1).id, description(1).object);
    node.meet(1, vendor::eclipse, all_builtin);
    node.settle();

    // A HEARTBEAT is answered, a GAP believed, a request in fragments put together and answered.
    const EntityId writer = entity::type_request_writer;
    node.receive(Message(1).heartbeat(1, 2, 1, writer));
    CHECK(count(node.sent().discovery, "ACKNACK 000300c4 -> 000300c3 1/2 [1 2]") == 1);
    discovery::TypeLookupRequest request;
    request.ids.assign(100, description(1).id);
    const Buffer payload = discovery::encode_type_lookup_request(request);
    REQUIRE(payload.size() > fragment_size);
    node.receive(Message(1).gap(1, 1, writer).fragment(2, 1, payload, writer));
    node.receive(Message(1).heartbeat_frag(2, 2, 1, writer));
    CHECK(count(node.sent().discovery, "NACK_FRAG 000300c4 -> 000300c3 number 2 fragments 2/1") ==
          1);
    node.receive(Message(1).fragment(2, 2, payload, writer));
    node.tick();
    CHECK(count(node.sent().discovery, "DATA 000301c3 -> 000301c4 number 1 data") == 1);

    // Asked for again, then acknowledged.
    node.run(100ms);
    node.settle();
    node.receive(
        Message(1).acknack(1, 1, {1}, entity::type_reply_writer, entity::type_reply_reader));
    CHECK(count(node.sent().discovery, "DATA 000301c3 -> 000301c4 number 1 data") == 1);
    node.receive(
        Message(1).acknack(2, 2, {}, entity::type_reply_writer, entity::type_reply_reader));
    node.run(100ms);
    node.settle();
    node.receive(
        Message(1).acknack(1, 3, {1}, entity::type_reply_writer, entity::type_reply_reader));
    CHECK(count(node.sent().discovery, "GAP 000301c3 -> 000301c4") == 1);
    CHECK(node.participant.samples().empty());
}

TEST_CASE("a damaged reply is reported") {
    ParticipantUnderTest node;
    node.meet(1, vendor::eclipse, all_builtin);
    node.receive(Message(1).data(1, entity::type_reply_writer));
    CHECK(node.events<discovery::MalformedAnnouncement>().size() == 1);
}

TEST_CASE("when a participant goes, what it was asked for is unavailable") {
    ParticipantUnderTest node;
    node.meet(1, vendor::eclipse, all_builtin);
    node.participant.look_up_types(prefix(1), {description(1).id}, node.now);
    node.participant.look_up_types(prefix(3), {description(1).id}, node.now);
    CHECK(node.events<discovery::TypesUnavailable>().at(0).peer == prefix(3));
    node.run(2min);
    CHECK(node.events<discovery::TypesUnavailable>().at(0).peer == prefix(1));
}
