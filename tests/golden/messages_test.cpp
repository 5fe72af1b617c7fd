// Whole datagrams in the form in which both peers send them; bytes and comments in messages.hex.
#include "support/hex_file.hpp"
#include "wire/cdr.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::wire;

namespace {

// Keeps the bytes for as long as the views into them are looked at.
struct Message {
    Buffer bytes;
    ReceiverState state;
    std::vector<Submessage> submessages;
};

Message read_message(std::string_view name) {
    for (auto& entry : test::read_hex_file(DURABILITYD_GOLDEN_DIR "/messages.hex")) {
        if (entry.name.find(name) != 0) continue;
        Message message{std::move(entry.bytes), {}, {}};
        MessageReader reader(message.bytes);
        REQUIRE(reader.header().has_value());
        while (const auto submessage = reader.next()) {
            REQUIRE(submessage->has_value());
            message.submessages.push_back(**submessage);
        }
        message.state = reader.state();
        return message;
    }
    FAIL("no entry " << name);
    return {};
}

template <class T>
T only(const Message& message) {
    REQUIRE(message.submessages.size() == 1);
    return std::get<T>(message.submessages.front());
}

}  // namespace

TEST_CASE("golden: a keyed sample of Cyclone keeps header, options and padding as received") {
    const Message message = read_message("Cyclone: keyed sample");
    const Data data = only<Data>(message);
    CHECK(data.payload_kind() == PayloadKind::data);
    CHECK(data.inline_qos.empty());
    CHECK(data.payload.size() == 32);
    const auto header = decode_encapsulation(data.payload);
    REQUIRE(header.has_value());
    CHECK(header->options == 3);
    CHECK(representation_of(header->kind) == 0);
    CHECK(message.state.timestamp.valid());
    CHECK(message.state.source_vendor == vendor::eclipse);
}

TEST_CASE("golden: a dispose of Cyclone has the key as payload") {
    const Message message = read_message("Cyclone: dispose");
    const Data data = only<Data>(message);
    CHECK(data.payload_kind() == PayloadKind::key);
    CHECK(to_hex(data.payload) == "0001000000000000");
    const auto qos = decode_inline_qos(data.inline_qos, data.order);
    REQUIRE(qos.has_value());
    CHECK(qos->lifecycle() == Lifecycle::dispose);
    CHECK_FALSE(message.state.timestamp.valid());
}

TEST_CASE(
    "golden: a dispose of Fast DDS has a key hash, no payload, and a vendor submessage after it") {
    const Message message = read_message("Fast DDS: dispose");
    const Data data = only<Data>(message);
    CHECK(data.payload_kind() == PayloadKind::none);
    CHECK(data.payload.empty());
    const auto qos = decode_inline_qos(data.inline_qos, data.order);
    REQUIRE(qos.has_value());
    CHECK(qos->key_hash == KeyHash{});
    CHECK(qos->lifecycle() == Lifecycle::dispose);
    CHECK(to_string(message.state.destination) == "017f11112222333344440001");
}

TEST_CASE("golden: both pre-emptive ACKNACKs ask for a heartbeat") {
    const AckNack cyclone = only<AckNack>(read_message("Cyclone: pre-emptive"));
    CHECK(cyclone.state.base == SequenceNumber{1});
    CHECK(cyclone.count == 0);
    CHECK_FALSE(cyclone.final);
    const AckNack fastdds = only<AckNack>(read_message("Fast DDS: pre-emptive"));
    CHECK(fastdds.state.base == SequenceNumber{0});
    CHECK(fastdds.count == 1);
    CHECK_FALSE(fastdds.final);
}

TEST_CASE("golden: a fresh writer says that it holds nothing") {
    const Heartbeat heartbeat = only<Heartbeat>(read_message("Cyclone: HEARTBEAT"));
    CHECK(heartbeat.first == SequenceNumber{1});
    CHECK(heartbeat.last == SequenceNumber{0});
    CHECK(heartbeat.final);
}

TEST_CASE("golden: the liveliness message of a participant names itself") {
    const Data data = only<Data>(read_message("Automatic liveliness"));
    CHECK(data.writer == entity::participant_message_writer);
    CHECK(data.reader == entity::participant_message_reader);
    CHECK(data.payload.size() == 28);
}
