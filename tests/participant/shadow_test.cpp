// Readers of ours that only acknowledge for a writer: match_shadow().
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

// The writer of peer 1 is served by reader_id, and matches other_reader_id as well.
struct Shadowed : ParticipantUnderTest {
    explicit Shadowed(ParticipantOptions options = default_options())
        : ParticipantUnderTest(std::move(options)) {
        add_reader(reader_id);
        add_reader(other_reader_id);
        meet(1);
        match(1);
        shadow(false);
        tick();
        settle();
    }
    void shadow(bool discard, EntityId reader = other_reader_id) {
        participant.match_shadow(reader, endpoint(remote_writer(1)), discard, now);
    }
};

}  // namespace

TEST_CASE("a second reader acknowledges what is committed, and delivers nothing twice") {
    Shadowed node;
    node.receive(Message(1).data(1).data(2).heartbeat(1, 2, 1));
    CHECK(node.samples() == "1:1 1:2");
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000204 -> 00000a03 1/0 count 2 final",
                                       "7001 ACKNACK 00000104 -> 00000a03 1/0 count 2 final"});
    node.commit(1, 1);
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 2/0 count 3 final",
                                       "7001 ACKNACK 00000204 -> 00000a03 2/0 count 3 final"});
}

TEST_CASE("a second reader hears of GAPs and fragments like the first") {
    Shadowed node;
    const Buffer sample = payload(1'500);
    node.receive(Message(1).heartbeat(1, 2, 1).gap(1, 1));
    node.receive(Message(1).fragment(2, 1, sample).fragment(2, 2, sample));
    CHECK(node.samples() == "1:[1-1] 1:2");
    node.settle();
    node.commit(1, 2);
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 3/0 count 3 final",
                                       "7001 ACKNACK 00000204 -> 00000a03 3/0 count 3 final"});
}

TEST_CASE("what was committed before a second reader matched is acknowledged from the start") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.add_reader(other_reader_id);
    node.meet(1);
    node.match(1);
    node.receive(Message(1).data(1).data(2).heartbeat(1, 2, 1));
    node.commit(1, 1);
    node.settle();
    node.participant.match_shadow(other_reader_id, endpoint(remote_writer(1)), false, node.now);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000204 -> 00000a03 2/0 count 1"});
}

TEST_CASE("a writer that is not served is acknowledged and not heard") {
    ParticipantUnderTest node;
    node.add_reader(reader_id);
    node.meet(1);
    node.participant.match_shadow(reader_id, endpoint(remote_writer(1)), true, node.now);
    node.tick();
    node.settle();
    node.participant.pause_ingest(true);  // concerns what is served
    node.receive(Message(1).data(1).data(2));
    CHECK(node.participant.samples().empty());
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 2/0 count 2 final",
                                       "7001 ACKNACK 00000104 -> 00000a03 3/0 count 3 final"});
    CHECK(node.participant.counters().dropped_while_paused == 0);
    CHECK_FALSE(node.participant.writer_status(remote_writer(1)));
}

TEST_CASE("what a second reader gives up is not delivered again") {
    ParticipantOptions options = default_options();
    options.reader_limits.give_up_rounds = 1;
    options.reader_limits.give_up_after = 0s;
    Shadowed node(options);
    node.receive(Message(1).heartbeat(1, 2, 1).data(2).heartbeat(1, 2, 2));
    node.run(10ms);
    CHECK(node.samples() == "1:{1-1} 1:2");
    node.settle();
    node.commit(1, 2);
    CHECK(node.user_traffic().size() == 2);
}

TEST_CASE("matching a second reader once more, or the first one, changes nothing") {
    Shadowed node;
    node.shadow(false);
    node.shadow(false, reader_id);
    node.tick();
    CHECK(node.user_traffic().empty());
    node.receive(Message(1).data(1));
    CHECK(node.samples() == "1:1");
    node.commit(1, 1);
    CHECK(node.user_traffic().size() == 2);
}

TEST_CASE("a best-effort reader has nothing to acknowledge") {
    ParticipantUnderTest node;
    node.add_reader(reader_id, ReliabilityKind::best_effort);
    node.meet(1);
    node.participant.match_shadow(reader_id, endpoint(remote_writer(1)), true, node.now);
    node.receive(Message(1).data(1).heartbeat(1, 1, 1));
    node.run(3s);
    CHECK(node.participant.samples().empty());
    CHECK(node.user_traffic().empty());
}

TEST_CASE("a writer that is gone is gone for every reader") {
    Shadowed node;
    node.participant.unmatch_writer(remote_writer(1));
    node.receive(Message(1).data(1).heartbeat(1, 9, 1));
    node.run(3s);
    CHECK(node.samples().empty());
    CHECK(node.user_traffic().empty());
}

TEST_CASE("a second reader that is removed leaves the first one alone") {
    Shadowed node;
    node.participant.retract(other_reader_id);
    node.receive(Message(1).data(1));
    node.commit(1, 1);
    CHECK(node.samples() == "1:1");
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 2/0 count 2 final"});
}
