// What is looked at in a datagram, and for whom it counts: RTPS 2.5, 8.3.4.
#include "fixture.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

// A best-effort reader takes what is newer: what was delivered is what was looked at.
struct Listening : ParticipantUnderTest {
    Listening() {
        add_reader(reader_id, ReliabilityKind::best_effort);
        for (const std::uint8_t peer : {std::uint8_t{1}, std::uint8_t{2}}) {
            meet(peer);
            match(peer);
        }
        settle();
    }
    void receive_octets(std::string_view hex) {
        datagrams.push_back(from_hex(hex));
        participant.receive(datagrams.back(), locator(1), now);
    }
};

// A HEARTBEAT whose length points outside the datagram; one whose last number is negative.
constexpr const char* truncated_submessage = "0701fc7f 00000000";
constexpr const char* invalid_submessage =
    "07011c00 00000000 00000a03 00000000 01000000 ffffffff 00000000 01000000";

}  // namespace

TEST_CASE("a datagram without a header of ours is counted and reported") {
    Listening node;
    for (const char* datagram : {"",
                                 "52545053 02050110 01",
                                 "50545053 02050110 017f01000000000000000001",
                                 "52545053 03000110 017f01000000000000000001"}) {
        node.receive_octets(datagram);
    }
    CHECK(node.participant.counters().datagrams == 6);  // two announcements before
    CHECK(node.participant.counters().malformed == 4);
    const auto events = node.events<MalformedDatagram>();
    REQUIRE(events.size() == 4);
    CHECK(events[0].source == unknown_prefix);
    CHECK(events[1].error == wire::DecodeError::truncated);
    CHECK(events[2].error == wire::DecodeError::bad_magic);
    CHECK(events[3].error == wire::DecodeError::bad_version);
}

TEST_CASE("what stands before a malformed submessage counts, what follows it does not") {
    for (const char* bad : {truncated_submessage, invalid_submessage}) {
        Listening node;
        node.receive(Message(1).data(1).octets(bad).data(2));
        CHECK(node.samples() == "1:1");
        CHECK(node.participant.counters().malformed == 1);
        const auto events = node.events<MalformedDatagram>();
        REQUIRE(events.size() == 1);
        CHECK(events[0].source == prefix(1));
        // The next datagram is one of its own.
        node.receive(Message(1).data(3));
        CHECK(node.samples() == "1:3");
        CHECK(node.participant.counters().malformed == 1);
    }
}

TEST_CASE("kinds nobody knows are skipped, and no error") {
    Listening node;
    node.receive(Message(1).data(1).octets("80010400 deadbeef").octets("01010000").data(2));
    CHECK(node.samples() == "1:1 1:2");
    CHECK(node.participant.counters().malformed == 0);
}

TEST_CASE("what is meant for another participant is skipped, the rest of the message is not") {
    Listening node;
    node.receive(Message(1)
                     .data(1)
                     .to(prefix(9))
                     .data(2)
                     .to(prefix(0))
                     .data(3)
                     .to(prefix(9))
                     .data(4)
                     .to(unknown_prefix)
                     .data(5));
    CHECK(node.samples() == "1:1 1:3 1:5");
}

TEST_CASE("INFO_SRC: what follows is the named participant's") {
    Listening node;
    node.receive(Message(1).data(1).in_the_name_of(prefix(2)).data(7));
    CHECK(node.samples() == "1:1 2:7");
    // Also from somebody who is not known himself.
    node.receive(Message(9).data(1).in_the_name_of(prefix(2)).data(8));
    CHECK(node.samples() == "2:8");
}

TEST_CASE("INFO_TS: the source timestamp of the samples behind it") {
    Listening node;
    const Timestamp timestamp{5, 6};
    node.receive(Message(1).data(1).stamp(timestamp).data(2));
    REQUIRE(node.participant.samples().size() == 2);
    CHECK_FALSE(node.participant.samples()[0].source_timestamp.valid());
    CHECK(node.participant.samples()[1].source_timestamp == timestamp);
}

TEST_CASE("nothing of an ignored participant is looked at") {
    Listening node;
    node.participant.ignore(prefix(5));
    // The announcement that meet() would make.
    discovery::ParticipantData sibling;
    sibling.guid = {prefix(5), entity::participant};
    sibling.metatraffic_unicast = {locator(5)};
    const Buffer announcement = discovery::encode_participant(sibling);
    node.receive(Message(5).data(entity::spdp_writer, 1, announcement));
    CHECK(node.participant.spdp().find(prefix(5)) == nullptr);
    // Not even what is wrong with it, nor what it says for others.
    node.receive(Message(5).octets(truncated_submessage));
    node.receive(Message(5).in_the_name_of(prefix(1)).data(1));
    // Nor what others say for it.
    node.receive(Message(1)
                     .in_the_name_of(prefix(5))
                     .data(entity::spdp_writer, 2, announcement)
                     .in_the_name_of(prefix(1))
                     .data(2));
    CHECK(node.participant.spdp().find(prefix(5)) == nullptr);
    CHECK(node.samples() == "1:2");
    CHECK(node.participant.counters().malformed == 0);
    CHECK(!node.participant.next_event());
    CHECK(node.sent().discovery.empty());
}

TEST_CASE("our own messages that come back are not looked at") {
    Listening node;
    node.receive(Message(0).in_the_name_of(prefix(1)).data(1));
    node.receive(Message(0).octets(truncated_submessage));
    node.receive(Message(1).in_the_name_of(prefix(0)).data(1).in_the_name_of(prefix(1)).data(2));
    CHECK(node.samples() == "1:2");
    CHECK(node.participant.counters().malformed == 0);
}

TEST_CASE("any message of a participant renews its lease, also one that names it by INFO_SRC") {
    Listening node;
    const Duration lease = 100s;  // of peers, by default
    node.run(lease - 1s);
    node.receive(Message(1).heartbeat(1, 0, 1, EntityId{0x7703}));
    node.run(2s);
    CHECK(node.participant.spdp().find(prefix(1)) != nullptr);
    CHECK(node.participant.spdp().find(prefix(2)) == nullptr);

    node.meet(2);
    node.run(lease - 5s);
    node.receive(Message(1).heartbeat(1, 0, 1).in_the_name_of(prefix(2)).heartbeat(1, 0, 1));
    node.run(lease - 1s);
    CHECK(node.participant.spdp().find(prefix(1)) != nullptr);
    CHECK(node.participant.spdp().find(prefix(2)) != nullptr);
}

TEST_CASE("a new participant is greeted until it has named us, wherever in a message it does") {
    for (const bool behind_others : {false, true}) {
        ParticipantUnderTest node;
        node.meet(1);
        node.run(20ms);
        CHECK(node.sent().discovery.size() == 2);  // the answer, and the first repetition
        Message message(1);
        if (behind_others) message.heartbeat(1, 0, 1);
        node.receive(message.to(prefix(0)).heartbeat(1, 0, 1));
        node.run(2s);
        CHECK(node.sent().discovery.empty());
    }
}
