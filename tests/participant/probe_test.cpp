// Asking a writer whether it lives, and what it holds: probe_writer().
#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::participant;
using namespace durability::test;

namespace {

constexpr const char* question = "7001 ACKNACK 00000104 -> 00000a03 3/0 count 3";

// The writer of peer 1 knows our reader, and two of its samples are safe.
struct Probing : ParticipantUnderTest {
    explicit Probing(VendorId vendor = vendor::eclipse) {
        add_reader(reader_id);
        tick();
        meet_writer(1, vendor);
        receive(Message(1, vendor).to(prefix(0)).data(1).data(2).heartbeat(1, 2, 1));
        commit(1, 2);
        tick();
        settle();
        participant.samples().clear();
    }
    void meet_writer(std::uint8_t peer, VendorId vendor) {
        meet(peer, vendor, discovery::builtin_endpoint::publications_writer);
        const Buffer announcement = discovery::encode_endpoint(endpoint(remote_writer(peer)));
        receive(Message(peer, vendor).data(entity::publications_writer, 1, announcement));
        receive(
            Message(peer, vendor).to(prefix(0)).heartbeat(1, 1, 1, entity::publications_writer));
        match(peer);
        REQUIRE(participant.sedp().find_writer(remote_writer(peer)) != nullptr);
    }
    void probe(std::uint8_t peer = 1) { participant.probe_writer(remote_writer(peer), now); }
};

}  // namespace

TEST_CASE("a writer is asked for an answer, and again with back-off") {
    Probing node;
    node.probe();
    CHECK(node.user_traffic() == Lines{question});
    for (const Duration delay : {50ms, 100ms, 200ms, 200ms}) {
        CHECK(node.participant.next_deadline() == node.now + delay);
        node.run(delay - 1ms);
        CHECK(node.user_traffic().empty());
        node.run(1ms);
        CHECK(node.user_traffic().size() == 1);
    }
}

TEST_CASE("a writer that stays silent is asked often at first, then every half minute") {
    Probing node;
    node.probe();
    std::size_t asked = 0;
    for (int minute = 0; minute < 2; ++minute) {
        node.receive(Message(1).gap(1, 1));  // keeps the lease
        node.run(1min);
        asked += node.user_traffic().size();
    }
    // At 0, 50, 150 ms, then every 200 ms up to the twentieth; with doubled delays after that.
    CHECK(asked == 31);
}

TEST_CASE("the first HEARTBEAT is the answer, and says what the writer holds") {
    Probing node;
    node.probe();
    node.run(5ms);
    node.receive(Message(1).heartbeat(2, 2, 2));
    auto answers = node.events<WriterAnswered>();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].writer == remote_writer(1));
    CHECK(answers[0].held == SequenceRange{{2}, {2}});
    node.settle();
    node.run(10s);
    CHECK(node.user_traffic().empty());
    node.receive(Message(1).heartbeat(2, 2, 3));
    CHECK(node.events<WriterAnswered>().empty());
}

TEST_CASE("the words of others are no answer, nor is a sample") {
    Probing node;
    node.meet_writer(2, vendor::eclipse);
    node.probe();
    node.receive(Message(2).heartbeat(1, 0, 1));
    node.receive(Message(1).data(3).gap(4, 4).heartbeat(1, 0, 1, EntityId{0x00007703}));
    CHECK(node.events<WriterAnswered>().empty());
}

TEST_CASE("a writer whose port is closed is silent; others are asked on") {
    Probing node;
    node.meet_writer(2, vendor::eclipse);
    node.receive(Message(2).to(prefix(0)).heartbeat(1, 0, 1));
    node.probe(1);
    node.probe(2);
    node.settle();
    node.participant.unreachable(locator(9));
    CHECK(node.events<WriterSilent>().empty());
    node.participant.unreachable(locator(1));
    const auto silent = node.events<WriterSilent>();
    REQUIRE(silent.size() == 1);
    CHECK(silent[0].writer == remote_writer(1));
    node.run(50ms);
    CHECK(node.user_traffic() == Lines{"7002 ACKNACK 00000104 -> 00000a03 1/0 count 3"});
    // It was not probed any more.
    node.participant.unreachable(locator(1));
    CHECK(node.events<WriterSilent>().empty());
}

TEST_CASE("Fast DDS: a younger participant at the same port took the place of the writer's") {
    struct Row {
        VendorId vendor;
        VendorId younger;
        std::uint8_t port;
        bool silent;
    };
    for (const Row& row : {Row{vendor::eprosima, vendor::eprosima, 1, true},
                           Row{vendor::eprosima, vendor::eprosima, 3, false},
                           Row{vendor::eprosima, vendor::eclipse, 1, false},
                           Row{vendor::eclipse, vendor::eprosima, 1, false},
                           Row{vendor::eclipse, vendor::eclipse, 1, false}}) {
        Probing node(row.vendor);
        node.run(1s);
        node.meet(2, row.younger, 0, locator(row.port));
        node.settle();
        node.probe();
        CHECK(node.user_traffic().size() == (row.silent ? 0 : 1));
        CHECK(node.events<WriterSilent>().size() == (row.silent ? 1 : 0));
        node.run(50ms);
        CHECK(node.user_traffic().size() == (row.silent ? 0 : 1));
    }
}

TEST_CASE("Fast DDS: a writer whose participant was heard last is asked") {
    Probing node(vendor::eprosima);
    node.meet(2, vendor::eprosima, 0, locator(1));
    node.run(1s);
    node.receive(Message(1, vendor::eprosima).gap(1, 1));
    node.settle();
    node.probe();
    CHECK(node.user_traffic() == Lines{"7001 ACKNACK 00000104 -> 00000a03 0/0 count 3"});
}

TEST_CASE("who is not matched is not asked, and who is unmatched not again") {
    Probing node;
    node.probe(2);
    CHECK(node.user_traffic().empty());
    node.probe();
    node.settle();
    node.participant.unmatch_writer(remote_writer(1));
    node.run(10s);
    CHECK(node.user_traffic().empty());
    node.participant.unreachable(locator(1));
    CHECK(node.events<WriterSilent>().empty());
}
