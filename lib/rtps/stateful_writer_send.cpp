// What a StatefulWriter puts on the wire: changes, fragments, GAPs, HEARTBEATs.
#include "rtps/gap_builder.hpp"
#include "rtps/stateful_writer.hpp"
#include "wire/data.hpp"

#include <algorithm>
#include <utility>

namespace durability::rtps {

namespace {

// A DATA_FRAG without inline QoS and payload (RTPS 2.5, 9.4.5.5).
constexpr std::size_t data_frag_overhead = 36;

void send(std::optional<wire::Gap> gap, const ReaderProxy& reader, Outbox& outbox) {
    if (gap) outbox.gap(reader.destination(), *gap);
}

}  // namespace

SequenceNumber StatefulWriter::push(const ReaderProxy& reader,
                                    SequenceNumber from,
                                    std::size_t bytes,
                                    Outbox& outbox) {
    GapBuilder gaps(reader.guid().entity, own_);
    SequenceNumber at = from;
    std::size_t sent = 0;
    if (from <= last_) send_introduction(reader, outbox);
    for (auto change = history_.lower_bound(from); change != history_.end(); ++change) {
        if (sent >= bytes) {
            send(gaps.finish(), reader, outbox);
            return previous(at);
        }
        const bool wanted = relevant(change->second, reader);
        const SequenceNumber hole_end = wanted ? previous(change->first) : change->first;
        send(gaps.add({at, hole_end}), reader, outbox);
        at = next(change->first);
        if (!wanted) continue;
        send_change(reader, change->first, change->second, outbox);
        sent += payload_for(change->second, reader).size() + change->second.inline_qos.size();
    }
    send(gaps.add({at, last_}), reader, outbox);
    send(gaps.finish(), reader, outbox);
    return last_;
}

StatefulWriter::Repaired StatefulWriter::repair(ReaderProxy& reader,
                                                const wire::SequenceNumberSet& wanted,
                                                MonoTime now,
                                                Outbox& outbox) {
    Repaired result;
    GapBuilder gaps(reader.guid().entity, own_);
    wanted.for_each([&](SequenceNumber number) {
        if (number > last_) return;
        if (!reader.may_repair(number, 0, options_.repair_interval, now)) {
            result.too_early = true;
            return;
        }
        result.any = true;
        const auto at = history_.find(number);
        if (at == history_.end() || !relevant(at->second, reader)) {
            send(gaps.add({number, number}), reader, outbox);
        } else {
            send_change(reader, number, at->second, outbox);
        }
    });
    send(gaps.finish(), reader, outbox);
    return result;
}

void StatefulWriter::send_gap(const ReaderProxy& reader, SequenceNumber number, Outbox& outbox) {
    GapBuilder gaps(reader.guid().entity, own_);
    send(gaps.add({number, number}), reader, outbox);
    send(gaps.finish(), reader, outbox);
}

void StatefulWriter::send_change(const ReaderProxy& reader,
                                 SequenceNumber number,
                                 const Change& change,
                                 Outbox& outbox) {
    wire::DataFields data;
    data.reader = reader.guid().entity;
    data.writer = own_;
    data.number = number;
    data.inline_qos = change.inline_qos;
    data.payload = payload_for(change, reader);
    data.payload_kind = change.payload_kind;
    if (wire::data_size(data) <= outbox.max_submessage()) {
        outbox.data(reader.destination(), data, change.source_timestamp);
        return;
    }
    send_fragments(reader, number, change, FragmentNumber{1}, FragmentNumber{0xffffffffU}, outbox);
}

void StatefulWriter::send_fragments(const ReaderProxy& reader,
                                    SequenceNumber number,
                                    const Change& change,
                                    FragmentNumber first,
                                    FragmentNumber last,
                                    Outbox& outbox) {
    // Only the first one carries inline QoS, but all have to have the same size, also when
    // repaired.
    const std::size_t overhead = data_frag_overhead + change.inline_qos.size();
    const ByteView payload = payload_for(change, reader);
    if (outbox.max_submessage() <= overhead || payload.empty()) return;
    const std::size_t room = outbox.max_submessage() - overhead;
    const std::size_t size = std::min<std::size_t>(options_.fragment_size, room);
    if (size == 0) return;
    const std::size_t total = (payload.size() + size - 1U) / size;
    const std::size_t per_submessage = std::max<std::size_t>(room / size, 1);

    const std::size_t end = std::min<std::size_t>(last.value, total);
    for (std::size_t at = first.value; at != 0 && at <= end; at += per_submessage) {
        const std::size_t count = std::min(per_submessage, end - at + 1U);
        const std::size_t begin = (at - 1U) * size;
        wire::DataFragFields fields;
        fields.reader = reader.guid().entity;
        fields.writer = own_;
        fields.number = number;
        fields.first = FragmentNumber{static_cast<std::uint32_t>(at)};
        fields.count = static_cast<std::uint16_t>(count);
        fields.fragment_size = static_cast<std::uint16_t>(size);
        fields.sample_size = static_cast<std::uint32_t>(payload.size());
        if (at == 1) fields.inline_qos = change.inline_qos;
        fields.payload = payload.subspan(begin, std::min(count * size, payload.size() - begin));
        fields.key = change.payload_kind == PayloadKind::key;
        outbox.data_frag(reader.destination(), fields, change.source_timestamp);
    }
}

void StatefulWriter::send_heartbeat(const ReaderProxy& reader, bool final, Outbox& outbox) {
    const SequenceNumber first = first_for(reader);
    // In front of this one too: whatever came before it may be lost.
    if (first <= last_) send_introduction(reader, outbox);
    send_heartbeat(reader, {first, last_}, final, outbox);
}

// Says "nothing yet" to a reader of a VOLATILE writer that may never have seen a HEARTBEAT.
void StatefulWriter::send_introduction(const ReaderProxy& reader, Outbox& outbox) {
    if (!options_.volatile_history || reader.heard()) return;
    send_heartbeat(reader, {next(reader.acked()), reader.acked()}, true, outbox);
}

void StatefulWriter::send_heartbeat(const ReaderProxy& reader,
                                    SequenceRange range,
                                    bool final,
                                    Outbox& outbox) {
    if (heartbeat_count_ == 0) ++heartbeat_count_;
    wire::Heartbeat heartbeat;
    heartbeat.reader = reader.guid().entity;
    heartbeat.writer = own_;
    heartbeat.first = range.first;
    heartbeat.last = range.last;
    heartbeat.count = static_cast<std::int32_t>(heartbeat_count_++);
    heartbeat.final = final;
    outbox.heartbeat(reader.destination(), heartbeat);
}

}  // namespace durability::rtps
