#include "wire/message_builder.hpp"

#include "wire/message_reader.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

const Buffer payload_of_100(100, 0x5a);

DataFields some_data(std::int64_t number) {
    return {test::a_reader, test::a_writer, {number}, {}, payload_of_100, PayloadKind::data};
}

}  // namespace

TEST_CASE("the header is written with the first submessage") {
    MessageBuilder builder(test::a_header(), 1000);
    CHECK(builder.empty());
    CHECK(builder.size() == 0);
    CHECK(builder.room() == 980);
    REQUIRE(builder.heartbeat(test::a_heartbeat()));
    CHECK_FALSE(builder.empty());
    CHECK(builder.size() == 20 + 32);
    CHECK(builder.room() == 1000 - 52);
}

TEST_CASE("a builder can be used again after its datagram was taken") {
    MessageBuilder builder(test::a_header(), 1000);
    CHECK(builder.take().empty());
    REQUIRE(builder.gap(test::a_gap()));
    const Buffer first = builder.take();
    CHECK(builder.empty());
    REQUIRE(builder.gap(test::a_gap()));
    CHECK(builder.take() == first);
}

TEST_CASE("what does not fit changes nothing") {
    MessageBuilder builder(test::a_header(), header_size + data_size(some_data(1)) + 31);
    REQUIRE(builder.data(some_data(1)));
    const std::size_t size = builder.size();
    CHECK_FALSE(builder.heartbeat(test::a_heartbeat()));
    CHECK_FALSE(builder.data(some_data(2)));
    CHECK_FALSE(builder.acknack(test::an_acknack()));
    CHECK_FALSE(builder.gap(test::a_gap()));
    CHECK_FALSE(builder.nack_frag(test::a_nack_frag()));
    CHECK(builder.size() == size);
    CHECK(builder.heartbeat_frag(test::a_heartbeat_frag()));  // 28 octets

    MessageBuilder tiny(test::a_header(), 10);
    CHECK(tiny.room() == 0);
    CHECK_FALSE(tiny.info_timestamp({}));
    CHECK(tiny.empty());
}

TEST_CASE("a submessage of exactly the room is taken, one octet less of room refuses it") {
    const std::size_t exact = header_size + data_size(some_data(1));
    MessageBuilder enough(test::a_header(), exact);
    CHECK(enough.data(some_data(1)));
    CHECK(enough.room() == 0);
    MessageBuilder less(test::a_header(), exact - 1);
    CHECK_FALSE(less.data(some_data(1)));
    CHECK(less.empty());
}

TEST_CASE("nothing larger than a UDP datagram is built, so every length fits its sixteen bits") {
    MessageBuilder builder(test::a_header(), 1'000'000);
    const Buffer large(65460, 0x01);
    const Buffer too_large(65464, 0x01);
    CHECK_FALSE(
        builder.data({test::a_reader, test::a_writer, {1}, {}, too_large, PayloadKind::data}));
    REQUIRE(builder.data({test::a_reader, test::a_writer, {1}, {}, large, PayloadKind::data}));
    const Buffer datagram = builder.take();
    CHECK(datagram.size() <= max_datagram_size);
    MessageReader reader(datagram);
    const auto submessage = reader.next();
    REQUIRE((submessage && *submessage));
    CHECK(std::get<Data>(**submessage).payload.size() == large.size());
}

TEST_CASE("what was packed is what the reader finds, in order and under the right state") {
    MessageBuilder builder(test::a_header(), 14000);
    REQUIRE(builder.info_destination(test::a_prefix(0x22)));
    REQUIRE(builder.info_timestamp({5, 6}));
    REQUIRE(builder.data(some_data(1)));
    REQUIRE(builder.info_timestamp({}));
    REQUIRE(builder.data_frag(
        {test::a_reader, test::a_writer, {2}, {1}, 1, 100, 150, {}, payload_of_100, false}));
    REQUIRE(builder.heartbeat(test::a_heartbeat()));
    REQUIRE(builder.heartbeat_frag(test::a_heartbeat_frag()));
    REQUIRE(builder.acknack(test::an_acknack()));
    REQUIRE(builder.nack_frag(test::a_nack_frag()));
    REQUIRE(builder.gap(test::a_gap()));
    const Buffer datagram = builder.take();
    CHECK(datagram.size() % 4 == 0);

    MessageReader reader(datagram);
    const auto next = [&reader] {
        auto submessage = reader.next();
        REQUIRE((submessage && *submessage));
        return **submessage;
    };
    CHECK(to_hex(std::get<Data>(next()).payload) == to_hex(payload_of_100));
    CHECK(reader.state().destination == test::a_prefix(0x22));
    CHECK(reader.state().timestamp == Timestamp{5, 6});
    CHECK(std::get<DataFrag>(next()).payload.size() == 100);
    CHECK_FALSE(reader.state().timestamp.valid());
    CHECK(std::get<Heartbeat>(next()) == test::a_heartbeat());
    CHECK(std::get<HeartbeatFrag>(next()) == test::a_heartbeat_frag());
    CHECK(std::get<AckNack>(next()) == test::an_acknack());
    CHECK(std::get<NackFrag>(next()) == test::a_nack_frag());
    CHECK(std::get<Gap>(next()) == test::a_gap());
    CHECK_FALSE(reader.next().has_value());
}
