#include "fixture.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::test;

namespace {

wire::DataFields fields(std::int64_t number, ByteView payload) {
    wire::DataFields value;
    value.reader = reader_entity;
    value.writer = writer_entity;
    value.number = sn(number);
    value.payload = payload;
    value.payload_kind = PayloadKind::data;
    return value;
}

wire::Heartbeat a_heartbeat(std::int64_t last) {
    wire::Heartbeat value;
    value.last = sn(last);
    value.count = 1;
    return value;
}

}  // namespace

TEST_CASE("submessages for one destination share a datagram, another destination starts the next") {
    rtps::Outbox out = outbox();
    out.heartbeat(destination(1), a_heartbeat(1));
    out.heartbeat(destination(1), a_heartbeat(2));
    out.heartbeat(destination(2), a_heartbeat(3));

    const Sent sent = drain(out);

    REQUIRE(sent.datagrams.size() == 2);
    CHECK(sent.to[0] == destination(1)->locators);
    CHECK(sent.to[1] == destination(2)->locators);
    CHECK(sent.destinations == std::vector<GuidPrefix>{prefix(1), prefix(1), prefix(2)});
    CHECK(out.queued_bytes() == 0);
    CHECK_FALSE(out.next_transmit());
}

TEST_CASE("a destination without prefix gets no INFO_DST") {
    rtps::Outbox out = outbox();
    rtps::Destination everybody = *destination(1);
    everybody.prefix = unknown_prefix;
    out.heartbeat(std::make_shared<const rtps::Destination>(everybody), a_heartbeat(1));

    const Sent sent = drain(out);
    CHECK(sent.destinations == std::vector<GuidPrefix>{unknown_prefix});
    CHECK(sent.datagrams[0].size() == 20 + 32);
}

TEST_CASE("a datagram never grows beyond its bound and nothing is lost at the seam") {
    rtps::Outbox out = outbox(600);
    const Buffer payload = bytes(100);
    for (std::int64_t number = 1; number <= 50; ++number) {
        out.data(destination(),
                 fields(number, payload),
                 Timestamp{static_cast<std::int32_t>(number / 3), 0});
    }

    const Sent sent = drain(out);

    REQUIRE(sent.data.size() == 50);
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(sent.data[i].number == sn(static_cast<std::int64_t>(i) + 1));
        CHECK(sent.data_timestamps[i] == Timestamp{static_cast<std::int32_t>((i + 1) / 3), 0});
    }
    for (const Buffer& datagram : sent.datagrams)
        CHECK(datagram.size() <= 600);
    CHECK(out.dropped() == 0);
}

TEST_CASE("INFO_TS is written only where the timestamp changes, also back to none") {
    rtps::Outbox out = outbox();
    const Buffer payload = bytes(8);
    const std::vector<Timestamp> timestamps = {{}, {5, 0}, {5, 0}, {}, {6, 1}};
    std::int64_t number = 0;
    for (const Timestamp timestamp : timestamps)
        out.data(destination(), fields(++number, payload), timestamp);

    const Sent sent = drain(out);
    CHECK(sent.data_timestamps == timestamps);
    // Header, INFO_DST, five DATA of 32 octets, INFO_TS with a time twice and one without.
    CHECK(sent.datagrams.at(0).size() == 20 + 16 + 5 * 32 + 2 * 12 + 4);
}

TEST_CASE("what does not fit is dropped and counted, and there is room again after sending") {
    rtps::Outbox out(wire::Header{}, 600, 1'000);
    const Buffer payload = bytes(100);
    for (int round = 1; round <= 5; ++round) {
        for (std::int64_t number = 1; number <= 20; ++number)
            out.data(destination(), fields(number, payload), {});
        CHECK(out.queued_bytes() <= 1'600);
        const Sent sent = drain(out);
        CHECK(sent.data.size() == 20 - out.dropped() / static_cast<std::uint64_t>(round));
        CHECK(sent.data.size() >= 7);
    }
}

TEST_CASE("what is larger than a datagram or has nowhere to go is dropped alone") {
    rtps::Outbox out = outbox(600);
    const Buffer large = bytes(1'000);
    const Buffer small = bytes(10);
    out.data(destination(), fields(1, small), {});
    out.data(destination(), fields(2, large), Timestamp{1, 0});
    out.data(std::make_shared<const rtps::Destination>(), fields(3, small), {});
    out.data(nullptr, fields(4, small), {});
    out.data(destination(), fields(5, small), {});

    const Sent sent = drain(out);
    REQUIRE(sent.data.size() == 2);
    CHECK(sent.data[1].number == sn(5));
    CHECK(out.dropped() == 3);
}

TEST_CASE("a submessage of the size promised fits with everything around it") {
    rtps::Outbox out = outbox(1'000);
    const Buffer payload = bytes(out.max_submessage() - 24);
    out.data(destination(), fields(1, payload), Timestamp{1, 0});
    CHECK(drain(out).datagrams.at(0).size() == 1'000);
}
