#include "fixture.hpp"

#include "wire/message_reader.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>

namespace durability::test {

GuidPrefix prefix(std::uint8_t which) {
    GuidPrefix result;
    result.octets = {0x01, 0x0f, which, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return result;
}

rtps::DestinationPtr destination(std::uint8_t which, VendorId vendor) {
    const Locator locator = Locator::udp_v4(0x7f000001U, static_cast<std::uint16_t>(7000 + which));
    return std::make_shared<const rtps::Destination>(
        rtps::Destination{prefix(which), {locator}, vendor});
}

rtps::Outbox outbox(std::size_t max_datagram) {
    return rtps::Outbox(wire::Header{{}, vendor::own, prefix(99)}, max_datagram);
}

Sent drain(rtps::Outbox& outbox) {
    Sent sent;
    while (auto transmit = outbox.next_transmit()) {
        sent.to.push_back(transmit->to);
        const Buffer& datagram = sent.datagrams.emplace_back(std::move(transmit->datagram));
        wire::MessageReader reader(datagram);
        REQUIRE(reader.header().has_value());
        while (const auto next = reader.next()) {
            REQUIRE(next->has_value());
            const wire::Submessage& submessage = **next;
            sent.destinations.push_back(reader.state().destination);
            if (const auto* acknack = std::get_if<wire::AckNack>(&submessage)) {
                sent.acknacks.push_back(*acknack);
                sent.order += 'A';
            } else if (const auto* nack_frag = std::get_if<wire::NackFrag>(&submessage)) {
                sent.nack_frags.push_back(*nack_frag);
                sent.order += 'N';
            } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&submessage)) {
                sent.heartbeats.push_back(*heartbeat);
                sent.order += 'H';
            } else if (const auto* frag = std::get_if<wire::HeartbeatFrag>(&submessage)) {
                sent.heartbeat_frags.push_back(*frag);
                sent.order += 'h';
            } else if (const auto* gap = std::get_if<wire::Gap>(&submessage)) {
                sent.gaps.push_back(*gap);
                sent.order += 'G';
            } else if (const auto* data = std::get_if<wire::Data>(&submessage)) {
                sent.data.push_back(*data);
                sent.data_timestamps.push_back(reader.state().timestamp);
                sent.order += 'D';
            } else if (const auto* data_frag = std::get_if<wire::DataFrag>(&submessage)) {
                sent.data_frags.push_back(*data_frag);
                sent.order += 'F';
            }
        }
    }
    return sent;
}

std::vector<std::int64_t> members(const wire::SequenceNumberSet& set) {
    std::vector<std::int64_t> result;
    set.for_each([&](SequenceNumber number) { result.push_back(number.value); });
    return result;
}

std::vector<std::uint32_t> members(const wire::FragmentNumberSet& set) {
    std::vector<std::uint32_t> result;
    set.for_each([&](FragmentNumber number) { result.push_back(number.value); });
    return result;
}

Buffer bytes(std::size_t size, std::uint8_t fill) {
    Buffer result(size);
    for (std::size_t i = 0; i < size; ++i) {
        result[i] = static_cast<std::uint8_t>((i * 7U + i / 251U + fill) & 0xffU);
    }
    return result;
}

wire::Data data(std::int64_t number, ByteView payload) {
    wire::Data value;
    value.writer = writer_entity;
    value.number = sn(number);
    value.has_data = true;
    value.payload = payload;
    return value;
}

wire::DataFrag fragment(std::int64_t number,
                        ByteView sample,
                        std::uint16_t fragment_size,
                        std::uint32_t first,
                        std::uint16_t count) {
    wire::DataFrag value;
    value.writer = writer_entity;
    value.number = sn(number);
    value.first = FragmentNumber{first};
    value.count = count;
    value.fragment_size = fragment_size;
    value.sample_size = static_cast<std::uint32_t>(sample.size());
    const std::size_t begin = std::size_t{first - 1U} * fragment_size;
    const std::size_t size = std::size_t{count} * fragment_size;
    if (begin < sample.size()) {
        value.payload = sample.subspan(begin, std::min(size, sample.size() - begin));
    }
    return value;
}

wire::Gap gap(std::int64_t start, std::int64_t base, std::initializer_list<std::int64_t> list) {
    wire::Gap value;
    value.writer = writer_entity;
    value.start = sn(start);
    value.list.base = sn(base);
    for (const std::int64_t number : list)
        value.list.insert(sn(number));
    return value;
}

ReaderUnderTest::ReaderUnderTest(rtps::ReaderOptions options,
                                 rtps::MatchOptions match,
                                 VendorId vendor)
    : reader(reader_entity, options), out(outbox()) {
    reader.match(writer, destination(1, vendor), match, now);
}

void ReaderUnderTest::data(std::int64_t number, ByteView payload) {
    reader.on_data(writer, test::data(number, payload), invalid_timestamp, now, samples);
}

void ReaderUnderTest::gap(std::int64_t start,
                          std::int64_t base,
                          std::initializer_list<std::int64_t> list) {
    reader.on_gap(writer, test::gap(start, base, list), now, samples);
}

void ReaderUnderTest::heartbeat(std::int64_t first, std::int64_t last, bool final) {
    heartbeat_with_count(first, last, ++count, final);
}

void ReaderUnderTest::heartbeat_with_count(std::int64_t first,
                                           std::int64_t last,
                                           std::int32_t with_count,
                                           bool final) {
    wire::Heartbeat value;
    value.writer = writer_entity;
    value.first = sn(first);
    value.last = sn(last);
    value.count = with_count;
    value.final = final;
    reader.on_heartbeat(writer, value, now, out, samples);
}

void ReaderUnderTest::commit(std::int64_t through) {
    reader.committed(writer, sn(through), now, out);
}

void ReaderUnderTest::run_until(MonoTime time) {
    while (reader.next_deadline() <= time) {
        now = std::max(now, reader.next_deadline());
        reader.tick(now, out, samples);
    }
    now = time;
}

std::string ReaderUnderTest::delivered() {
    std::string text;
    for (const rtps::ReceivedSample& sample : samples) {
        if (!text.empty()) text += ' ';
        if (!sample.irrelevant) {
            text += fmt::format("{}", sample.number.value);
            continue;
        }
        const char* form = sample.lost ? "{{{}-{}}}" : "[{}-{}]";
        text += fmt::format(fmt::runtime(form), sample.first.value, sample.through.value);
    }
    samples.clear();
    return text;
}

}  // namespace durability::test
