#include "discovery/type_lookup.hpp"

#include <cstring>
#include <utility>

namespace durability::discovery {
namespace {

rtps::WriterOptions writer_options(const TypeLookupOptions& options) {
    rtps::WriterOptions result;
    result.first_number = options.first_number;
    result.first_heartbeat_count = options.first_count;
    result.max_changes = options.max_unacknowledged;
    // Applications wait for what is told here.
    result.max_heartbeat_interval = std::chrono::milliseconds{500};
    result.volatile_history = true;
    return result;
}

rtps::ReaderOptions reader_options(const TypeLookupOptions& options) {
    rtps::ReaderOptions result;
    result.ack = rtps::AckPolicy::on_receipt;
    result.limits = options.reader_limits;
    result.first_count = options.first_count;
    return result;
}

// Cyclone DDS sends each reply to everybody, and says nothing in it that tells whose request it is
// about but the number (fact sheet 6.7). So our numbers begin with what only our GUID has.
std::int64_t first_request(const GuidPrefix& own, SequenceNumber first_number) {
    std::uint32_t tag = 0;
    std::memcpy(&tag, own.octets.data() + 8, 4);
    const std::uint64_t high = std::uint64_t{tag & 0x7fffffffU} << 32U;
    return static_cast<std::int64_t>(high | static_cast<std::uint32_t>(first_number.value));
}

}  // namespace

rtps::ReaderLimits default_type_lookup_reader_limits() {
    rtps::ReaderLimits limits;
    limits.fragments.sample_size = 1U << 20U;
    limits.fragments.fragments_per_sample = 1'024;
    limits.fragments.assemblies = 16;
    limits.fragments.assemblies_per_writer = 2;
    limits.fragments.bytes = 8U << 20U;
    limits.reorder_samples_per_writer = 64;
    limits.reorder_bytes = 4U << 20U;
    return limits;
}

TypeLookup::TypeLookup(GuidPrefix own, TypeLookupOptions options)
    : own_(own),
      options_(options),
      requests_{
          rtps::StatefulWriter(entity::type_request_writer, writer_options(options)),
          rtps::StatefulReader(entity::type_request_reader, reader_options(options)),
          builtin_endpoint::type_request_writer,
          builtin_endpoint::type_request_reader,
      },
      replies_{
          rtps::StatefulWriter(entity::type_reply_writer, writer_options(options)),
          rtps::StatefulReader(entity::type_reply_reader, reader_options(options)),
          builtin_endpoint::type_reply_writer,
          builtin_endpoint::type_reply_reader,
      },
      queries_(options.queries, first_request(own, options.first_number)),
      answers_(options.answers) {}

bool TypeLookup::concerns(EntityId reader, EntityId writer) {
    const bool known = writer == entity::type_request_writer || writer == entity::type_reply_writer;
    return known && (reader == entity::unknown || reader.is_builtin());
}

void TypeLookup::add_participant(const ParticipantFound& found,
                                 MonoTime now,
                                 rtps::Outbox& outbox) {
    const GuidPrefix prefix = found.data.guid.prefix;
    if (remotes_.count(prefix) != 0) remove_participant(prefix);
    const Remote remote{
        found.metatraffic, found.data.vendor, found.data.builtin_endpoints, found.returning};
    match(prefix, remote, remote.builtin_endpoints, now, outbox);
    remotes_.emplace(prefix, remote);
}

void TypeLookup::change_participant(const ParticipantData& data,
                                    MonoTime now,
                                    rtps::Outbox& outbox) {
    const auto found = remotes_.find(data.guid.prefix);
    if (found == remotes_.end()) return;
    Remote& remote = found->second;
    const std::uint32_t before = remote.builtin_endpoints;
    remote.vendor = data.vendor;
    remote.builtin_endpoints = data.builtin_endpoints;
    unmatch(data.guid.prefix, before & ~data.builtin_endpoints);
    match(data.guid.prefix, remote, data.builtin_endpoints & ~before, now, outbox);
}

void TypeLookup::remove_participant(GuidPrefix prefix) {
    const auto found = remotes_.find(prefix);
    if (found == remotes_.end()) return;
    unmatch(prefix, found->second.builtin_endpoints);
    remotes_.erase(found);
    answers_.forget(prefix);
    queries_.give_up(prefix, events_);
}

void TypeLookup::match(GuidPrefix prefix,
                       const Remote& remote,
                       std::uint32_t bits,
                       MonoTime now,
                       rtps::Outbox& outbox) {
    // A request that came before this match is still a request; one for somebody else says so.
    rtps::MatchOptions match;
    match.expects_resume = remote.returning;
    for (Topic* topic : {&requests_, &replies_}) {
        if ((bits & topic->reader_bit) != 0)
            topic->writer.match({prefix, topic->reader.id()}, remote.destination, now, outbox);
        if ((bits & topic->writer_bit) != 0)
            topic->reader.match({prefix, topic->writer.id()}, remote.destination, match, now);
    }
}

void TypeLookup::unmatch(GuidPrefix prefix, std::uint32_t bits) {
    for (Topic* topic : {&requests_, &replies_}) {
        if ((bits & topic->reader_bit) != 0) topic->writer.unmatch({prefix, topic->reader.id()});
        if ((bits & topic->writer_bit) != 0) topic->reader.unmatch({prefix, topic->writer.id()});
    }
}

TypeLookup::Topic* TypeLookup::topic_of(EntityId reader, EntityId writer) {
    for (Topic* topic : {&requests_, &replies_}) {
        if (topic->writer.id() != writer) continue;
        return reader == entity::unknown || reader == topic->reader.id() ? topic : nullptr;
    }
    return nullptr;
}

void TypeLookup::look_up(GuidPrefix peer, const std::vector<types::TypeId>& ids, MonoTime now) {
    constexpr std::uint32_t service =
        builtin_endpoint::type_request_reader | builtin_endpoint::type_reply_writer;
    const auto remote = remotes_.find(peer);
    if (remote == remotes_.end() || (remote->second.builtin_endpoints & service) != service) {
        if (!ids.empty()) events_.emplace_back(TypesUnavailable{peer, ids});
        return;
    }
    queries_.ask(peer, ids, now, events_);
}

bool TypeLookup::offer(const types::TypeId& id,
                       Buffer object,
                       std::vector<types::TypeId> dependencies) {
    return answers_.offer(id, std::move(object), std::move(dependencies));
}

void TypeLookup::withdraw(const types::TypeId& id) {
    answers_.withdraw(id);
}

void TypeLookup::on_data(const wire::ReceiverState& from, const wire::Data& data, MonoTime now) {
    Topic* topic = topic_of(data.reader, data.writer);
    if (topic == nullptr) return;
    topic->reader.on_data({from.source, data.writer}, data, from.timestamp, now, received_);
    take_samples();
}

void TypeLookup::on_data_frag(const wire::ReceiverState& from,
                              const wire::DataFrag& data_frag,
                              MonoTime now) {
    Topic* topic = topic_of(data_frag.reader, data_frag.writer);
    if (topic == nullptr) return;
    topic->reader.on_data_frag(
        {from.source, data_frag.writer}, data_frag, from.timestamp, now, received_);
    take_samples();
}

void TypeLookup::on_gap(const wire::ReceiverState& from, const wire::Gap& gap, MonoTime now) {
    Topic* topic = topic_of(gap.reader, gap.writer);
    if (topic == nullptr) return;
    topic->reader.on_gap({from.source, gap.writer}, gap, now, received_);
    take_samples();
}

void TypeLookup::on_heartbeat(const wire::ReceiverState& from,
                              const wire::Heartbeat& heartbeat,
                              MonoTime now,
                              rtps::Outbox& outbox) {
    Topic* topic = topic_of(heartbeat.reader, heartbeat.writer);
    if (topic == nullptr) return;
    const Guid writer{from.source, heartbeat.writer};
    topic->reader.on_heartbeat(writer, heartbeat, now, outbox, received_);
    take_samples();
    if (!topic->reader.numbering_restarted(writer)) return;
    // Another process under the same prefix: all four of its endpoints begin anew.
    const auto remote = remotes_.find(from.source);
    if (remote == remotes_.end()) return;
    unmatch(from.source, remote->second.builtin_endpoints);
    match(from.source, remote->second, remote->second.builtin_endpoints, now, outbox);
}

void TypeLookup::on_heartbeat_frag(const wire::ReceiverState& from,
                                   const wire::HeartbeatFrag& heartbeat_frag,
                                   MonoTime now,
                                   rtps::Outbox& outbox) {
    Topic* topic = topic_of(heartbeat_frag.reader, heartbeat_frag.writer);
    if (topic == nullptr) return;
    topic->reader.on_heartbeat_frag(
        {from.source, heartbeat_frag.writer}, heartbeat_frag, now, outbox);
}

void TypeLookup::on_acknack(const wire::ReceiverState& from,
                            const wire::AckNack& acknack,
                            MonoTime now,
                            rtps::Outbox& outbox) {
    Topic* topic = topic_of(acknack.reader, acknack.writer);
    if (topic == nullptr) return;
    topic->writer.on_acknack({from.source, acknack.reader}, acknack, now, outbox);
    drop_acknowledgements();
}

void TypeLookup::on_nack_frag(const wire::ReceiverState& from,
                              const wire::NackFrag& nack_frag,
                              MonoTime now,
                              rtps::Outbox& outbox) {
    Topic* topic = topic_of(nack_frag.reader, nack_frag.writer);
    if (topic == nullptr) return;
    topic->writer.on_nack_frag({from.source, nack_frag.reader}, nack_frag, now, outbox);
}

void TypeLookup::tick(MonoTime now, rtps::Outbox& outbox) {
    for (Topic* topic : {&requests_, &replies_})
        topic->reader.tick(now, outbox, received_);
    take_samples();
    send_requests(now);
    send_replies(now);
    for (Topic* topic : {&requests_, &replies_})
        topic->writer.tick(now, outbox);
}

MonoTime TypeLookup::next_deadline() const {
    MonoTime deadline = std::min(queries_.next_deadline(), answers_.next_deadline());
    for (const Topic* topic : {&requests_, &replies_}) {
        deadline =
            std::min({deadline, topic->writer.next_deadline(), topic->reader.next_deadline()});
    }
    return deadline;
}

std::optional<TypeLookupEvent> TypeLookup::next_event() {
    if (events_.empty()) return std::nullopt;
    TypeLookupEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
}

void TypeLookup::send_requests(MonoTime now) {
    while (auto query = queries_.next_request(now, events_)) {
        TypeLookupRequest request;
        request.identity = {to_octets(Guid{own_, entity::type_request_writer}), query->number};
        request.instance_name = type_lookup_instance(query->peer);
        request.ids = std::move(query->ids);
        const auto remote = remotes_.find(query->peer);
        request.delimited = remote != remotes_.end() && remote->second.vendor == vendor::eprosima;

        rtps::Change change;
        change.payload = encode_type_lookup_request(request);
        change.only_for = query->peer;
        // A repetition replaces what it repeats.
        change.instance.emplace();
        std::memcpy(change.instance->data(), &query->number, sizeof(query->number));
        requests_.writer.add(std::move(change));
    }
}

void TypeLookup::send_replies(MonoTime now) {
    while (auto answer = answers_.next_answer(now)) {
        for (Buffer& reply : answer->replies) {
            rtps::Change change;
            change.payload = std::move(reply);
            change.only_for = answer->peer;
            replies_.writer.add(std::move(change));
        }
    }
}

void TypeLookup::take_samples() {
    for (const rtps::ReceivedSample& sample : received_) {
        if (sample.irrelevant || sample.payload_kind != PayloadKind::data) continue;
        if (sample.writer.entity == entity::type_request_writer) {
            take_request(sample);
        } else {
            take_reply(sample);
        }
    }
    received_.clear();
}

void TypeLookup::take_request(const rtps::ReceivedSample& sample) {
    auto request = decode_type_lookup_request(sample.payload.view(), options_.message_limits);
    if (!request) {
        events_.emplace_back(MalformedAnnouncement{sample.writer, request.error()});
        return;
    }
    if (!concerns_instance(request->instance_name, own_)) return;
    answers_.take(sample.writer.prefix, std::move(*request));
}

void TypeLookup::take_reply(const rtps::ReceivedSample& sample) {
    const auto reply = decode_type_lookup_reply(sample.payload.view(), options_.message_limits);
    if (!reply) {
        events_.emplace_back(MalformedAnnouncement{sample.writer, reply.error()});
        return;
    }
    queries_.take(sample.writer, *reply, events_);
}

void TypeLookup::drop_acknowledgements() {
    for (Topic* topic : {&requests_, &replies_}) {
        while (topic->writer.next_event()) {
            // Nobody waits for these.
        }
    }
}

}  // namespace durability::discovery
