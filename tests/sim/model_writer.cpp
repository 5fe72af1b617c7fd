#include "sim/model_writer.hpp"

#include "sim/sample.hpp"

#include "discovery/peer_facts.hpp"
#include "model/rtps_time.hpp"
#include "wire/inline_qos.hpp"

#include <algorithm>

namespace durability::test {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t fragment_size = 1'344;
constexpr std::size_t largest_data = 8'000;

}  // namespace

ModelWriter::ModelWriter(discovery::EndpointData announced)
    : data_(std::move(announced)),
      serves_history_(discovery::serves_own_history(data_.vendor, data_.qos.durability)) {}

bool ModelWriter::all_acknowledged() const {
    return std::ranges::all_of(remotes_,
                               [&](const auto& entry) { return entry.second.base > last_; });
}

bool ModelWriter::matched_by(const GuidPrefix& process) const {
    return std::ranges::any_of(remotes_,
                               [&](const auto& entry) { return entry.first.prefix == process; });
}

std::int64_t ModelWriter::write(Now now, rtps::Outbox& out, std::size_t size) {
    Stored sample{make_payload(last_ + 1, size), to_timestamp(now.wall), {}};
    if (set_ != 0) {
        wire::InlineQos qos;
        qos.coherent_set = SequenceNumber{set_};
        wire::encode_inline_qos(sample.inline_qos, qos);
    }
    return publish(std::move(sample), now, out);
}

void ModelWriter::end_set(Now now, rtps::Outbox& out) {
    set_ = 0;
    wire::InlineQos qos;
    qos.coherent_set = wire::no_coherent_set;
    Stored end{{}, to_timestamp(now.wall), {}};
    wire::encode_inline_qos(end.inline_qos, qos);
    publish(std::move(end), now, out);
}

std::int64_t ModelWriter::relay(const SampleId& id, Now now, rtps::Outbox& out) {
    wire::InlineQos qos;
    qos.original_writer = id;
    Stored sample{make_payload(id.number.value, 64), to_timestamp(now.wall), {}};
    wire::encode_inline_qos(sample.inline_qos, qos);
    return publish(std::move(sample), now, out);
}

// To everybody.
std::int64_t ModelWriter::publish(Stored sample, Now now, rtps::Outbox& out) {
    ++last_;
    written_[last_] = now.mono;
    history_[last_] = std::move(sample);
    for (auto& [reader, remote] : remotes_) {
        send_data(reader, remote, last_, out);
        remote.delay = {};
        send_heartbeat(reader, remote, now, out);
    }
    forget_acknowledged();
    return last_;
}

void ModelWriter::match(const discovery::EndpointData& reader,
                        rtps::DestinationPtr destination,
                        Now now,
                        rtps::Outbox& out) {
    Remote& remote = remotes_[reader.guid];
    remote.destination = std::move(destination);
    remote.is_daemon = remote.destination->vendor == vendor::own;
    const bool wants = reader.qos.durability != DurabilityKind::volatile_ && serves_history_;
    remote.start = wants ? 1 : last_ + 1;
    remote.base = remote.start;
    for (std::int64_t number = remote.start; number <= last_; ++number)
        send_data(reader.guid, remote, number, out);
    send_heartbeat(reader.guid, remote, now, out);
}

void ModelWriter::unmatch(const Guid& reader) {
    remotes_.erase(reader);
    forget_acknowledged();
}

void ModelWriter::on_acknack(const Guid& reader,
                             const wire::AckNack& acknack,
                             Now now,
                             rtps::Outbox& out) {
    const auto entry = remotes_.find(reader);
    if (entry == remotes_.end()) return;
    Remote& remote = entry->second;
    if (acknack.state.base.value > last_ + 1) return;
    if (remote.is_daemon) {
        for (std::int64_t number = remote.base; number < acknack.state.base.value; ++number)
            kept_.try_emplace(number, now.mono);
    }
    remote.base = std::max(remote.base, acknack.state.base.value);
    bool asked = false;
    acknack.state.for_each([&](SequenceNumber number) {
        asked = true;
        send_data(reader, remote, number.value, out);
    });
    // Also for what a new reader of the daemon asks for in the place of an old one (fact
    // sheet 12.3).
    remote.delay = {};
    if (asked || !acknack.final) send_heartbeat(reader, remote, now, out);
    if (remote.base > last_) remote.due = MonoTime::max();
    forget_acknowledged();
}

void ModelWriter::send_data(const Guid& reader,
                            const Remote& remote,
                            std::int64_t number,
                            rtps::Outbox& out) {
    if (number > last_) return;
    const auto stored = history_.find(number);
    const bool entitled = number >= remote.start || remote.is_daemon;
    if (stored == history_.end() || !entitled) {
        wire::Gap gap;
        gap.reader = reader.entity;
        gap.writer = data_.guid.entity;
        gap.start = SequenceNumber{number};
        gap.list.base = SequenceNumber{number + 1};
        out.gap(remote.destination, gap);
        return;
    }
    const Buffer& payload = stored->second.payload;
    if (payload.size() <= largest_data) {
        wire::DataFields fields;
        fields.reader = reader.entity;
        fields.writer = data_.guid.entity;
        fields.number = SequenceNumber{number};
        fields.payload = payload;
        fields.payload_kind = payload.empty() ? PayloadKind::none : PayloadKind::data;
        fields.inline_qos = stored->second.inline_qos;
        out.data(remote.destination, fields, stored->second.timestamp);
        return;
    }
    for (std::size_t at = 0; at < payload.size(); at += fragment_size) {
        wire::DataFragFields fields;
        fields.reader = reader.entity;
        fields.writer = data_.guid.entity;
        fields.number = SequenceNumber{number};
        fields.first = FragmentNumber{static_cast<std::uint32_t>(at / fragment_size + 1)};
        fields.fragment_size = fragment_size;
        fields.sample_size = static_cast<std::uint32_t>(payload.size());
        if (at == 0) fields.inline_qos = stored->second.inline_qos;
        fields.payload =
            ByteView(payload).subspan(at, std::min(fragment_size, payload.size() - at));
        out.data_frag(remote.destination, fields, stored->second.timestamp);
    }
}

void ModelWriter::send_heartbeat(const Guid& reader, Remote& remote, Now now, rtps::Outbox& out) {
    wire::Heartbeat heartbeat;
    heartbeat.reader = reader.entity;
    heartbeat.writer = data_.guid.entity;
    heartbeat.first = SequenceNumber{first()};
    heartbeat.last = SequenceNumber{last_};
    heartbeat.count = ++count_;
    heartbeat.final = remote.base > last_;
    out.heartbeat(remote.destination, heartbeat);
    remote.delay =
        remote.delay == Duration{} ? Duration{100ms} : std::min<Duration>(remote.delay * 2, 1s);
    remote.due = heartbeat.final ? MonoTime::max() : after(now.mono, remote.delay);
}

void ModelWriter::forget_acknowledged() {
    if (serves_history_) return;
    std::int64_t base = last_ + 1;
    for (const auto& [reader, remote] : remotes_)
        base = std::min(base, remote.base);
    history_.erase(history_.begin(), history_.lower_bound(base));
}

void ModelWriter::tick(Now now, rtps::Outbox& out) {
    for (auto& [reader, remote] : remotes_) {
        if (remote.due <= now.mono) send_heartbeat(reader, remote, now, out);
    }
}

MonoTime ModelWriter::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const auto& [reader, remote] : remotes_)
        due = std::min(due, remote.due);
    return due;
}

}  // namespace durability::test
