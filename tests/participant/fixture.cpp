#include "fixture.hpp"

#include "support/hex.hpp"
#include "wire/acknack.hpp"
#include "wire/data.hpp"
#include "wire/data_frag.hpp"
#include "wire/describe.hpp"
#include "wire/gap.hpp"
#include "wire/header.hpp"
#include "wire/heartbeat.hpp"
#include "wire/heartbeat_frag.hpp"
#include "wire/info.hpp"
#include "wire/inline_qos.hpp"
#include "wire/message_reader.hpp"
#include "wire/nack_frag.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace durability::test {

Buffer payload(std::size_t size) {
    Buffer bytes{0x00, 0x01, 0x00, 0x00};
    for (std::size_t i = 0; i < size; ++i)
        bytes.push_back(static_cast<std::uint8_t>(i));
    return bytes;
}

Message::Message(std::uint8_t peer, VendorId vendor) {
    wire::encode_header(bytes_, {{2, 5}, vendor, prefix(peer)});
}

Message& Message::to(const GuidPrefix& destination) {
    wire::encode_info_destination(bytes_, {destination});
    return *this;
}

Message& Message::in_the_name_of(const GuidPrefix& source) {
    wire::encode_info_source(bytes_, {{2, 5}, vendor::eclipse, source});
    return *this;
}

Message& Message::stamp(Timestamp timestamp) {
    wire::encode_info_timestamp(bytes_, {timestamp});
    return *this;
}

Message& Message::data(std::int64_t number, EntityId writer) {
    return data(writer, number, payload());
}

Message& Message::data(EntityId writer, std::int64_t number, ByteView bytes) {
    wire::DataFields fields;
    fields.writer = writer;
    fields.number = SequenceNumber{number};
    fields.payload = bytes;
    fields.payload_kind = PayloadKind::data;
    wire::encode_data(bytes_, fields);
    return *this;
}

Message& Message::dispose(EntityId writer, std::int64_t number, const Guid& entity) {
    wire::InlineQos qos;
    qos.key_hash = to_octets(entity);
    qos.status_info = 3;
    Buffer encoded;
    wire::encode_inline_qos(encoded, qos);
    wire::DataFields fields;
    fields.writer = writer;
    fields.number = SequenceNumber{number};
    fields.inline_qos = encoded;
    fields.payload_kind = PayloadKind::none;
    wire::encode_data(bytes_, fields);
    return *this;
}

Message& Message::fragment(std::int64_t number,
                           std::uint32_t which,
                           ByteView sample,
                           EntityId writer) {
    wire::DataFragFields fields;
    fields.writer = writer;
    fields.number = SequenceNumber{number};
    fields.first = FragmentNumber{which};
    fields.fragment_size = fragment_size;
    fields.sample_size = static_cast<std::uint32_t>(sample.size());
    const ByteView rest = sample.subspan(std::size_t{which - 1} * fragment_size);
    fields.payload = rest.first(std::min<std::size_t>(rest.size(), fragment_size));
    wire::encode_data_frag(bytes_, fields);
    return *this;
}

Message& Message::heartbeat(std::int64_t first,
                            std::int64_t last,
                            std::int32_t count,
                            EntityId writer) {
    wire::Heartbeat value;
    value.writer = writer;
    value.first = SequenceNumber{first};
    value.last = SequenceNumber{last};
    value.count = count;
    wire::encode_heartbeat(bytes_, value);
    return *this;
}

Message& Message::heartbeat_frag(std::int64_t number,
                                 std::uint32_t last,
                                 std::int32_t count,
                                 EntityId writer) {
    wire::HeartbeatFrag value;
    value.writer = writer;
    value.number = SequenceNumber{number};
    value.last = FragmentNumber{last};
    value.count = count;
    wire::encode_heartbeat_frag(bytes_, value);
    return *this;
}

Message& Message::gap(std::int64_t first, std::int64_t last, EntityId writer) {
    wire::Gap value;
    value.writer = writer;
    value.start = SequenceNumber{first};
    value.list.base = SequenceNumber{last + 1};
    wire::encode_gap(bytes_, value);
    return *this;
}

Message& Message::acknack(std::int64_t base,
                          std::int32_t count,
                          std::initializer_list<std::int64_t> missing,
                          EntityId writer,
                          EntityId reader) {
    wire::AckNack value;
    value.reader = reader;
    value.writer = writer;
    value.state.base = SequenceNumber{base};
    for (const std::int64_t number : missing)
        value.state.insert(SequenceNumber{number});
    value.count = count;
    value.final = true;
    wire::encode_acknack(bytes_, value);
    return *this;
}

Message& Message::nack_frag(std::int64_t number, std::uint32_t base, std::uint32_t missing) {
    wire::NackFrag value;
    value.reader = reader_entity;
    value.writer = replay_id;
    value.number = SequenceNumber{number};
    value.state.base = FragmentNumber{base};
    value.state.insert(FragmentNumber{missing});
    value.count = 1;
    wire::encode_nack_frag(bytes_, value);
    return *this;
}

Message& Message::octets(std::string_view hex) {
    const Buffer more = from_hex(hex);
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
}

participant::ParticipantOptions default_options() {
    participant::ParticipantOptions options;
    options.own.guid = {prefix(0), entity::participant};
    options.own.vendor = vendor::own;
    options.own.metatraffic_unicast = {locator(0)};
    options.own.default_unicast = {locator(0)};
    options.own.builtin_endpoints = discovery::builtin_endpoint::own;
    options.own.lease = {30, 0};
    options.spdp.announce_to = {Locator::udp_v4(0xefff0001U, 7400)};
    return options;
}

ParticipantUnderTest::ParticipantUnderTest(participant::ParticipantOptions options)
    : participant(std::move(options)) {}

void ParticipantUnderTest::receive(const Message& message) {
    // As large as its content: a sanitizer sees the first octet too many.
    datagrams.push_back(message.bytes());
    const GuidPrefix& source = prefix(message.bytes().at(10));
    participant.receive(datagrams.back(), locator(source.octets[2]), now);
}

void ParticipantUnderTest::meet(std::uint8_t peer,
                                VendorId vendor,
                                std::uint32_t builtin_endpoints,
                                const std::optional<Locator>& at) {
    discovery::ParticipantData data;
    data.guid = {prefix(peer), entity::participant};
    data.vendor = vendor;
    data.metatraffic_unicast = {at.value_or(locator(peer))};
    data.default_unicast = data.metatraffic_unicast;
    data.builtin_endpoints = builtin_endpoints;
    const Buffer announcement = discovery::encode_participant(data);
    receive(Message(peer, vendor).data(entity::spdp_writer, ++spdp_number, announcement));
    REQUIRE(participant.spdp().find(prefix(peer)) != nullptr);
}

void ParticipantUnderTest::add_reader(EntityId id, ReliabilityKind reliability) {
    participant.add_reader(endpoint({prefix(0), id}, reliability));
}

void ParticipantUnderTest::match(std::uint8_t peer, EntityId reader, SequenceNumber resume_after) {
    rtps::MatchOptions options;
    options.resume_after = resume_after;
    participant.match_writer(reader, endpoint(remote_writer(peer)), options, now);
}

void ParticipantUnderTest::commit(std::uint8_t peer, std::int64_t through) {
    participant.committed(remote_writer(peer), SequenceNumber{through}, now);
}

void ParticipantUnderTest::run(Duration duration) {
    const MonoTime end = now + duration;
    while (participant.next_deadline() <= end) {
        now = std::max(now, participant.next_deadline());
        participant.tick(now);
    }
    now = end;
}

Sent ParticipantUnderTest::sent() {
    Sent sent;
    while (const auto transmit = participant.next_transmit()) {
        wire::MessageReader reader(transmit->datagram);
        REQUIRE(reader.header().has_value());
        CHECK(reader.header()->prefix == prefix(0));
        REQUIRE(transmit->to.size() == 1);
        sent.vendors.push_back(reader.header()->vendor);
        while (const auto submessage = reader.next()) {
            REQUIRE(submessage->has_value());
            std::string line =
                fmt::format("{} {}", transmit->to[0].port, wire::describe(**submessage));
            if (const auto* data = std::get_if<wire::Data>(&**submessage)) {
                const auto qos = wire::decode_inline_qos(data->inline_qos, data->order);
                REQUIRE(qos.has_value());
                if (qos->status_info != 0 && qos->key_hash)
                    sent.disposed.push_back(guid_from_octets(*qos->key_hash));
            }
            const bool builtin = std::visit(
                [](const auto& value) {
                    if constexpr (requires { value.reader; }) return value.writer.is_builtin();
                    return false;
                },
                **submessage);
            if (builtin) {
                sent.discovery.push_back(std::move(line));
            } else {
                sent.user.push_back(std::move(line));
                sent.destinations.push_back(reader.state().destination);
            }
        }
    }
    return sent;
}

void ParticipantUnderTest::settle() {
    while (participant.next_event() || participant.next_transmit()) {
    }
}

std::string ParticipantUnderTest::samples() {
    std::string text;
    for (const rtps::ReceivedSample& sample : participant.samples()) {
        if (!text.empty()) text += ' ';
        text += fmt::format("{}:", sample.writer.prefix.octets[2]);
        if (!sample.irrelevant) {
            text += fmt::format("{}", sample.number.value);
            continue;
        }
        const char* form = sample.lost ? "{{{}-{}}}" : "[{}-{}]";
        text += fmt::format(fmt::runtime(form), sample.first.value, sample.through.value);
    }
    participant.samples().clear();
    return text;
}

}  // namespace durability::test
