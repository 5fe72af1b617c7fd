#include "wire/message_reader.hpp"

#include "wire/samples.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

// A datagram of one header and the submessages given as text.
Buffer message(const std::string& submessages) {
    Buffer out;
    encode_header(out, test::a_header());
    const Buffer rest = from_hex(submessages);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

const std::string heartbeat =
    "07 01 1c00 00000107 00000203 00000000 01000000 00000000 05000000 01000000";
const std::string bad_heartbeat =
    "07 01 1c00 00000107 00000203 00000000 09000000 00000000 05000000 01000000";

struct Walk {
    std::size_t good{0};
    std::vector<DecodeError> errors;
};

Walk walk(const Buffer& datagram) {
    Walk result;
    MessageReader reader(datagram);
    while (const auto submessage = reader.next()) {
        if (*submessage) {
            ++result.good;
        } else {
            result.errors.push_back(submessage->error());
        }
    }
    CHECK_FALSE(reader.next().has_value());
    return result;
}

}  // namespace

TEST_CASE("a message that is not for us yields nothing") {
    Buffer datagram = message(heartbeat);
    datagram[0] = 'X';
    MessageReader reader(datagram);
    CHECK_FALSE(reader.header().has_value());
    CHECK_FALSE(reader.next().has_value());
    MessageReader empty({});
    CHECK(empty.header().error() == DecodeError::truncated);
    CHECK_FALSE(empty.next().has_value());
}

TEST_CASE("the receiver begins with the header's sender, everybody as destination, and no time") {
    const Buffer datagram = message("");
    MessageReader reader(datagram);
    REQUIRE(reader.header().has_value());
    CHECK(reader.state().source == test::a_prefix());
    CHECK(reader.state().source_vendor == vendor::own);
    CHECK(reader.state().source_version == ProtocolVersion{2, 5});
    CHECK(reader.state().destination == unknown_prefix);
    CHECK_FALSE(reader.state().timestamp.valid());
    CHECK_FALSE(reader.next().has_value());
}

TEST_CASE("INFO submessages change the state of what follows and are not returned") {
    const Buffer datagram = message(
        "0e 01 0c00 222222222222222222222222"
        "09 01 0800 05000000 00000080" +
        heartbeat + "09 03 0000" + heartbeat + "0e 01 0c00 000000000000000000000000" + heartbeat);
    MessageReader reader(datagram);
    REQUIRE(reader.next().has_value());
    CHECK(reader.state().destination == test::a_prefix(0x22));
    CHECK(reader.state().timestamp == Timestamp{5, 0x80000000U});
    REQUIRE(reader.next().has_value());
    CHECK(reader.state().destination == test::a_prefix(0x22));
    CHECK_FALSE(reader.state().timestamp.valid());
    REQUIRE(reader.next().has_value());
    CHECK(reader.state().destination == unknown_prefix);
    CHECK_FALSE(reader.next().has_value());
}

TEST_CASE("INFO_SRC replaces the sender and forgets the time") {
    const Buffer datagram = message(
        "09 01 0800 05000000 00000080"
        "0c 01 1400 00000000 0203 010f 333333333333333333333333" +
        heartbeat);
    MessageReader reader(datagram);
    REQUIRE(reader.next().has_value());
    CHECK(reader.state().source == test::a_prefix(0x33));
    CHECK(reader.state().source_vendor == vendor::eprosima);
    CHECK(reader.state().source_version == ProtocolVersion{2, 3});
    CHECK_FALSE(reader.state().timestamp.valid());
    CHECK(reader.header()->prefix == test::a_prefix());
}

TEST_CASE("padding, unknown kinds and those of vendors are skipped") {
    const Walk result =
        walk(message("01 01 0000"
                     "01 01 0800 ffffffff ffffffff"
                     "42 01 0400 01020304"
                     "00 01 0400 01020304"
                     "80 01 3800" +
                     std::string(112, 'a') + heartbeat + "0d 01 0000"));
    CHECK(result.good == 1);
    CHECK(result.errors.empty());
}

TEST_CASE("a length of zero means to the end, but for PAD and INFO_TS nothing") {
    const std::string open_heartbeat =
        "07 01 0000 00000107 00000203 00000000 01000000 00000000 05000000 01000000";
    Walk result = walk(message("01 01 0000 09 03 0000" + open_heartbeat));
    CHECK(result.good == 1);
    CHECK(result.errors.empty());
    // The first of two takes the second for its own extension.
    result = walk(message(open_heartbeat + heartbeat));
    CHECK(result.good == 1);
    CHECK(result.errors.empty());
    // An unknown kind of length zero hides the rest as well.
    result = walk(message("81 01 0000" + heartbeat));
    CHECK(result.good == 0);
    CHECK(result.errors.empty());
}

TEST_CASE("the byte order is that of each submessage") {
    const Buffer datagram = message(
        "07 00 001c 00000107 00000203 00000000 00000001 00000000 00000005 00000001" + heartbeat);
    MessageReader reader(datagram);
    const auto big = reader.next();
    const auto little = reader.next();
    REQUIRE((big && *big && little && *little));
    CHECK(std::get<Heartbeat>(**big) == std::get<Heartbeat>(**little));
}

TEST_CASE(
    "an invalid submessage is reported once; what came before stays, what follows is dropped") {
    const Walk result = walk(message(heartbeat + bad_heartbeat + heartbeat));
    CHECK(result.good == 1);
    CHECK(result.errors == std::vector<DecodeError>{DecodeError::bad_range});
}

TEST_CASE("an invalid INFO submessage ends the message as well") {
    const Walk result = walk(message(heartbeat + "0e 01 0800 2222222222222222" + heartbeat));
    CHECK(result.good == 1);
    CHECK(result.errors == std::vector<DecodeError>{DecodeError::truncated});
}

TEST_CASE("a length that points outside the datagram ends the message") {
    CHECK(walk(message("07 01 2000 00000107 00000203 00000000 01000000 00000000 05000000 01000000"))
              .errors == std::vector<DecodeError>{DecodeError::truncated});
    CHECK(walk(message("07 01 ffff")).errors == std::vector<DecodeError>{DecodeError::truncated});
    CHECK(walk(message(heartbeat + "07 01 1c")).errors ==
          std::vector<DecodeError>{DecodeError::truncated});
}

TEST_CASE("only the last submessage may have a length that is not a multiple of four") {
    Walk result = walk(message("80 01 0300 010203" + heartbeat));
    CHECK(result.good == 0);
    CHECK(result.errors == std::vector<DecodeError>{DecodeError::bad_length});
    const std::string odd_data =
        "15 05 1a00 0000 1000 00000107 00000203 00000000 01000000 00010000 0102";
    result = walk(message(heartbeat + odd_data));
    CHECK(result.good == 2);
    CHECK(result.errors.empty());
}

TEST_CASE("every kind of submessage comes out as its own type") {
    Buffer datagram;
    encode_header(datagram, test::a_header());
    const Buffer payload(8, 0x01);
    encode_data(datagram,
                DataFields{test::a_reader, test::a_writer, {1}, {}, payload, PayloadKind::data});
    encode_data_frag(
        datagram,
        DataFragFields{test::a_reader, test::a_writer, {2}, {1}, 1, 8, 20, {}, payload, false});
    encode_heartbeat(datagram, test::a_heartbeat());
    encode_heartbeat_frag(datagram, test::a_heartbeat_frag());
    encode_acknack(datagram, test::an_acknack());
    encode_nack_frag(datagram, test::a_nack_frag());
    encode_gap(datagram, test::a_gap());
    InfoReply reply;
    reply.unicast = {Locator::udp_v4(0x7f000001, 7410)};
    encode_info_reply(datagram, reply);

    MessageReader reader(datagram);
    std::vector<std::size_t> kinds;
    while (const auto submessage = reader.next()) {
        REQUIRE(submessage->has_value());
        kinds.push_back((*submessage)->index());
    }
    CHECK(kinds == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6});
}
