// Payloads: asked of the store for open windows, and prepared for the vendor of the reader.
#include "discovery/peer_facts.hpp"
#include "service/replay.hpp"
#include "wire/inline_qos.hpp"

#include <utility>

namespace durability::service {

rtps::ReplaySample Replay::to_replay(const store::ReadSample& sample,
                                     const std::shared_ptr<const std::vector<Buffer>>& bytes,
                                     VendorId reader_vendor) const {
    rtps::ReplaySample replay;
    replay.arrival = sample.arrival;
    replay.available = sample.retained;
    if (!sample.retained) return replay;
    replay.payload_kind = sample.meta.payload_kind;
    replay.payload = sample.payload;
    replay.bytes = bytes;
    replay.source_timestamp = sample.meta.source_timestamp;

    wire::InlineQos qos;
    qos.key_hash = sample.meta.key_hash;
    qos.status_info = static_cast<std::uint32_t>(sample.meta.lifecycle);
    qos.original_writer = sample.meta.id;
    qos.related = sample.meta.related;
    // Fast DDS takes a short key payload for the instance handle itself (fact sheet 6.8).
    const bool hash_only =
        discovery::peer_facts(reader_vendor).dispose_form == discovery::DisposeForm::key_hash_only;
    if (hash_only && sample.meta.payload_kind == PayloadKind::key && qos.key_hash) {
        replay.payload_kind = PayloadKind::none;
        replay.payload = {};
    }
    wire::encode_inline_qos(replay.inline_qos, qos);
    return replay;
}

void Replay::on_read(store::SamplesRead& read, Now now) {
    const auto entry = take_ticket(read.ticket);
    if (entry == late_.end()) return;
    const auto& [key, late] = *entry;
    std::vector<rtps::ReplaySample> samples;
    samples.reserve(read.samples.size());
    for (const store::ReadSample& sample : read.samples) {
        samples.push_back(to_replay(sample, read.bytes, late.data.vendor));
    }
    replay_.provide_payloads(key.first, key.second, std::move(samples), now.mono);
}

void Replay::request_payloads() {
    while (auto request = replay_.next_payload_request()) {
        const Key key{request->replay_writer, request->reader};
        const auto entry = late_.find(key);
        if (entry == late_.end()) continue;
        store::ReadSamples command;
        command.ticket = context_.next_ticket();
        command.group = entry->second.group->handle;
        command.arrivals = std::move(request->arrivals);
        command.max_octets = request->max_octets;
        tickets_[command.ticket] = key;
        context_.commands.emplace_back(std::move(command));
    }
}

}  // namespace durability::service
