#include "discovery/sedp.hpp"

#include "discovery/departure.hpp"
#include "wire/parameter_id.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace durability::discovery {
namespace {

// Last octet of the kind in a ParticipantMessageData (9.6.3.1).
constexpr std::uint8_t automatic_liveliness = 1;
constexpr std::uint8_t manual_liveliness = 2;

rtps::WriterOptions writer_options(const SedpOptions& options) {
    rtps::WriterOptions result;
    result.first_number = options.first_number;
    result.first_heartbeat_count = options.first_count;
    result.push_bytes = options.push_bytes;
    return result;
}

rtps::ReaderOptions reader_options(const SedpOptions& options) {
    rtps::ReaderOptions result;
    result.ack = rtps::AckPolicy::on_receipt;
    result.limits = options.reader_limits;
    result.first_count = options.first_count;
    // After a restart a living writer has to be met within the handover window, also where every
    // fifth datagram is lost.
    result.eager_preemptive = 20;
    result.preemptive_retries = 36;
    return result;
}

// The two low bits of a kind say whether there is a key; these say who defined the entity
// (9.3.1.2).
bool is_user_defined(EntityId id) {
    return (id.value & 0xc0U) == 0;
}

}  // namespace

rtps::ReaderLimits default_sedp_reader_limits() {
    rtps::ReaderLimits limits;
    limits.fragments.sample_size = 256U << 10U;
    limits.fragments.fragments_per_sample = 1'024;
    limits.fragments.assemblies = 64;
    limits.fragments.assemblies_per_writer = 4;
    limits.fragments.bytes = 8U << 20U;
    limits.reorder_samples_per_writer = 2'048;
    limits.reorder_bytes = 16U << 20U;
    return limits;
}

Sedp::Topic::Topic(EntityId writer_id, EntityId reader_id, const SedpOptions& options)
    : writer(writer_id, writer_options(options)), reader(reader_id, reader_options(options)) {}

Sedp::Sedp(GuidPrefix own, SedpOptions options)
    : own_(own),
      options_(std::move(options)),
      publications_(entity::publications_writer, entity::publications_reader, options_),
      subscriptions_(entity::subscriptions_writer, entity::subscriptions_reader, options_),
      messages_(entity::participant_message_writer, entity::participant_message_reader, options_),
      table_(options_.max_writers, options_.max_readers) {
    publications_.writer_bit = builtin_endpoint::publications_writer;
    publications_.reader_bit = builtin_endpoint::publications_reader;
    subscriptions_.writer_bit = builtin_endpoint::subscriptions_writer;
    subscriptions_.reader_bit = builtin_endpoint::subscriptions_reader;
    messages_.writer_bit = builtin_endpoint::participant_message_writer;
    messages_.reader_bit = builtin_endpoint::participant_message_reader;
}

bool Sedp::concerns(EntityId reader, EntityId writer) {
    const bool known = writer == entity::publications_writer ||
                       writer == entity::subscriptions_writer ||
                       writer == entity::participant_message_writer;
    return known && (reader == entity::unknown || reader.is_builtin());
}

void Sedp::add_participant(const ParticipantFound& found, MonoTime now, rtps::Outbox& outbox) {
    const GuidPrefix prefix = found.data.guid.prefix;
    Remote remote;
    remote.destination = found.metatraffic;
    remote.vendor = found.data.vendor;
    remote.builtin_endpoints = found.data.builtin_endpoints;
    remote.returning = found.returning;
    remote.added = now;
    const Remote& added = remotes_.insert_or_assign(prefix, std::move(remote)).first->second;
    match_endpoints(prefix, added, added.builtin_endpoints, now, outbox);
}

void Sedp::change_participant(const ParticipantData& data, MonoTime now, rtps::Outbox& outbox) {
    const auto found = remotes_.find(data.guid.prefix);
    if (found == remotes_.end()) return;
    Remote& remote = found->second;
    const std::uint32_t before = remote.builtin_endpoints;
    remote.vendor = data.vendor;
    remote.builtin_endpoints = data.builtin_endpoints;
    unmatch_endpoints(data.guid.prefix, before & ~data.builtin_endpoints);
    match_endpoints(data.guid.prefix, remote, data.builtin_endpoints & ~before, now, outbox);
}

void Sedp::remove_participant(GuidPrefix prefix, LossReason reason) {
    const auto found = remotes_.find(prefix);
    if (found == remotes_.end()) return;
    unmatch_endpoints(prefix, found->second.builtin_endpoints);
    remotes_.erase(found);
    table_.remove_all(prefix,
                      reason == LossReason::disposed ? LossReason::participant_disposed : reason,
                      events_);
}

void Sedp::match_endpoints(GuidPrefix prefix,
                           const Remote& remote,
                           std::uint32_t bits,
                           MonoTime now,
                           rtps::Outbox& outbox) {
    // Of a participant from before a restart we ask for everything again: what it announced
    // meanwhile, and what the earlier run forgot with its memory (fact sheet 12.3).
    rtps::MatchOptions match;
    match.expects_resume = remote.returning;
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        if ((bits & topic->reader_bit) != 0) {
            topic->writer.match({prefix, topic->reader.id()}, remote.destination, now, outbox);
        }
    }
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        if ((bits & topic->writer_bit) != 0) {
            topic->reader.match({prefix, topic->writer.id()}, remote.destination, match, now);
        }
    }
}

void Sedp::unmatch_endpoints(GuidPrefix prefix, std::uint32_t bits) {
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        if ((bits & topic->reader_bit) != 0) topic->writer.unmatch({prefix, topic->reader.id()});
        if ((bits & topic->writer_bit) != 0) topic->reader.unmatch({prefix, topic->writer.id()});
    }
}

void Sedp::note_heard(const wire::ReceiverState& from, MonoTime now, rtps::Outbox& outbox) {
    if (from.destination != own_) return;
    const auto found = remotes_.find(from.source);
    if (found == remotes_.end() || std::exchange(found->second.knows_us, true)) return;
    const Remote& remote = found->second;
    // The repetitions after the match take care of the first moments.
    constexpr Duration still_repeating = std::chrono::milliseconds{6};
    if (now - remote.added <= still_repeating) return;
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        const Guid reader{from.source, topic->reader.id()};
        if (!topic->writer.matched(reader)) continue;
        if (topic->writer.acknowledged_by(reader, topic->writer.last())) continue;
        topic->writer.match(reader, remote.destination, now, outbox);
    }
}

// Some implementations make the prefix from host and process id, so that a process in a container
// comes back under the same one and counts from 1 again. What it announced before means nothing
// now.
void Sedp::restart_participant(GuidPrefix prefix, MonoTime now, rtps::Outbox& outbox) {
    Remote& remote = remotes_.at(prefix);
    table_.remove_all(prefix, LossReason::participant_restarted, events_);
    unmatch_endpoints(prefix, remote.builtin_endpoints);
    remote.acked_writers = {};
    remote.acked_readers = {};
    remote.added = now;
    remote.knows_us = false;
    match_endpoints(prefix, remote, remote.builtin_endpoints, now, outbox);
}

Sedp::Topic& Sedp::topic_for(EntityId local) {
    return local.is_writer() ? publications_ : subscriptions_;
}

Sedp::Topic* Sedp::topic_of(EntityId reader, EntityId writer) {
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        if (topic->writer.id() != writer) continue;
        return reader == entity::unknown || reader == topic->reader.id() ? topic : nullptr;
    }
    return nullptr;
}

SequenceNumber Sedp::announce(const EndpointData& data, std::optional<GuidPrefix> only_for) {
    rtps::Change change;
    change.payload = encode_endpoint(data);
    change.instance = to_octets(data.guid);
    change.only_for = only_for;
    if (data.is_reader() && !data.expects_inline_qos) {
        EndpointData for_eprosima = data;
        for_eprosima.expects_inline_qos = true;
        change.vendor_payload =
            rtps::Change::VendorPayload{vendor::eprosima, encode_endpoint(for_eprosima)};
    }
    const EntityId id = data.guid.entity;
    Topic& topic = topic_for(id);
    Local& local = locals_[id];
    topic.announced.erase(local.number);
    local.number = topic.writer.add(std::move(change));
    local.only_for = only_for;
    // MANUAL_BY_TOPIC is for the writer itself to say.
    const bool promises =
        data.is_writer() && data.qos.liveliness.kind != LivelinessKind::manual_by_topic;
    local.liveliness_lease = promises ? data.qos.liveliness.lease_duration : infinite_qos_duration;
    local.liveliness = data.qos.liveliness.kind;
    topic.announced.emplace(local.number, id);
    schedule_liveliness();
    return local.number;
}

void Sedp::retract(EntityId id) {
    const Guid guid{own_, id};
    rtps::Change change;
    change.payload_kind = PayloadKind::key;
    change.payload = encode_endpoint_key(guid);
    change.inline_qos = encode_departure(guid);
    change.instance = to_octets(guid);
    change.dispose = true;
    Topic& topic = topic_for(id);
    if (const auto local = locals_.find(id); local != locals_.end()) {
        change.only_for = local->second.only_for;
        topic.announced.erase(local->second.number);
        locals_.erase(local);
    }
    topic.writer.add(std::move(change));
    schedule_liveliness();
}

bool Sedp::acknowledged_by(GuidPrefix peer, EntityId id) const {
    const auto local = locals_.find(id);
    if (local == locals_.end()) return false;
    if (local->second.only_for && *local->second.only_for != peer) return false;
    const Topic& topic = id.is_writer() ? publications_ : subscriptions_;
    return topic.writer.acknowledged_by({peer, topic.reader.id()}, local->second.number);
}

const EndpointData* Sedp::find_writer(const Guid& guid) const {
    const auto found = table_.writers().find(guid);
    return found == table_.writers().end() ? nullptr : &found->second;
}

const EndpointData* Sedp::find_reader(const Guid& guid) const {
    const auto found = table_.readers().find(guid);
    return found == table_.readers().end() ? nullptr : &found->second;
}

void Sedp::on_data(const wire::ReceiverState& from, const wire::Data& data, MonoTime now) {
    Topic* topic = topic_of(data.reader, data.writer);
    if (topic == nullptr) return;
    topic->reader.on_data({from.source, data.writer}, data, from.timestamp, now, received_);
    take_samples();
}

void Sedp::on_data_frag(const wire::ReceiverState& from,
                        const wire::DataFrag& data_frag,
                        MonoTime now) {
    Topic* topic = topic_of(data_frag.reader, data_frag.writer);
    if (topic == nullptr) return;
    topic->reader.on_data_frag(
        {from.source, data_frag.writer}, data_frag, from.timestamp, now, received_);
    take_samples();
}

void Sedp::on_gap(const wire::ReceiverState& from, const wire::Gap& gap, MonoTime now) {
    Topic* topic = topic_of(gap.reader, gap.writer);
    if (topic == nullptr) return;
    topic->reader.on_gap({from.source, gap.writer}, gap, now, received_);
    take_samples();
}

void Sedp::on_heartbeat(const wire::ReceiverState& from,
                        const wire::Heartbeat& heartbeat,
                        MonoTime now,
                        rtps::Outbox& outbox) {
    Topic* topic = topic_of(heartbeat.reader, heartbeat.writer);
    if (topic == nullptr) return;
    note_heard(from, now, outbox);
    const Guid writer{from.source, heartbeat.writer};
    topic->reader.on_heartbeat(writer, heartbeat, now, outbox, received_);
    take_samples();
    const auto status = topic->reader.status(writer);
    if (status && status->numbering_restarted) restart_participant(from.source, now, outbox);
}

void Sedp::on_heartbeat_frag(const wire::ReceiverState& from,
                             const wire::HeartbeatFrag& heartbeat_frag,
                             MonoTime now,
                             rtps::Outbox& outbox) {
    Topic* topic = topic_of(heartbeat_frag.reader, heartbeat_frag.writer);
    if (topic == nullptr) return;
    topic->reader.on_heartbeat_frag(
        {from.source, heartbeat_frag.writer}, heartbeat_frag, now, outbox);
}

void Sedp::on_acknack(const wire::ReceiverState& from,
                      const wire::AckNack& acknack,
                      MonoTime now,
                      rtps::Outbox& outbox) {
    Topic* topic = topic_of(acknack.reader, acknack.writer);
    if (topic == nullptr) return;
    note_heard(from, now, outbox);
    topic->writer.on_acknack({from.source, acknack.reader}, acknack, now, outbox);
    take_acknowledgements();
}

void Sedp::on_nack_frag(const wire::ReceiverState& from,
                        const wire::NackFrag& nack_frag,
                        MonoTime now,
                        rtps::Outbox& outbox) {
    Topic* topic = topic_of(nack_frag.reader, nack_frag.writer);
    if (topic == nullptr) return;
    topic->writer.on_nack_frag({from.source, nack_frag.reader}, nack_frag, now, outbox);
}

void Sedp::tick(MonoTime now, rtps::Outbox& outbox) {
    assert_liveliness(now);
    for (Topic* topic : {&publications_, &subscriptions_, &messages_})
        topic->writer.tick(now, outbox);
    for (Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        topic->reader.tick(now, outbox, received_);
    }
    take_samples();
}

MonoTime Sedp::next_deadline() const {
    MonoTime deadline = MonoTime::max();
    for (const Topic* topic : {&publications_, &subscriptions_, &messages_}) {
        deadline =
            std::min({deadline, topic->writer.next_deadline(), topic->reader.next_deadline()});
    }
    if (liveliness_period_ == infinite_duration) return deadline;
    if (!liveliness_sent_) return MonoTime::min();
    return std::min(deadline, after(*liveliness_sent_, liveliness_period_));
}

std::optional<SedpEvent> Sedp::next_event() {
    if (events_.empty()) return std::nullopt;
    SedpEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
}

void Sedp::take_samples() {
    for (const rtps::ReceivedSample& sample : received_)
        take_sample(sample);
    received_.clear();
}

void Sedp::take_sample(const rtps::ReceivedSample& sample) {
    // A liveliness message did its work by arriving: any message renews the lease (fact sheet 1.4).
    if (sample.irrelevant || sample.writer.entity == entity::participant_message_writer) return;
    const auto remote = remotes_.find(sample.writer.prefix);
    if (remote == remotes_.end()) return;
    const auto qos = wire::decode_inline_qos(sample.inline_qos, sample.order);
    if (!qos) {
        report_malformed(sample.writer, qos.error());
        return;
    }
    if (qos->has_unknown_must_understand) return;
    if (is_departure(*qos)) {
        take_departure(sample, *qos);
    } else if (sample.payload_kind == PayloadKind::data) {
        take_announcement(sample, remote->second);
    }
}

// An endpoint is announced, changed and removed by its own participant only (R8.3).
void Sedp::take_departure(const rtps::ReceivedSample& sample, const wire::InlineQos& qos) {
    const auto guid =
        departed_guid(qos, sample.payload_kind, sample.payload.view(), wire::pid::endpoint_guid);
    if (!guid) {
        report_malformed(sample.writer, guid.error());
        return;
    }
    const bool of_a_writer = sample.writer.entity == entity::publications_writer;
    if (guid->prefix != sample.writer.prefix || guid->entity.is_writer() != of_a_writer) return;
    table_.remove(*guid, LossReason::disposed, events_);
}

void Sedp::take_announcement(const rtps::ReceivedSample& sample, const Remote& remote) {
    auto data = decode_endpoint(sample.payload.view(), options_.string_limits, remote.vendor);
    if (!data) {
        report_malformed(sample.writer, data.error());
        return;
    }
    const bool of_a_writer = sample.writer.entity == entity::publications_writer;
    if (data->guid.prefix != sample.writer.prefix || data->is_writer() != of_a_writer) {
        report_malformed(sample.writer, wire::DecodeError::bad_parameter);
        return;
    }
    // Built-in endpoints of the standard and of vendors are nobody's topics.
    if (is_user_defined(data->guid.entity)) table_.put(std::move(*data), events_);
}

void Sedp::take_acknowledgements() {
    while (const auto acked = publications_.writer.next_event()) {
        if (const auto remote = remotes_.find(acked->reader.prefix); remote != remotes_.end()) {
            report_acknowledged(publications_, remote->second.acked_writers, *acked);
        }
    }
    while (const auto acked = subscriptions_.writer.next_event()) {
        if (const auto remote = remotes_.find(acked->reader.prefix); remote != remotes_.end()) {
            report_acknowledged(subscriptions_, remote->second.acked_readers, *acked);
        }
    }
    while (messages_.writer.next_event()) {
        // Nobody waits for these.
    }
}

void Sedp::report_acknowledged(const Topic& topic,
                               SequenceNumber& reported,
                               const rtps::AckedUpTo& acked) {
    auto entry = topic.announced.upper_bound(reported);
    for (; entry != topic.announced.end() && entry->first <= acked.number; ++entry) {
        const Local& local = locals_.at(entry->second);
        if (local.only_for && *local.only_for != acked.reader.prefix) continue;
        events_.push_back(LocalAcknowledged{acked.reader.prefix, entry->second});
    }
    reported = std::max(reported, acked.number);
}

void Sedp::report_malformed(const Guid& writer, wire::DecodeError error) {
    events_.push_back(MalformedAnnouncement{writer, error});
}

// A third of the shortest lease, so that one lost message does no harm.
void Sedp::schedule_liveliness() {
    Duration shortest = infinite_duration;
    for (const auto& [id, local] : locals_) {
        shortest = std::min(shortest, to_duration(local.liveliness_lease));
    }
    constexpr Duration busiest = std::chrono::milliseconds{10};
    liveliness_period_ =
        shortest == infinite_duration ? infinite_duration : std::max(shortest / 3, busiest);
}

void Sedp::assert_liveliness(MonoTime now) {
    if (liveliness_period_ == infinite_duration) return;
    if (liveliness_sent_ && after(*liveliness_sent_, liveliness_period_) > now) return;
    liveliness_sent_ = now;
    for (const LivelinessKind kind :
         {LivelinessKind::automatic, LivelinessKind::manual_by_participant}) {
        const bool promised = std::ranges::any_of(locals_, [&](const auto& local) {
            return local.second.liveliness == kind && !local.second.liveliness_lease.infinite();
        });
        if (promised) assert_liveliness(kind);
    }
}

void Sedp::assert_liveliness(LivelinessKind kind) {
    const std::uint8_t octet =
        kind == LivelinessKind::automatic ? automatic_liveliness : manual_liveliness;
    // ParticipantMessageData (9.6.3.1): CDR_LE, prefix, kind, one octet of nothing.
    Buffer message{0x00, 0x01, 0x00, 0x00};
    message.insert(message.end(), own_.octets.begin(), own_.octets.end());
    const std::array<std::uint8_t, 12> kind_and_data{0, 0, 0, octet, 1, 0, 0, 0, 0, 0, 0, 0};
    message.insert(message.end(), kind_and_data.begin(), kind_and_data.end());

    rtps::Change change;
    change.payload = std::move(message);
    change.instance = to_octets(Guid{own_, EntityId{octet}});  // the key is prefix and kind
    messages_.writer.add(std::move(change));
}

}  // namespace durability::discovery
