// Payloads: asked of the store for open windows, and prepared for the vendor of the reader.
#include "types/topic_keys.hpp"

#include "discovery/peer_facts.hpp"
#include "service/replay.hpp"
#include "wire/inline_qos.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {

namespace {

// The payload with the key that an operation came without.
std::optional<Buffer> key_payload_of(const store::ReadSample& sample, const ServedGroup& group) {
    const std::int16_t representation = group.meta.key.representation;
    if (const auto& plan = group.types.key_plan) {
        auto key = types::serialized_key(*plan, sample.sibling_kind, sample.sibling);
        if (!key && sample.meta.key) key = plan->key_of_hash(sample.meta.key->hash);
        if (key) return plan->key_payload(*key, representation);
    } else if (const auto& reader_plan = group.types.reader_plan; reader_plan && sample.meta.key) {
        // It need not be what the writer means; that both name the same hash proves it here.
        const KeyHash& hash = sample.meta.key->hash;
        auto key = types::serialized_key(*reader_plan, sample.sibling_kind, sample.sibling);
        if (!key) key = reader_plan->key_of_hash(hash);
        if (key && reader_plan->identify(*key).hash == hash)
            return reader_plan->key_payload(*key, representation);
    }
    return std::nullopt;
}

// An operation in the form in which the reader's vendor finds the right instance (fact sheet 6.8).
// False when there is none: it would end another instance than the one that is meant.
bool shape_operation(const store::ReadSample& sample,
                     const ServedGroup& group,
                     VendorId vendor,
                     rtps::ReplaySample& replay) {
    using discovery::DisposeForm;
    if (sample.meta.payload_kind == PayloadKind::data) return true;
    if (discovery::peer_facts(vendor).dispose_form == DisposeForm::key_hash_only) {
        // Fast DDS takes a short key for the instance handle itself.
        replay.payload_kind = PayloadKind::none;
        replay.payload = {};
        return sample.meta.key.has_value();
    }
    if (sample.meta.payload_kind == PayloadKind::key) return true;

    // It came with a key hash alone, which Cyclone DDS understands for short keys only.
    if (auto key = key_payload_of(sample, group)) {
        auto own = std::make_shared<std::vector<Buffer>>();
        own->push_back(std::move(*key));
        replay.payload_kind = PayloadKind::key;
        replay.payload = own->back();
        replay.bytes = std::move(own);
        return true;
    }
    // Else another payload of the instance: the one form that asks for no knowledge of the key.
    replay.payload_kind = sample.sibling_kind;
    replay.payload = sample.sibling;
    return true;
}

}  // namespace

rtps::ReplaySample Replay::to_replay(const store::ReadSample& sample,
                                     const std::shared_ptr<const std::vector<Buffer>>& bytes,
                                     const Late& late) const {
    rtps::ReplaySample replay;
    replay.arrival = sample.arrival;
    replay.available = sample.retained;
    if (!sample.retained) return replay;
    replay.payload_kind = sample.meta.payload_kind;
    replay.payload = sample.payload;
    replay.bytes = bytes;
    replay.source_timestamp = sample.meta.source_timestamp;
    if (!sample.meta.coherent_set)
        replay.instance = instance_number(late.group->meta.key.keyed, sample.meta.key);
    if (sample.meta.coherent_set)
        replay.coherent_set = SampleId{sample.meta.id.writer, *sample.meta.coherent_set};
    if (sample.meta.lifecycle != Lifecycle::data &&
        !shape_operation(sample, *late.group, late.data.vendor, replay)) {
        replay.available = false;
        return replay;
    }

    wire::InlineQos qos;
    if (sample.meta.key) qos.key_hash = sample.meta.key->hash;
    qos.status_info = static_cast<std::uint32_t>(sample.meta.lifecycle);
    qos.original_writer = sample.meta.id;
    qos.related = sample.meta.related;
    wire::encode_inline_qos(replay.inline_qos, qos);
    return replay;
}

void Replay::on_read(store::SamplesRead& read, Now now) {
    if (const auto spent = spent_on_.extract(read.ticket)) rate_.give_back(spent.mapped());
    const auto entry = take_ticket(read.ticket);
    if (entry == late_.end()) return;
    auto& [key, late] = *entry;
    std::vector<rtps::ReplaySample> samples;
    std::uint64_t octets = 0;
    samples.reserve(read.samples.size());
    for (const store::ReadSample& sample : read.samples) {
        samples.push_back(to_replay(sample, read.bytes, late));
        if (samples.back().available && is_replaced(key, late, sample)) {
            samples.back().available = false;
            note_superseded(late, 1);
        }
        octets += samples.back().payload.size() + samples.back().inline_qos.size();
    }
    rate_.spend(octets, now.mono);
    octets_provided_ += octets;
    late.group->replayed +=
        static_cast<std::uint64_t>(std::ranges::count_if(samples, &rtps::ReplaySample::available));
    replay_.provide_payloads(key.first, key.second, std::move(samples), now.mono);
}

// What is repeated to a reader that lost it was provided once only.
void Replay::spend_on_repeats(Now now) {
    const std::uint64_t sent = replay_.user_octets_sent();
    if (sent <= octets_provided_ + octets_repeated_) return;
    const std::uint64_t repeated = sent - octets_provided_ - octets_repeated_;
    rate_.spend(repeated, now.mono);
    octets_repeated_ += repeated;
}

void Replay::request_payloads(Now now) {
    spend_on_repeats(now);
    while (const std::uint64_t credit = rate_.credit(now.mono)) {
        auto request = replay_.next_payload_request();
        if (!request) return;
        const Key key{request->replay_writer, request->reader};
        const auto entry = late_.find(key);
        if (entry == late_.end()) continue;
        store::ReadSamples command;
        command.ticket = context_.next_ticket();
        command.group = entry->second.group->handle;
        command.arrivals = std::move(request->arrivals);
        command.elsewhere = given_elsewhere(key, entry->second);
        command.max_octets = std::min<std::uint64_t>(request->max_octets, credit);
        spent_on_[command.ticket] = command.max_octets;
        rate_.spend(command.max_octets, now.mono);
        tickets_[command.ticket] = key;
        context_.commands.emplace_back(std::move(command));
    }
}

}  // namespace durability::service
