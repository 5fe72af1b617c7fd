// Replay writers: who is heard by which, payloads asked for and sent.
#include "fixture.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

constexpr EntityId other_replay_id{0x00000403};

struct Replaying : ParticipantUnderTest {
    explicit Replaying(ParticipantOptions options = default_options())
        : ParticipantUnderTest(std::move(options)) {
        add(replay_id);
        meet(1);
        match_reader(1);
        tick();
        settle();
    }
    void add(EntityId id) { participant.add_replay_writer(endpoint({prefix(0), id}), {}); }
    void match_reader(std::uint8_t peer, bool reliable = true, EntityId writer = replay_id) {
        participant.match_reader(
            writer, endpoint(remote_reader(peer)), {.reliable = reliable, .shares_position = true});
    }
    void prepare(std::uint8_t peer, ArrivalRange history, EntityId writer = replay_id) {
        participant.prepare_history(writer, remote_reader(peer), {{history}});
    }
    void begin(std::uint8_t peer, EntityId writer = replay_id) {
        participant.begin_history(writer, remote_reader(peer), now);
    }
    // Peer 1 is owed arrival 7 by one replay writer, peer 2 is owed 8 by another.
    void begin_two() {
        add(other_replay_id);
        meet(2);
        match_reader(2, true, other_replay_id);
        prepare(1, {7, 7});
        prepare(2, {8, 8}, other_replay_id);
        begin(1);
        begin(2, other_replay_id);
    }
    // Answers every request; "303->1: 1 2" for each: writer, peer, arrivals.
    Lines serve(std::size_t size = 12) {
        Lines served;
        contents = payload(size);
        while (const auto request = participant.next_payload_request()) {
            served.push_back(fmt::format("{:x}->{}: {}",
                                         request->replay_writer.value,
                                         request->reader.prefix.octets[2],
                                         fmt::join(request->arrivals, " ")));
            CHECK(request->max_octets == rtps::ReplayOptions{}.read_ahead);
            std::vector<rtps::ReplaySample> samples;
            for (const Arrival arrival : request->arrivals) {
                rtps::ReplaySample& sample = samples.emplace_back();
                sample.arrival = arrival;
                sample.available = true;
                sample.payload = contents;
            }
            participant.provide_payloads(
                request->replay_writer, request->reader, std::move(samples), now);
        }
        return served;
    }
    Buffer contents;
};

constexpr const char* data_1 =
    "7001 DATA 00000303 -> 00000b04 number 1 data 16 octets, inline QoS 0 octets";
constexpr const char* data_2 =
    "7001 DATA 00000303 -> 00000b04 number 2 data 16 octets, inline QoS 0 octets";

}  // namespace

TEST_CASE("a late reader is shown nothing before its history begins") {
    Replaying node;
    node.prepare(1, {7, 8});
    CHECK(node.serve().empty());
    node.receive(Message(1).acknack(1, 1));
    node.run(5s);
    CHECK(node.user_traffic().empty());
    const auto spoke = node.events<ReaderSpoke>();
    REQUIRE(spoke.size() == 1);
    CHECK(spoke[0].replay_writer == replay_id);
    CHECK(spoke[0].reader == remote_reader(1));
}

TEST_CASE("payloads are asked for, sent, repaired and acknowledged") {
    Replaying node;
    node.prepare(1, {7, 8});
    node.begin(1);
    CHECK(node.serve() == Lines{"303->1: 7 8"});
    CHECK(node.user_traffic() == Lines{"7001 HEARTBEAT 00000303 -> 00000b04 1..0 count 1 final",
                                       data_1,
                                       data_2,
                                       "7001 HEARTBEAT 00000303 -> 00000b04 1..0 count 2 final",
                                       "7001 HEARTBEAT 00000303 -> 00000b04 1..2 count 3"});
    node.receive(Message(1).acknack(1, 1, {2}));
    CHECK(node.user_traffic() == Lines{data_2, "7001 HEARTBEAT 00000303 -> 00000b04 1..2 count 4"});
    CHECK(node.events<HistoryDelivered>().empty());
    node.receive(Message(1).acknack(3, 2));
    const auto delivered = node.events<HistoryDelivered>();
    REQUIRE(delivered.size() == 1);
    CHECK(delivered[0].replay_writer == replay_id);
    CHECK(delivered[0].reader == remote_reader(1));
    node.settle();
    node.run(20s);
    CHECK(node.user_traffic().empty());
    CHECK(node.serve().empty());
}

TEST_CASE("a reader that stays silent is asked for an acknowledgement again") {
    Replaying node;
    node.run(2s);  // greetings
    node.prepare(1, {7, 7});
    node.begin(1);
    (void)node.serve();
    node.tick();
    node.settle();
    CHECK(node.participant.next_deadline() == node.now + 20ms);
    node.run(20ms);
    CHECK(node.user_traffic() == Lines{"7001 HEARTBEAT 00000303 -> 00000b04 1..0 count 4 final",
                                       "7001 HEARTBEAT 00000303 -> 00000b04 1..1 count 5"});
    CHECK(node.participant.next_deadline() == node.now + 40ms);
}

TEST_CASE("a reader that is owed nothing learns that there is nothing") {
    Replaying node;
    node.begin(1);
    node.tick();
    CHECK(node.serve().empty());
    CHECK(node.user_traffic() == Lines{"7001 HEARTBEAT 00000303 -> 00000b04 1..0 count 1 final"});
    node.run(20s);
    CHECK(node.user_traffic().empty());
}

TEST_CASE("readers that are not matched are not heard") {
    Replaying node;
    node.prepare(1, {7, 8});
    node.begin(1);
    (void)node.serve();
    node.settle();
    node.meet(2);
    node.settle();
    node.receive(Message(2).acknack(3, 1).nack_frag(1, 1, 1));
    node.receive(Message(1).acknack(3, 1, {}, other_replay_id));
    node.receive(Message(1).acknack(3, 1, {}, replay_id, EntityId{0x00007704}));
    CHECK_FALSE(node.participant.next_event());
    CHECK(node.user_traffic().empty());
    node.match_reader(9);
    CHECK(node.participant.replay_writer(replay_id)->reader_count() == 1);
}

TEST_CASE("a best-effort reader has everything when it was sent") {
    Replaying node;
    node.meet(2);
    node.match_reader(2, false);
    node.prepare(2, {7, 7});
    node.begin(2);
    (void)node.serve();
    CHECK(node.user_traffic() ==
          Lines{"7002 DATA 00000303 -> 00000b04 number 1 data 16 octets, inline QoS 0 octets"});
    const auto delivered = node.events<HistoryDelivered>();
    REQUIRE(delivered.size() == 1);
    CHECK(delivered[0].reader == remote_reader(2));
}

TEST_CASE("fragments of a large sample are asked for with NACK_FRAG") {
    Replaying node;
    node.prepare(1, {7, 7});
    node.begin(1);
    (void)node.serve(30'000);
    std::size_t fragments = 0;
    for (const std::string& line : node.user_traffic())
        fragments += line.find("DATA_FRAG") != std::string::npos ? 1U : 0U;
    CHECK(fragments == 3);
    node.receive(Message(1).nack_frag(1, 2, 2));
    const Lines again = node.user_traffic();
    REQUIRE_FALSE(again.empty());
    CHECK(again[0] ==
          "7001 DATA_FRAG 00000303 -> 00000b04 number 1 fragments 2..2 of 13440 octets, sample "
          "30004 octets");
}

TEST_CASE("what was asked for is not asked for again") {
    Replaying node;
    node.begin_two();
    CHECK(node.participant.next_payload_request()->replay_writer == replay_id);
    CHECK(node.participant.next_payload_request()->replay_writer == other_replay_id);
    CHECK_FALSE(node.participant.next_payload_request());
}

TEST_CASE("requests of all replay writers are served, those of a removed one are not") {
    for (const bool removed : {false, true}) {
        Replaying node;
        node.begin_two();
        if (removed) node.participant.retract(replay_id);
        const Lines expected = removed ? Lines{"403->2: 8"} : Lines{"303->1: 7", "403->2: 8"};
        CHECK(node.serve() == expected);
        CHECK((node.participant.replay_writer(replay_id) == nullptr) == removed);
    }
}

TEST_CASE("a replay writer that was removed sends nothing") {
    Replaying node;
    node.prepare(1, {7, 8});
    node.begin(1);
    (void)node.serve();
    node.settle();
    node.participant.retract(replay_id);
    node.receive(Message(1).acknack(1, 1, {1, 2}).nack_frag(1, 1, 1));
    node.run(5s);
    CHECK(node.user_traffic().empty());
    CHECK(node.events<ReaderSpoke>().empty());
}

TEST_CASE("a reader that left is sent nothing; when it comes back its process counts on") {
    Replaying node;
    node.prepare(1, {7, 8});
    node.begin(1);
    (void)node.serve();
    node.participant.unmatch_reader(replay_id, remote_reader(1));
    node.settle();
    node.receive(Message(1).acknack(1, 1, {1, 2}));
    node.run(5s);
    CHECK(node.user_traffic().empty());
    node.match_reader(1);
    node.prepare(1, {9, 9});
    CHECK(node.participant.replay_writer(replay_id)->numbers(prefix(1))->last() ==
          SequenceNumber{3});
}

TEST_CASE("a process that said good-bye begins anew, one from before a restart does not") {
    Replaying node;
    node.prepare(1, {7, 8});
    node.participant.forget_process(prefix(1));
    CHECK(node.participant.replay_writer(replay_id)->reader_count() == 0);
    node.match_reader(1);
    node.prepare(1, {9, 9});
    CHECK(node.participant.replay_writer(replay_id)->numbers(prefix(1))->last() ==
          SequenceNumber{1});

    node.participant.resume_process(replay_id, prefix(2), rtps::ReplayNumbers(SequenceNumber{40}));
    node.meet(2);
    node.match_reader(2);
    node.prepare(2, {9, 9});
    CHECK(node.participant.replay_writer(replay_id)->numbers(prefix(2))->last() ==
          SequenceNumber{41});
}

TEST_CASE("HEARTBEAT counts of replay writers go on above those of an earlier run") {
    ParticipantOptions options = default_options();
    options.first_count = 500;
    Replaying node(options);
    node.begin(1);
    node.tick();
    CHECK(node.user_traffic() == Lines{"7001 HEARTBEAT 00000303 -> 00000b04 1..0 count 500 final"});
}
