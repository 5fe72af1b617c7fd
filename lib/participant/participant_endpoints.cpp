// Endpoints of ours: created and matched as the service decides. What arrives for them is routed in
// participant.cpp.
#include "discovery/locator_choice.hpp"
#include "discovery/peer_facts.hpp"
#include "model/rtps_time.hpp"
#include "participant/participant.hpp"

#include <algorithm>
#include <utility>

namespace durability::participant {
namespace {

constexpr Duration first_probe_delay = std::chrono::milliseconds{50};
constexpr Duration early_probe_delay = std::chrono::milliseconds{200};
constexpr int early_probes = 20;
constexpr Duration max_probe_delay = std::chrono::seconds{30};

}  // namespace

void Participant::add_reader(const discovery::EndpointData& data) {
    const EntityId id = data.guid.entity;
    IngestReader& reader = readers_[id];
    if (data.qos.reliability == ReliabilityKind::reliable) {
        rtps::ReaderOptions options;
        options.ack = rtps::AckPolicy::on_commit;
        options.limits = options_.reader_limits;
        options.first_count = options_.first_count;
        reader.reliable = std::make_unique<rtps::StatefulReader>(id, options);
    } else {
        reader.best_effort =
            std::make_unique<rtps::BestEffortReader>(id, options_.reader_limits.fragments);
    }
    last_reader_ = nullptr;
    sedp_.announce(data);
}

void Participant::add_replay_writer(const discovery::EndpointData& data,
                                    const rtps::ReplayOptions& options) {
    create_replay_writer(data.guid.entity, options);
    announce_replay_writer(data);
}

void Participant::create_replay_writer(EntityId id, const rtps::ReplayOptions& options) {
    rtps::ReplayOptions own = options;
    own.first_count = options_.first_count;
    replays_[id].writer = std::make_unique<rtps::ReplayWriter>(id, own);
}

void Participant::announce_replay_writer(const discovery::EndpointData& data) {
    const auto& liveliness = data.qos.liveliness;
    const bool by_topic =
        liveliness.kind == LivelinessKind::manual_by_topic && !liveliness.lease_duration.infinite();
    if (const auto replay = replays_.find(data.guid.entity); replay != replays_.end()) {
        // A third, so that one lost message does no harm.
        replay->second.writer->assert_liveliness_every(
            by_topic ? to_duration(liveliness.lease_duration) / 3 : infinite_duration);
    }
    sedp_.announce(data);
}

void Participant::retract(EntityId id) {
    sedp_.retract(id);
    std::erase_if(writers_, [id](const auto& entry) { return entry.second.reader == id; });
    for (auto& [writer, source] : writers_)
        std::erase(source.shadows, id);
    shadowed_ = static_cast<std::size_t>(std::ranges::count_if(
        writers_, [](const auto& entry) { return !entry.second.shadows.empty(); }));
    readers_.erase(id);
    replays_.erase(id);
    last_reader_ = nullptr;
}

rtps::DestinationPtr Participant::destination_of(const discovery::EndpointData& endpoint) const {
    const discovery::RemoteParticipant* remote = spdp_.find(endpoint.guid.prefix);
    if (remote == nullptr) return nullptr;
    if (endpoint.unicast.empty()) return remote->user;
    // Locators of an endpoint override those of its participant (fact sheet 1.3).
    auto own =
        discovery::choose_locators(endpoint.unicast, {}, std::nullopt, remote->user->locators);
    if (own.empty() || own == remote->user->locators) return remote->user;
    auto destination = std::make_shared<rtps::Destination>(*remote->user);
    destination->locators = std::move(own);
    return destination;
}

Participant::Reach Participant::reach(const discovery::EndpointData& endpoint) const {
    const auto destination = destination_of(endpoint);
    if (destination == nullptr) return Reach::unknown_participant;
    return destination->locators.empty() ? Reach::no_address : Reach::reachable;
}

// --- types ---

void Participant::look_up_types(const GuidPrefix& peer,
                                const std::vector<types::TypeId>& ids,
                                MonoTime now) {
    type_lookup_.look_up(peer, ids, now);
    collect_events();
}

bool Participant::offer_type(const types::TypeId& id,
                             Buffer object,
                             std::vector<types::TypeId> dependencies) {
    return type_lookup_.offer(id, std::move(object), std::move(dependencies));
}

void Participant::withdraw_type(const types::TypeId& id) {
    type_lookup_.withdraw(id);
}

// --- ingest ---

void Participant::match_writer(EntityId reader,
                               const discovery::EndpointData& writer,
                               const rtps::MatchOptions& options,
                               MonoTime now) {
    const auto entry = readers_.find(reader);
    auto destination = destination_of(writer);
    if (entry == readers_.end() || destination == nullptr) return;
    writers_[writer.guid].reader = reader;
    last_reader_ = nullptr;
    if (entry->second.reliable) {
        entry->second.reliable->match(writer.guid, std::move(destination), options, now);
    } else {
        entry->second.best_effort->match(writer.guid, options.resume_after);
    }
}

void Participant::match_shadow(EntityId reader,
                               const discovery::EndpointData& writer,
                               bool discard,
                               MonoTime now) {
    const auto entry = readers_.find(reader);
    auto destination = destination_of(writer);
    if (entry == readers_.end() || !entry->second.reliable || destination == nullptr) return;
    Source& source = writers_[writer.guid];
    source.discard = discard;
    if (source.reader == reader ||
        std::ranges::find(source.shadows, reader) != source.shadows.end())
        return;
    if (source.shadows.empty()) ++shadowed_;
    source.shadows.push_back(reader);
    rtps::MatchOptions options;
    // What was committed before is acknowledged from the start.
    if (const auto status = writer_status(writer.guid)) options.resume_after = status->committed;
    entry->second.reliable->match(writer.guid, std::move(destination), options, now);
}

// What tick() delivered for writers whose samples another reader takes.
void Participant::drop_shadowed(EntityId reader, std::size_t from) {
    const auto shadowed = [&](const rtps::ReceivedSample& sample) {
        const auto source = writers_.find(sample.writer);
        return source != writers_.end() && source->second.reader != reader;
    };
    samples_.erase(
        std::remove_if(
            samples_.begin() + static_cast<std::ptrdiff_t>(from), samples_.end(), shadowed),
        samples_.end());
}

void Participant::unmatch_writer(const Guid& writer) {
    const auto source = writers_.find(writer);
    if (source == writers_.end()) return;
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) { shadow.unmatch(writer); });
    if (!source->second.shadows.empty()) --shadowed_;
    if (IngestReader* reader = reader_of(writer)) {
        if (reader->reliable) {
            reader->reliable->unmatch(writer, samples_);
        } else {
            reader->best_effort->unmatch(writer);
        }
    }
    writers_.erase(source);
    probes_.erase(writer);
    last_reader_ = nullptr;
}

void Participant::pause_writer(const Guid& writer, bool paused) {
    const auto source = writers_.find(writer);
    if (source == writers_.end()) return;
    source->second.paused = paused;
    last_reader_ = nullptr;
}

void Participant::committed(const Guid& writer, SequenceNumber through, MonoTime now) {
    last_input_ = now;
    IngestReader* reader = reader_of(writer);
    if (reader != nullptr && reader->reliable)
        reader->reliable->committed(writer, through, now, outbox_);
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) {
        shadow.committed(writer, through, now, outbox_);
    });
}

void Participant::repeat_probes(MonoTime now) {
    for (auto& [writer, probe] : probes_) {
        if (probe.again > now) continue;
        // Quickly at first: a living writer whose answers are lost is taken for dead.
        const bool is_early = ++probe.times <= early_probes;
        probe.delay = std::min(probe.delay * 2, is_early ? early_probe_delay : max_probe_delay);
        probe.again = after(now, probe.delay);
        IngestReader* reader = reader_of(writer);
        if (reader != nullptr && reader->reliable) reader->reliable->probe(writer, now, outbox_);
    }
}

// Fast DDS has ports of its own for each participant: a younger one at the same address took the
// place of a process that died without a word.
bool Participant::replaced(const discovery::RemoteParticipant& owner) const {
    if (owner.data.vendor != vendor::eprosima) return false;
    return std::ranges::any_of(spdp_.participants(), [&](const auto& entry) {
        const discovery::RemoteParticipant& other = entry.second;
        return &other != &owner && other.heard > owner.heard &&
               other.data.vendor == vendor::eprosima &&
               other.user->locators == owner.user->locators;
    });
}

void Participant::deny_restart(const Guid& writer, MonoTime now) {
    IngestReader* reader = reader_of(writer);
    if (reader != nullptr && reader->reliable) reader->reliable->deny_restart(writer, now, outbox_);
}

void Participant::probe_writer(const Guid& writer, MonoTime now) {
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr || !reader->reliable) return;
    const discovery::EndpointData* data = sedp_.find_writer(writer);
    probes_[writer] = Probe{data == nullptr ? nullptr : destination_of(*data),
                            after(now, first_probe_delay),
                            first_probe_delay};
    if (const discovery::RemoteParticipant* owner = spdp_.find(writer.prefix);
        owner != nullptr && replaced(*owner)) {
        probes_.erase(writer);
        events_.emplace_back(WriterSilent{writer});
        return;
    }
    reader->reliable->probe(writer, now, outbox_);
}

std::optional<rtps::WriterStatus> Participant::writer_status(const Guid& writer) const {
    const auto matched = writers_.find(writer);
    if (matched == writers_.end()) return std::nullopt;
    const auto reader = readers_.find(matched->second.reader);
    if (reader == readers_.end()) return std::nullopt;
    if (reader->second.reliable) return reader->second.reliable->status(writer);
    const auto best_effort = reader->second.best_effort->status(writer);
    if (!best_effort) return std::nullopt;
    rtps::WriterStatus status;
    status.received = best_effort->last;
    status.committed = best_effort->last;
    status.samples = best_effort->received;
    status.lost = best_effort->lost;
    status.duplicates = best_effort->duplicates;
    return status;
}

// --- replay ---

void Participant::touch(EntityId id, Replay& replay) {
    replay.due = replay.writer->next_deadline();
    replay_due_ = std::min(replay_due_, replay.due);
    if (!replay.may_want_payloads) {
        replay.may_want_payloads = true;
        payload_wishes_.push_back(id);
    }
    while (auto completed = replay.writer->next_completed()) {
        events_.emplace_back(HistoryDelivered{id, completed->reader});
    }
}

void Participant::resume_process(EntityId replay_writer,
                                 const GuidPrefix& process,
                                 rtps::ReplayNumbers numbers) {
    const auto replay = replays_.find(replay_writer);
    if (replay != replays_.end()) {
        replay->second.writer->resume_process(process, std::move(numbers));
    }
}

void Participant::forget_process(const GuidPrefix& process) {
    for (auto& [id, replay] : replays_)
        replay.writer->forget_process(process);
}

void Participant::match_reader(EntityId replay_writer,
                               const discovery::EndpointData& reader,
                               const rtps::ReplayReaderTraits& traits) {
    const auto replay = replays_.find(replay_writer);
    auto destination = destination_of(reader);
    if (replay == replays_.end() || destination == nullptr) return;
    replay->second.writer->match(reader.guid, std::move(destination), traits);
}

void Participant::unmatch_reader(EntityId replay_writer, const Guid& reader) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return;
    replay->second.writer->unmatch(reader);
    touch(replay_writer, replay->second);
}

void Participant::number_history(EntityId replay_writer,
                                 const GuidPrefix& process,
                                 std::span<const ArrivalRange> history,
                                 std::span<const ArrivalRange> open) {
    const auto replay = replays_.find(replay_writer);
    if (replay != replays_.end()) replay->second.writer->number(process, history, open);
}

void Participant::prepare_history(EntityId replay_writer,
                                  const Guid& reader,
                                  std::span<const ArrivalRange> history,
                                  std::span<const ArrivalRange> open,
                                  bool ends_sets) {
    const auto replay = replays_.find(replay_writer);
    if (replay != replays_.end()) replay->second.writer->prepare(reader, history, open, ends_sets);
}

void Participant::begin_history(EntityId replay_writer,
                                const Guid& reader,
                                MonoTime now,
                                bool singly) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return;
    replay->second.writer->begin(reader, now, singly);
    touch(replay_writer, replay->second);
}

void Participant::expect_single_reader(EntityId replay_writer, const GuidPrefix& process) {
    const auto replay = replays_.find(replay_writer);
    if (replay != replays_.end()) replay->second.writer->expect_single_reader(process);
}

void Participant::close_history(EntityId replay_writer,
                                const Guid& reader,
                                std::span<const ArrivalRange> send,
                                MonoTime now) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return;
    replay->second.writer->close(reader, send, now);
    touch(replay_writer, replay->second);
}

std::optional<Participant::PayloadRequest> Participant::next_payload_request() {
    while (!payload_wishes_.empty()) {
        const EntityId id = payload_wishes_.front();
        const auto replay = replays_.find(id);
        if (replay != replays_.end()) {
            if (auto read = replay->second.writer->next_read()) {
                // Another replay writer is next.
                payload_wishes_.pop_front();
                payload_wishes_.push_back(id);
                return PayloadRequest{
                    id, read->reader, std::move(read->arrivals), read->max_octets};
            }
            replay->second.may_want_payloads = false;
        }
        payload_wishes_.pop_front();
    }
    return std::nullopt;
}

void Participant::provide_payloads(EntityId replay_writer,
                                   const Guid& reader,
                                   std::vector<rtps::ReplaySample> samples,
                                   MonoTime now) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return;
    replay->second.writer->provide(reader, std::move(samples), now, outbox_);
    touch(replay_writer, replay->second);
}

std::size_t Participant::supersede(EntityId replay_writer,
                                   const Guid& reader,
                                   std::uint64_t instance,
                                   const std::function<bool(Timestamp)>& is_replaced,
                                   MonoTime now) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return 0;
    const std::size_t count = replay->second.writer->supersede(reader, instance, is_replaced, now);
    touch(replay_writer, replay->second);
    return count;
}

const rtps::ReplayWriter* Participant::replay_writer(EntityId id) const {
    const auto replay = replays_.find(id);
    return replay == replays_.end() ? nullptr : replay->second.writer.get();
}

}  // namespace durability::participant
