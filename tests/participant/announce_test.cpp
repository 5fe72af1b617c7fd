// What the participant says about itself and its endpoints, and what it passes on of discovery.
#include "fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

constexpr std::uint32_t all_builtin = discovery::builtin_endpoint::own;

std::size_t count(const Lines& lines, std::string_view part) {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [&](const auto& line) { return line.find(part) != std::string::npos; }));
}

}  // namespace

TEST_CASE("endpoints are announced, acknowledged, and disposed under the next number") {
    ParticipantOptions options = default_options();
    options.sedp.first_number = {40};
    ParticipantUnderTest node(options);
    node.add_reader(reader_id);
    node.participant.add_replay_writer(endpoint({prefix(0), replay_id}), {});
    node.meet(1, vendor::eclipse, all_builtin);
    const Sent sent = node.sent();
    CHECK(count(sent.discovery, "7001 DATA 000004c2 -> 000004c7 number 40 data") == 1);
    CHECK(count(sent.discovery, "7001 DATA 000003c2 -> 000003c7 number 40 data") == 1);
    CHECK(count(sent.discovery, "7001 HEARTBEAT 000004c2 -> 000004c7 40..40") == 1);
    CHECK(sent.disposed.empty());

    node.receive(Message(1).to(prefix(0)).acknack(
        41, 1, {}, entity::subscriptions_writer, entity::subscriptions_reader));
    const auto acknowledged = node.events<discovery::LocalAcknowledged>();
    REQUIRE(acknowledged.size() == 1);
    CHECK(acknowledged[0].local == reader_id);

    node.settle();
    node.participant.retract(reader_id);
    node.participant.retract(replay_id);
    CHECK(node.participant.next_deadline() <= node.now);
    node.tick();
    const Sent disposed = node.sent();
    CHECK(count(disposed.discovery, "7001 DATA 000004c2 -> 000004c7 number 41 key") == 1);
    CHECK(count(disposed.discovery, "7001 DATA 000003c2 -> 000003c7 number 41 key") == 1);
    CHECK(disposed.disposed.size() == 2);
    CHECK(std::ranges::count(disposed.disposed, Guid{prefix(0), reader_id}) == 1);
    CHECK(std::ranges::count(disposed.disposed, Guid{prefix(0), replay_id}) == 1);
    CHECK(node.participant.sedp().last_number() == SequenceNumber{41});
}

TEST_CASE("endpoints that only an earlier run announced are disposed as well") {
    ParticipantUnderTest node;
    node.meet(1, vendor::eclipse, all_builtin);
    node.settle();
    node.participant.retract(other_reader_id);
    node.tick();
    CHECK(node.sent().disposed == std::vector<Guid>{{prefix(0), other_reader_id}});
}

TEST_CASE("discovery of endpoints is routed to and from its readers and writers") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1, vendor::eclipse, all_builtin);
    node.settle();
    const Buffer announcement = discovery::encode_endpoint(endpoint(remote_writer(1)));
    Buffer large = announcement;

    // A HEARTBEAT is answered, a GAP believed, a sample in fragments put together.
    const EntityId writer = entity::publications_writer;
    node.receive(Message(1).heartbeat(1, 2, 1, writer));
    CHECK(count(node.sent().discovery, "ACKNACK 000003c7 -> 000003c2 1/2 [1 2]") == 1);
    auto with_data = endpoint(remote_writer(1));
    with_data.qos.user_data = Buffer(1'500, 7);
    large = discovery::encode_endpoint(with_data);
    node.receive(Message(1).gap(1, 1, writer).fragment(2, 1, large, writer));
    node.receive(Message(1).heartbeat_frag(2, 2, 1, writer));
    CHECK(count(node.sent().discovery, "NACK_FRAG 000003c7 -> 000003c2 number 2 fragments 2/1") ==
          1);
    CHECK(node.events<discovery::WriterFound>().empty());
    node.receive(Message(1).fragment(2, 2, large, writer));
    const auto found = node.events<discovery::WriterFound>();
    REQUIRE(found.size() == 1);
    CHECK(found[0].data.guid == remote_writer(1));

    // A request for what we announced.
    node.run(100ms);
    node.settle();
    node.receive(
        Message(1).acknack(1, 1, {1}, entity::subscriptions_writer, entity::subscriptions_reader));
    CHECK(count(node.sent().discovery, "DATA 000004c2 -> 000004c7 number 1 data") == 1);
    CHECK(node.participant.samples().empty());
}

TEST_CASE("a peer from before a restart is addressed at once, discovery of participants first") {
    ParticipantUnderTest node;
    discovery::ParticipantData peer;
    peer.guid = {prefix(1), entity::participant};
    peer.vendor = vendor::eclipse;
    peer.metatraffic_unicast = {locator(1)};
    peer.default_unicast = {locator(1)};
    peer.builtin_endpoints = all_builtin;
    node.add_reader(reader_id);
    node.participant.restore_peer(peer, node.now);
    const auto found = node.events<discovery::ParticipantFound>();
    REQUIRE(found.size() == 1);
    CHECK(found[0].returning);
    node.participant.start(node.now);
    const Lines lines = node.sent().discovery;
    CHECK(count(lines, "7001 DATA 000100c2") == 1);
    CHECK(count(lines, "7001 DATA 000004c2") >= 1);
    CHECK(std::ranges::is_partitioned(lines, [](const std::string& line) {
        return line.find("DATA 000100c2") != std::string::npos;
    }));
}

TEST_CASE("the vendor id in SPDP headers can be another one, all others are ours") {
    ParticipantOptions options = default_options();
    options.spdp_header_vendor = vendor::eclipse;
    ParticipantUnderTest node(options);
    node.participant.start(node.now);
    CHECK(node.sent().vendors == std::vector{vendor::eclipse});
    node.add_reader(reader_id);
    node.meet(1, vendor::rti, all_builtin);
    CHECK(node.sent().vendors == std::vector{vendor::eclipse, vendor::own});
}

TEST_CASE("good-bye goes to the group and to every peer") {
    ParticipantUnderTest node;
    node.meet(1);
    node.settle();
    node.participant.goodbye();
    const Sent sent = node.sent();
    CHECK(count(sent.discovery, "7400 DATA 000100c2 -> 000100c7") == 1);
    CHECK(count(sent.discovery, "7001 DATA 000100c2 -> 000100c7") == 1);
    CHECK(sent.disposed == std::vector<Guid>(2, {prefix(0), entity::participant}));
}

TEST_CASE("an idle participant sleeps until its next announcement") {
    ParticipantUnderTest node;
    CHECK(node.participant.next_deadline() == MonoTime::max());
    node.participant.start(node.now);
    CHECK(node.participant.next_deadline() == node.now + 100ms);
    node.run(10s);
    node.settle();
    const MonoTime due = node.participant.next_deadline();
    CHECK(due > node.now);
    node.participant.tick(due - 1ms);
    CHECK(node.sent().discovery.empty());
    node.participant.tick(due);
    CHECK(count(node.sent().discovery, "7400 DATA 000100c2") == 1);
}

TEST_CASE("with a participant its endpoints are lost, after it") {
    ParticipantUnderTest node;
    node.meet(1, vendor::eclipse, all_builtin);
    const Buffer announcement = discovery::encode_endpoint(endpoint(remote_writer(1)));
    node.receive(Message(1).data(entity::publications_writer, 1, announcement));
    node.settle();
    node.run(101s);  // the lease
    std::string order;
    while (const auto event = node.participant.next_event()) {
        if (std::holds_alternative<discovery::ParticipantLost>(*event)) order += 'P';
        if (std::holds_alternative<discovery::WriterLost>(*event)) order += 'W';
    }
    CHECK(order == "PW");
    node.settle();
    node.run(10s);
    CHECK(node.sent().discovery.empty());
}

TEST_CASE("endpoints follow their participant to another address") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    node.match(1);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/0 count 1"});
    node.meet(1, vendor::eclipse, 0, locator(33));
    CHECK(node.events<discovery::ParticipantChanged>().size() == 1);
    node.receive(Message(1).heartbeat(1, 0, 1));
    CHECK(node.user_traffic() == Lines{"7033 ACKNACK 00000104 -> 00000a03 1/0 count 2 final"});
}

TEST_CASE("a participant that gains built-in endpoints is told of ours then") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    node.tick();
    CHECK(count(node.sent().discovery, "DATA 000004c2") == 0);
    node.meet(1, vendor::eclipse, all_builtin);
    CHECK(count(node.sent().discovery, "7001 DATA 000004c2 -> 000004c7 number 1 data") == 1);
}

TEST_CASE("the greatest count goes over HEARTBEATs and ACKNACKs of discovery, too") {
    ParticipantOptions options = default_options();
    options.first_count = 900;
    ParticipantUnderTest node(options);
    node.add_reader(reader_id);
    node.meet(1, vendor::eclipse, all_builtin);
    CHECK(node.participant.last_count() == 900);
}

TEST_CASE("a participant that comes and goes within one datagram is found and lost") {
    ParticipantUnderTest node;
    discovery::ParticipantData data;
    data.guid = {prefix(1), entity::participant};
    data.vendor = vendor::eclipse;
    data.metatraffic_unicast = {locator(1)};
    data.default_unicast = data.metatraffic_unicast;
    data.builtin_endpoints = all_builtin;
    const Buffer announcement = discovery::encode_participant(data);
    node.receive(Message(1)
                     .data(entity::spdp_writer, 1, announcement)
                     .dispose(entity::spdp_writer, 2, data.guid));
    CHECK(node.participant.spdp().find(prefix(1)) == nullptr);
    node.meet(2, vendor::eclipse, all_builtin);
    CHECK(node.participant.spdp().find(prefix(2)) != nullptr);
}
