#include "participant/participant.hpp"

#include "discovery/locator_choice.hpp"
#include "discovery/peer_facts.hpp"

#include <algorithm>
#include <utility>

namespace durability::participant {
namespace {

wire::Header own_header(const GuidPrefix& prefix, VendorId vendor_id) {
    wire::Header header;
    header.version = ProtocolVersion{2, 5};
    header.vendor = vendor_id;
    header.prefix = prefix;
    return header;
}

// The participant's options with the counts and limits that its parts share.
discovery::SedpOptions sedp_options(const ParticipantOptions& options) {
    discovery::SedpOptions sedp = options.sedp;
    sedp.first_count = options.first_count;
    return sedp;
}

}  // namespace

Participant::Participant(ParticipantOptions options)
    : prefix_(options.own.guid.prefix),
      options_(std::move(options)),
      outbox_(own_header(prefix_, vendor::own)),
      spdp_outbox_(own_header(prefix_, options_.spdp_header_vendor)),
      spdp_(options_.own, options_.spdp),
      sedp_(prefix_, sedp_options(options_)) {}

void Participant::ignore(const GuidPrefix& prefix) {
    spdp_.ignore(prefix);
}

void Participant::restore_peer(const discovery::ParticipantData& peer, MonoTime now) {
    if (spdp_.restore(peer, now)) collect_events();
}

void Participant::start(MonoTime now) {
    spdp_.start(now, spdp_outbox_);
    collect_events();
    // Remembered peers are addressed at once: they will not speak first (fact sheet 12.3).
    sedp_.tick(now, outbox_);
}

void Participant::goodbye() {
    spdp_.goodbye(spdp_outbox_);
}

// --- receiving
// -------------------------------------------------------------------------------------

void Participant::receive(ByteView datagram, const Locator& from, MonoTime now) {
    ++counters_.datagrams;
    last_input_ = now;
    wire::MessageReader reader(datagram);
    if (!reader.header()) {
        ++counters_.malformed;
        events_.emplace_back(MalformedDatagram{{}, reader.header().error()});
        return;
    }
    const GuidPrefix sender = reader.header()->prefix;
    if (sender == prefix_ || spdp_.is_ignored(sender)) return;

    bool renewed = false;
    while (auto submessage = reader.next()) {
        if (!*submessage) {
            ++counters_.malformed;
            events_.emplace_back(MalformedDatagram{sender, submessage->error()});
            break;
        }
        const wire::ReceiverState& state = reader.state();
        if (state.destination != unknown_prefix && state.destination != prefix_) continue;
        if (state.source == prefix_ || spdp_.is_ignored(state.source)) continue;
        if (!renewed || state.source != sender) {
            spdp_.renew(state.source,
                        now,
                        state.destination == prefix_ ? discovery::Addressed::us
                                                     : discovery::Addressed::everybody);
            renewed = true;
        }
        dispatch(**submessage, state, from, now);
    }
    collect_events();
}

void Participant::dispatch(const wire::Submessage& submessage,
                           const wire::ReceiverState& state,
                           const Locator& from,
                           MonoTime now) {
    if (const auto* data = std::get_if<wire::Data>(&submessage)) {
        on(*data, state, from, now);
    } else if (const auto* fragment = std::get_if<wire::DataFrag>(&submessage)) {
        on(*fragment, state, now);
    } else if (const auto* heartbeat = std::get_if<wire::Heartbeat>(&submessage)) {
        on(*heartbeat, state, now);
    } else if (const auto* acknack = std::get_if<wire::AckNack>(&submessage)) {
        on(*acknack, state, now);
    } else if (const auto* gap = std::get_if<wire::Gap>(&submessage)) {
        on(*gap, state, now);
    } else if (const auto* nack = std::get_if<wire::NackFrag>(&submessage)) {
        on(*nack, state, now);
    } else if (const auto* heartbeat_frag = std::get_if<wire::HeartbeatFrag>(&submessage)) {
        on(*heartbeat_frag, state, now);
    }
}

Participant::IngestReader* Participant::reader_of(const Guid& writer) {
    if (last_reader_ != nullptr && writer == last_writer_) return last_reader_;
    const auto matched = writers_.find(writer);
    if (matched == writers_.end()) return nullptr;
    const auto reader = readers_.find(matched->second.reader);
    if (reader == readers_.end()) return nullptr;
    last_writer_ = writer;
    last_reader_ = &reader->second;
    return last_reader_;
}

template <class Act>
void Participant::for_each_shadow(const Guid& writer, Act act) {
    if (shadowed_ == 0) return;
    const auto source = writers_.find(writer);
    if (source == writers_.end()) return;
    for (const EntityId id : source->second.shadows) {
        const auto reader = readers_.find(id);
        if (reader == readers_.end() || !reader->second.reliable) continue;
        act(*reader->second.reliable);
        dropped_.clear();
        if (!source->second.discard) continue;
        if (const auto status = reader->second.reliable->status(writer)) {
            reader->second.reliable->committed(writer, status->received, last_input_, outbox_);
        }
    }
}

void Participant::on(const wire::Data& data,
                     const wire::ReceiverState& state,
                     const Locator& from,
                     MonoTime now) {
    if (data.writer == entity::spdp_writer) {
        spdp_.on_data(state, from, data, now, spdp_outbox_);
        return;
    }
    if (discovery::Sedp::concerns(data.reader, data.writer)) {
        sedp_.on_data(state, data, now);
        return;
    }
    const Guid writer{state.source, data.writer};
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) {
        shadow.on_data(writer, data, state.timestamp, now, dropped_);
    });
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr) return;
    if (paused_) {
        ++counters_.dropped_while_paused;
        return;
    }
    if (reader->reliable) {
        reader->reliable->on_data(writer, data, state.timestamp, now, samples_);
    } else {
        reader->best_effort->on_data(writer, data, state.timestamp, now, samples_);
    }
}

void Participant::on(const wire::DataFrag& data_frag,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(data_frag.reader, data_frag.writer)) {
        sedp_.on_data_frag(state, data_frag, now);
        return;
    }
    const Guid writer{state.source, data_frag.writer};
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) {
        shadow.on_data_frag(writer, data_frag, state.timestamp, now, dropped_);
    });
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr) return;
    if (paused_) {
        ++counters_.dropped_while_paused;
        return;
    }
    if (reader->reliable) {
        reader->reliable->on_data_frag(writer, data_frag, state.timestamp, now, samples_);
    } else {
        reader->best_effort->on_data_frag(writer, data_frag, state.timestamp, now, samples_);
    }
}

void Participant::on(const wire::Heartbeat& heartbeat,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(heartbeat.reader, heartbeat.writer)) {
        sedp_.on_heartbeat(state, heartbeat, now, outbox_);
        return;
    }
    const Guid writer{state.source, heartbeat.writer};
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) {
        shadow.on_heartbeat(writer, heartbeat, now, outbox_, dropped_);
    });
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr || !reader->reliable) return;
    reader->reliable->on_heartbeat(writer, heartbeat, now, outbox_, samples_);
    if (const auto probe = probes_.find(writer); probe != probes_.end()) {
        probes_.erase(probe);
        events_.emplace_back(WriterAnswered{writer, {heartbeat.first, heartbeat.last}});
    }
    if (const auto status = reader->reliable->status(writer);
        status && status->numbering_restarted) {
        events_.emplace_back(NumberingRestarted{reader->reliable->id(), writer});
    }
}

void Participant::on(const wire::HeartbeatFrag& heartbeat_frag,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(heartbeat_frag.reader, heartbeat_frag.writer)) {
        sedp_.on_heartbeat_frag(state, heartbeat_frag, now, outbox_);
        return;
    }
    const Guid writer{state.source, heartbeat_frag.writer};
    IngestReader* reader = reader_of(writer);
    if (reader != nullptr && reader->reliable) {
        reader->reliable->on_heartbeat_frag(writer, heartbeat_frag, now, outbox_);
    }
}

void Participant::on(const wire::Gap& gap, const wire::ReceiverState& state, MonoTime now) {
    if (discovery::Sedp::concerns(gap.reader, gap.writer)) {
        sedp_.on_gap(state, gap, now);
        return;
    }
    const Guid writer{state.source, gap.writer};
    for_each_shadow(
        writer, [&](rtps::StatefulReader& shadow) { shadow.on_gap(writer, gap, now, dropped_); });
    IngestReader* reader = reader_of(writer);
    if (reader != nullptr && reader->reliable) reader->reliable->on_gap(writer, gap, now, samples_);
}

void Participant::on(const wire::AckNack& acknack, const wire::ReceiverState& state, MonoTime now) {
    if (discovery::Sedp::concerns(acknack.reader, acknack.writer)) {
        sedp_.on_acknack(state, acknack, now, outbox_);
        return;
    }
    const auto replay = replays_.find(acknack.writer);
    if (replay == replays_.end()) return;
    const Guid reader{state.source, acknack.reader};
    if (!replay->second.writer->is_matched(reader)) return;
    events_.emplace_back(ReaderSpoke{acknack.writer, reader});
    replay->second.writer->on_acknack(reader, acknack, now, outbox_);
    touch(acknack.writer, replay->second);
}

void Participant::on(const wire::NackFrag& nack_frag,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(nack_frag.reader, nack_frag.writer)) {
        sedp_.on_nack_frag(state, nack_frag, now, outbox_);
        return;
    }
    const auto replay = replays_.find(nack_frag.writer);
    if (replay == replays_.end()) return;
    replay->second.writer->on_nack_frag({state.source, nack_frag.reader}, nack_frag, now, outbox_);
    touch(nack_frag.writer, replay->second);
}

void Participant::unreachable(const Locator& locator) {
    for (auto probe = probes_.begin(); probe != probes_.end();) {
        const rtps::DestinationPtr& destination = probe->second.destination;
        if (destination == nullptr ||
            std::ranges::find(destination->locators, locator) == destination->locators.end()) {
            ++probe;
            continue;
        }
        events_.emplace_back(WriterSilent{probe->first});
        probe = probes_.erase(probe);
    }
}

// --- time and output
// -------------------------------------------------------------------------------

void Participant::tick(MonoTime now) {
    if (spdp_.next_deadline() <= now) spdp_.tick(now, spdp_outbox_);
    collect_events();
    if (sedp_.next_deadline() <= now) sedp_.tick(now, outbox_);
    for (auto& [id, reader] : readers_) {
        if (!reader.reliable || reader.reliable->next_deadline() > now) continue;
        const std::size_t before = samples_.size();
        reader.reliable->tick(now, outbox_, samples_);
        if (shadowed_ > 0) drop_shadowed(id, before);
    }
    if (replay_due_ <= now) {
        replay_due_ = MonoTime::max();
        for (auto& [id, replay] : replays_) {
            if (replay.due <= now) {
                replay.writer->tick(now, outbox_);
                touch(id, replay);
            }
            replay_due_ = std::min(replay_due_, replay.due);
        }
    }
    collect_events();
}

MonoTime Participant::next_deadline() const {
    MonoTime due = std::min({spdp_.next_deadline(), sedp_.next_deadline(), replay_due_});
    for (const auto& [id, reader] : readers_) {
        if (reader.reliable) due = std::min(due, reader.reliable->next_deadline());
    }
    return due;
}

std::optional<rtps::Transmit> Participant::next_transmit() {
    // Discovery first: what is sent for endpoints a peer has not heard of is lost.
    if (auto transmit = spdp_outbox_.next_transmit()) return transmit;
    return outbox_.next_transmit();
}

void Participant::collect_events() {
    while (auto event = spdp_.next_event()) {
        std::visit(
            [&](auto& found) {
                using T = std::decay_t<decltype(found)>;
                // Deadlines of the machines are in the future; they are driven by the next tick().
                if constexpr (std::is_same_v<T, discovery::ParticipantFound>) {
                    sedp_.add_participant(
                        found, spdp_.find(found.data.guid.prefix)->heard, outbox_);
                } else if constexpr (std::is_same_v<T, discovery::ParticipantChanged>) {
                    const auto* remote = spdp_.find(found.data.guid.prefix);
                    if (remote != nullptr)
                        sedp_.change_participant(found.data, remote->heard, outbox_);
                } else if constexpr (std::is_same_v<T, discovery::ParticipantLost>) {
                    sedp_.remove_participant(found.prefix, found.reason);
                }
                events_.emplace_back(std::move(found));
            },
            *event);
    }
    while (auto event = sedp_.next_event()) {
        std::visit([&](auto& found) { events_.emplace_back(std::move(found)); }, *event);
    }
}

std::optional<ParticipantEvent> Participant::next_event() {
    if (events_.empty()) return std::nullopt;
    ParticipantEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
}

std::int32_t Participant::last_count() const {
    return outbox_.last_count();
}

// --- endpoints
// -------------------------------------------------------------------------------------

void Participant::add_reader(const discovery::EndpointData& data, MonoTime now) {
    (void)now;
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
                                    const rtps::ReplayOptions& options,
                                    MonoTime now) {
    (void)now;
    rtps::ReplayOptions own = options;
    own.first_count = options_.first_count;
    replays_[data.guid.entity].writer = std::make_unique<rtps::ReplayWriter>(data.guid.entity, own);
    sedp_.announce(data);
}

void Participant::retract(EntityId id, MonoTime now) {
    (void)now;
    sedp_.retract(id);
    std::erase_if(writers_, [id](const auto& entry) { return entry.second.reader == id; });
    for (auto& [writer, source] : writers_)
        std::erase(source.shadows, id);
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

// --- ingest
// ----------------------------------------------------------------------------------------

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

void Participant::committed(const Guid& writer, SequenceNumber through, MonoTime now) {
    last_input_ = now;
    IngestReader* reader = reader_of(writer);
    if (reader != nullptr && reader->reliable)
        reader->reliable->committed(writer, through, now, outbox_);
    for_each_shadow(writer, [&](rtps::StatefulReader& shadow) {
        shadow.committed(writer, through, now, outbox_);
    });
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

void Participant::probe_writer(const Guid& writer, MonoTime now) {
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr || !reader->reliable) return;
    const discovery::EndpointData* data = sedp_.find_writer(writer);
    probes_[writer] = Probe{data == nullptr ? nullptr : destination_of(*data)};
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

// --- replay
// ----------------------------------------------------------------------------------------

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
                                 SequenceNumber last_used) {
    const auto replay = replays_.find(replay_writer);
    if (replay != replays_.end()) replay->second.writer->resume_process(process, last_used);
}

void Participant::forget_process(const GuidPrefix& process) {
    for (auto& [id, replay] : replays_)
        replay.writer->forget_process(process);
}

void Participant::match_reader(EntityId replay_writer,
                               const discovery::EndpointData& reader,
                               const rtps::ReplayReaderTraits& traits,
                               MonoTime now) {
    const auto replay = replays_.find(replay_writer);
    auto destination = destination_of(reader);
    if (replay == replays_.end() || destination == nullptr) return;
    replay->second.writer->match(reader.guid, std::move(destination), traits, now);
}

void Participant::unmatch_reader(EntityId replay_writer, const Guid& reader) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return;
    replay->second.writer->unmatch(reader);
    touch(replay_writer, replay->second);
}

SequenceNumber Participant::begin_history(EntityId replay_writer,
                                          const Guid& reader,
                                          std::span<const rtps::HistoryItem> history,
                                          MonoTime now) {
    const auto replay = replays_.find(replay_writer);
    if (replay == replays_.end()) return {0};
    const SequenceNumber last = replay->second.writer->begin(reader, history, now);
    touch(replay_writer, replay->second);
    return last;
}

std::optional<Participant::PayloadRequest> Participant::next_payload_request() {
    while (!payload_wishes_.empty()) {
        const EntityId id = payload_wishes_.front();
        const auto replay = replays_.find(id);
        if (replay != replays_.end()) {
            if (auto read = replay->second.writer->next_read()) {
                return PayloadRequest{id, read->reader, std::move(read->arrivals)};
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

const rtps::ReplayWriter* Participant::replay_writer(EntityId id) const {
    const auto replay = replays_.find(id);
    return replay == replays_.end() ? nullptr : replay->second.writer.get();
}

}  // namespace durability::participant
