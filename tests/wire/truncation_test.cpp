// Every prefix of every submessage decodes without reading outside it. Each prefix lies in a buffer
// of its own size, so that the address sanitizer notices the first octet too many.
#include "wire/inline_qos.hpp"
#include "wire/message_builder.hpp"
#include "wire/message_reader.hpp"
#include "wire/qos_parameters.hpp"
#include "wire/samples.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace durability;
using namespace durability::wire;
using durability::test::from_hex;

namespace {

Buffer one_of_each() {
    Buffer list;
    InlineQos qos;
    qos.key_hash = KeyHash{1};
    qos.status_info = 1;
    qos.original_writer = SampleId{{test::a_prefix(), test::a_writer}, {1}};
    encode_inline_qos(list, qos);
    const Buffer payload(12, 0x33);
    MessageBuilder builder(test::a_header(), 10000);
    REQUIRE(builder.info_destination(test::a_prefix(0x22)));
    REQUIRE(builder.info_timestamp({1, 2}));
    REQUIRE(builder.data({test::a_reader, test::a_writer, {1}, list, payload, PayloadKind::data}));
    REQUIRE(builder.data_frag(
        {test::a_reader, test::a_writer, {2}, {1}, 1, 12, 30, list, payload, false}));
    REQUIRE(builder.heartbeat(test::a_heartbeat()));
    REQUIRE(builder.heartbeat_frag(test::a_heartbeat_frag()));
    REQUIRE(builder.acknack(test::an_acknack()));
    REQUIRE(builder.nack_frag(test::a_nack_frag()));
    REQUIRE(builder.gap(test::a_gap()));
    Buffer datagram = builder.take();
    encode_info_source(datagram, {{2, 3}, vendor::rti, test::a_prefix(0x44)});
    InfoReply reply;
    reply.unicast = {Locator::udp_v4(1, 1)};
    reply.multicast = {Locator::udp_v4(2, 2)};
    encode_info_reply(datagram, reply);
    return datagram;
}

// Reads everything that the views of a submessage cover.
std::size_t touch(const Submessage& submessage) {
    std::size_t sum = 0;
    const auto add = [&sum](ByteView view) {
        for (const std::uint8_t octet : view)
            sum += octet;
    };
    if (const auto* data = std::get_if<Data>(&submessage)) {
        add(data->payload);
        add(data->inline_qos);
        (void)decode_inline_qos(data->inline_qos, data->order);
    }
    if (const auto* frag = std::get_if<DataFrag>(&submessage)) {
        add(frag->payload);
        add(frag->inline_qos);
        (void)decode_inline_qos(frag->inline_qos, frag->order);
    }
    return sum;
}

struct Count {
    std::size_t good{0};
    std::size_t bad{0};
};

Count walk(ByteView datagram) {
    Count count;
    MessageReader reader(datagram);
    while (const auto submessage = reader.next()) {
        if (*submessage) {
            ++count.good;
            (void)touch(**submessage);
        } else {
            ++count.bad;
        }
    }
    return count;
}

}  // namespace

TEST_CASE("every prefix of a message is read without leaving it, and reports at most one error") {
    const Buffer whole = one_of_each();
    REQUIRE(walk(whole).good == 7);
    REQUIRE(walk(whole).bad == 0);
    std::size_t last_good = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        const Buffer prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const Count count = walk(prefix);
        REQUIRE(count.bad <= 1);
        REQUIRE(count.good >= last_good);
        last_good = count.good;
    }
}

TEST_CASE("every prefix of every submessage with an open length is read without leaving it") {
    const Buffer whole = one_of_each();
    std::size_t at = header_size;
    while (at < whole.size()) {
        const std::size_t length = whole[at + 2] + 256U * whole[at + 3];
        Buffer message(whole.begin(), whole.begin() + header_size);
        message.insert(message.end(),
                       whole.begin() + static_cast<std::ptrdiff_t>(at),
                       whole.begin() + static_cast<std::ptrdiff_t>(at + 4 + length));
        message.at(header_size + 2) = 0;
        message.at(header_size + 3) = 0;
        for (std::size_t size = header_size + 4; size <= message.size(); ++size) {
            const Buffer prefix(message.begin(),
                                message.begin() + static_cast<std::ptrdiff_t>(size));
            REQUIRE(walk(prefix).bad <= 1);
        }
        at += 4 + length;
    }
}

TEST_CASE("every flipped bit of a message is survived") {
    Buffer bytes = one_of_each();
    std::size_t refused = 0;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
        const Buffer copy = bytes;
        refused += walk(copy).bad;
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    }
    CHECK(refused > 0);
}

TEST_CASE("random damage to a message is survived") {
    const Buffer whole = one_of_each();
    std::mt19937 random(11);  // NOLINT(cert-msc51-cpp): the same damage in every run
    for (int round = 0; round < 20000; ++round) {
        Buffer bytes = whole;
        const unsigned hits = 1 + random() % 8;
        for (unsigned hit = 0; hit < hits; ++hit) {
            bytes[header_size + random() % (bytes.size() - header_size)] =
                static_cast<std::uint8_t>(random());
        }
        bytes.resize(random() % (bytes.size() + 1));
        bytes.shrink_to_fit();
        REQUIRE(walk(bytes).bad <= 1);
    }
}

TEST_CASE("every prefix of every policy value is read without leaving it") {
    const std::vector<std::pair<std::uint16_t, const char*>> values{
        {pid::partition, "02000000 02000000 61000000 03000000 62630000"},
        {pid::user_data, "05000000 01020304 05000000"},
        {pid::data_representation, "03000000 00000100 02000000"},
        {pid::durability_service, "05000000 00000000 00000000 0a000000 ffffffff ffffffff ffffffff"},
        {pid::reliability, "02000000 0a000000 00000000"},
        {pid::liveliness, "00000000 0a000000 00000000"},
        {pid::presentation, "01000000 01010000"},
        {pid::type_consistency, "01000101 00000000"}};
    for (const auto& [id, hex] : values) {
        const Buffer whole = from_hex(hex);
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            const Buffer prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            EndpointQos qos;
            const auto result = decode_qos_parameter({id, prefix}, std::endian::little, {}, qos);
            if (size == whole.size()) {
                CHECK(result == true);
            } else if (!result) {
                CHECK(qos == EndpointQos{});
            }
        }
    }
}
