// Readers of ours: what reaches which of them, and what they say.
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

// A reliable reader that is matched with the writer of peer 1 and has spoken to it.
struct Ingesting : ParticipantUnderTest {
    explicit Ingesting(ReliabilityKind reliability = ReliabilityKind::reliable,
                       ParticipantOptions options = default_options())
        : ParticipantUnderTest(std::move(options)) {
        add_reader(reader_id, reliability);
        meet(1);
        match(1);
        tick();
        settle();
    }
    [[nodiscard]] rtps::WriterStatus status(std::uint8_t peer = 1) const {
        return *participant.writer_status(remote_writer(peer));
    }
};

}  // namespace

TEST_CASE("DATA goes to the reader that is matched with its writer") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.add_reader(other_reader_id);
    for (const std::uint8_t peer : {std::uint8_t{1}, std::uint8_t{2}})
        node.meet(peer);
    node.match(1, reader_id);
    node.match(2, other_reader_id);
    node.tick();
    node.settle();

    node.receive(Message(2).data(1));
    node.receive(Message(1).data(1).data(2));
    CHECK(node.samples() == "2:1 1:1 1:2");
    node.commit(1, 2);
    node.commit(2, 1);
    const Sent sent = node.sent();
    CHECK(sent.user == Lines{"7001 ACKNACK 00000104 -> 00000a03 3/0 count 2 final",
                             "7002 ACKNACK 00000204 -> 00000a03 2/0 count 2 final"});
    CHECK(sent.destinations == std::vector{prefix(1), prefix(2)});
}

TEST_CASE("writers that are not matched are not heard") {
    Ingesting node;
    node.meet(2);
    node.receive(Message(2).data(1).heartbeat(1, 5, 1).gap(1, 2).heartbeat_frag(3, 4, 1));
    node.receive(Message(1).data(1, EntityId{0x00007703}).heartbeat(1, 5, 1, EntityId{0x00007703}));
    CHECK(node.samples().empty());
    CHECK(node.user_traffic().empty());
    CHECK_FALSE(node.participant.writer_status(remote_writer(2)));
}

TEST_CASE("no match without a reader of ours, nor with a participant nobody knows") {
    Ingesting node;
    node.match(9);
    CHECK_FALSE(node.participant.writer_status(remote_writer(9)));
    node.meet(2);
    node.match(2, EntityId{0x00007704});
    CHECK_FALSE(node.participant.writer_status(remote_writer(2)));
    node.receive(Message(2).data(1));
    CHECK(node.samples().empty());
}

TEST_CASE("nothing is acknowledged before it is committed, and no more than that") {
    Ingesting node;
    node.receive(Message(1).data(1).data(2).data(3).heartbeat(1, 3, 1));
    CHECK(node.samples() == "1:1 1:2 1:3");
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/0 count 2 final"});
    node.commit(1, 2);
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 3/0 count 3 final"});
    CHECK(node.status().committed == SequenceNumber{2});
}

TEST_CASE("HEARTBEAT, GAP and DATA work together on one writer") {
    Ingesting node;
    node.receive(Message(1).data(3).heartbeat(1, 3, 1));
    CHECK(node.samples().empty());
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/2 [1 2] count 2"});
    node.receive(Message(1).gap(1, 1));
    CHECK(node.samples() == "1:[1-1]");
    node.receive(Message(1).data(2));
    CHECK(node.samples() == "1:2 1:3");
}

TEST_CASE("DATA_FRAG and HEARTBEAT_FRAG reach the reader") {
    Ingesting node;
    const Buffer sample = payload(2'500);
    node.receive(Message(1).fragment(1, 1, sample).heartbeat_frag(1, 3, 1));
    CHECK(node.user_traffic() ==
          Lines{"7001 NACK_FRAG 00000104 -> 00000a03 number 1 fragments 2/2 [2 3] count 2"});
    node.receive(Message(1).fragment(1, 3, sample).fragment(1, 2, sample));
    REQUIRE(node.participant.samples().size() == 1);
    const ByteView received = node.participant.samples()[0].payload.view();
    CHECK(Buffer(received.begin(), received.end()) == sample);
}

TEST_CASE("the deadline of a reader is one of the participant") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    node.match(1);
    CHECK(node.participant.next_deadline() <= node.now);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/0 count 1"});
    CHECK(node.participant.next_deadline() == node.now + 10ms);
    node.run(9ms);
    CHECK(node.user_traffic().empty());
    node.run(1ms);
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/0 count 2"});
}

TEST_CASE("a best-effort reader delivers, and never says a word") {
    Ingesting node(ReliabilityKind::best_effort);
    const Buffer sample = payload(1'500);
    node.receive(Message(1).data(1).data(4).data(3).heartbeat(1, 9, 1).gap(5, 6));
    node.receive(Message(1).fragment(7, 1, sample).heartbeat_frag(7, 2, 1));
    node.receive(Message(1).fragment(7, 2, sample));
    CHECK(node.samples() == "1:1 1:4 1:7");
    node.commit(1, 4);
    node.participant.probe_writer(remote_writer(1), node.now);
    node.run(5s);
    CHECK(node.user_traffic().empty());
    CHECK(node.status().received == SequenceNumber{7});
    CHECK(node.status().samples == 3);
    CHECK(node.status().lost == 4);
    CHECK(node.status().duplicates == 1);
}

TEST_CASE("what is stored already is neither delivered nor asked for") {
    for (const auto reliability : {ReliabilityKind::reliable, ReliabilityKind::best_effort}) {
        ParticipantUnderTest node;
        node.add_reader(reader_id, reliability);
        node.meet(1);
        node.match(1, reader_id, SequenceNumber{4});
        node.receive(Message(1).data(3).data(4).data(5));
        CHECK(node.samples() == "1:5");
    }
}

TEST_CASE("while ingest is paused samples are dropped, and had afterwards") {
    Ingesting node;
    const Buffer sample = payload(1'500);
    node.participant.pause_ingest(true);
    node.receive(Message(1).data(1).fragment(2, 1, sample).heartbeat(1, 2, 1));
    CHECK(node.samples().empty());
    CHECK(node.participant.counters().dropped_while_paused == 2);
    // The conversation goes on: the writer must not take us for dead.
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/2 [1 2] count 2"});
    node.participant.pause_ingest(false);
    node.receive(Message(1).data(1).fragment(2, 1, sample).fragment(2, 2, sample));
    CHECK(node.samples() == "1:1 1:2");
    CHECK(node.participant.counters().dropped_while_paused == 2);
}

TEST_CASE("one writer is paused, and another of the same reader is not") {
    Ingesting node;
    node.meet(2);
    node.match(2, reader_id, SequenceNumber{0});
    node.participant.pause_writer(remote_writer(1), true);
    node.receive(Message(1).data(1));
    node.receive(Message(2).data(1));
    CHECK(node.samples() == "2:1");
    CHECK(node.participant.counters().dropped_while_paused == 1);
    node.participant.pause_writer(remote_writer(1), false);
    node.receive(Message(1).data(1));
    CHECK(node.samples() == "1:1");
}

TEST_CASE("a writer that is gone leaves what was held, and is not heard again") {
    Ingesting node;
    node.receive(Message(1).data(1).data(3));
    CHECK(node.samples() == "1:1");
    node.participant.unmatch_writer(remote_writer(1));
    CHECK(node.samples() == "1:{2-2} 1:3");
    node.receive(Message(1).data(4).heartbeat(1, 9, 1));
    CHECK(node.samples().empty());
    CHECK(node.user_traffic().empty());
    CHECK_FALSE(node.participant.writer_status(remote_writer(1)));
}

TEST_CASE("a writer that moves to another reader of ours is heard by that one") {
    Ingesting node;
    node.receive(Message(1).data(1));
    node.add_reader(other_reader_id);
    node.participant.unmatch_writer(remote_writer(1));
    node.match(1, other_reader_id, SequenceNumber{1});
    node.receive(Message(1).data(2));
    CHECK(node.samples() == "1:1 1:2");
    node.commit(1, 2);
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000204 -> 00000a03 3/0 count 1 final"});
}

TEST_CASE("a reader that was removed hears and says nothing") {
    Ingesting node;
    node.receive(Message(1).data(1));
    (void)node.samples();
    node.participant.retract(reader_id);
    node.receive(Message(1).data(2).heartbeat(1, 9, 1));
    node.commit(1, 1);
    node.run(3s);
    CHECK(node.samples().empty());
    CHECK(node.user_traffic().empty());
    // Added again, it begins anew.
    node.add_reader(reader_id);
    node.receive(Message(1).data(2));
    CHECK(node.samples().empty());
    node.match(1);
    node.receive(Message(1).data(1));
    CHECK(node.samples() == "1:1");
}

TEST_CASE("locators of an endpoint come before those of its participant") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    auto writer = endpoint(remote_writer(1));
    writer.unicast = {Locator::udp_v4(0x7f000001U, 7801)};
    node.participant.match_writer(reader_id, writer, {}, node.now);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7801 ACKNACK 00000104 -> 00000a03 1/0 count 1"});
    // One of a kind nobody here speaks is no address.
    writer.unicast[0].kind = 77;
    node.participant.match_writer(reader_id, writer, {}, node.now);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/0 count 1"});
}

TEST_CASE("a writer that counts from the start again is reported") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    node.match(1, reader_id, SequenceNumber{100});
    node.receive(Message(1).heartbeat(1, 3, 1));
    const auto events = node.events<NumberingRestarted>();
    REQUIRE(events.size() == 1);
    CHECK(events[0].reader == reader_id);
    CHECK(events[0].writer == remote_writer(1));
}

TEST_CASE("counts go on above those of an earlier run") {
    ParticipantOptions options = default_options();
    options.first_count = 500;
    Ingesting node(ReliabilityKind::reliable, options);
    node.receive(Message(1).heartbeat(1, 1, 1));
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 1/1 [1] count 501"});
    CHECK(node.participant.last_count() == 501);
}
