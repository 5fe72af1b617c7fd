#include "participant/participant.hpp"

#include <algorithm>
#include <optional>
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

discovery::TypeLookupOptions type_lookup_options(const ParticipantOptions& options) {
    discovery::TypeLookupOptions type_lookup = options.type_lookup;
    type_lookup.first_number = options.sedp.first_number;
    type_lookup.first_count = options.first_count;
    return type_lookup;
}

}  // namespace

Participant::Participant(ParticipantOptions options)
    : prefix_(options.own.guid.prefix),
      options_(std::move(options)),
      outbox_(own_header(prefix_, vendor::own)),
      spdp_outbox_(own_header(prefix_, options_.spdp_header_vendor)),
      spdp_(options_.own, options_.spdp),
      sedp_(prefix_, sedp_options(options_)),
      type_lookup_(prefix_, type_lookup_options(options_)) {}

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
    type_lookup_.tick(now, outbox_);
}

void Participant::set_locators(std::vector<Locator> metatraffic,
                               std::vector<Locator> user,
                               MonoTime now) {
    discovery::ParticipantData own = spdp_.own();
    own.metatraffic_unicast = std::move(metatraffic);
    own.default_unicast = std::move(user);
    spdp_.set_own(std::move(own), now);
}

void Participant::set_properties(discovery::Properties properties, MonoTime now) {
    discovery::ParticipantData own = spdp_.own();
    if (own.properties == properties) return;
    own.properties = std::move(properties);
    spdp_.set_own(std::move(own), now);
}

void Participant::goodbye() {
    spdp_.goodbye(spdp_outbox_);
}

// --- receiving ---

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

    // Of the submessages so far; both change with INFO_* in the middle of a message.
    std::optional<std::pair<GuidPrefix, GuidPrefix>> renewed;
    while (auto submessage = reader.next()) {
        if (!*submessage) {
            ++counters_.malformed;
            events_.emplace_back(MalformedDatagram{sender, submessage->error()});
            break;
        }
        const wire::ReceiverState& state = reader.state();
        if (state.destination != unknown_prefix && state.destination != prefix_) continue;
        if (state.source == prefix_ || spdp_.is_ignored(state.source)) continue;
        if (const std::pair named{state.source, state.destination}; renewed != named) {
            spdp_.renew(state.source,
                        now,
                        state.destination == prefix_ ? discovery::Addressed::us
                                                     : discovery::Addressed::everybody);
            renewed = named;
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
    last_paused_ = matched->second.paused;
    return last_reader_;
}

// `receive(reader, writer, samples)` hands a sample, or a part of one, to a reader of either kind.
template <class Receive>
void Participant::deliver(const Guid& writer, Receive receive) {
    for_each_shadow(writer,
                    [&](rtps::StatefulReader& shadow) { receive(shadow, writer, dropped_); });
    IngestReader* reader = reader_of(writer);
    if (reader == nullptr) return;
    if (paused_ || last_paused_) {
        ++counters_.dropped_while_paused;
        return;
    }
    if (reader->reliable) {
        receive(*reader->reliable, writer, samples_);
    } else {
        receive(*reader->best_effort, writer, samples_);
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
    if (discovery::TypeLookup::concerns(data.reader, data.writer)) {
        type_lookup_.on_data(state, data, now);
        return;
    }
    deliver({state.source, data.writer}, [&](auto& reader, const Guid& writer, auto& samples) {
        reader.on_data(writer, data, state.timestamp, now, samples);
    });
}

void Participant::on(const wire::DataFrag& data_frag,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(data_frag.reader, data_frag.writer)) {
        sedp_.on_data_frag(state, data_frag, now);
        return;
    }
    if (discovery::TypeLookup::concerns(data_frag.reader, data_frag.writer)) {
        type_lookup_.on_data_frag(state, data_frag, now);
        return;
    }
    deliver({state.source, data_frag.writer}, [&](auto& reader, const Guid& writer, auto& samples) {
        reader.on_data_frag(writer, data_frag, state.timestamp, now, samples);
    });
}

void Participant::on(const wire::Heartbeat& heartbeat,
                     const wire::ReceiverState& state,
                     MonoTime now) {
    if (discovery::Sedp::concerns(heartbeat.reader, heartbeat.writer)) {
        sedp_.on_heartbeat(state, heartbeat, now, outbox_);
        return;
    }
    if (discovery::TypeLookup::concerns(heartbeat.reader, heartbeat.writer)) {
        type_lookup_.on_heartbeat(state, heartbeat, now, outbox_);
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
    if (reader->reliable->numbering_restarted(writer)) {
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
    if (discovery::TypeLookup::concerns(heartbeat_frag.reader, heartbeat_frag.writer)) {
        type_lookup_.on_heartbeat_frag(state, heartbeat_frag, now, outbox_);
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
    if (discovery::TypeLookup::concerns(gap.reader, gap.writer)) {
        type_lookup_.on_gap(state, gap, now);
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
    if (discovery::TypeLookup::concerns(acknack.reader, acknack.writer)) {
        type_lookup_.on_acknack(state, acknack, now, outbox_);
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
    if (discovery::TypeLookup::concerns(nack_frag.reader, nack_frag.writer)) {
        type_lookup_.on_nack_frag(state, nack_frag, now, outbox_);
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

// --- time and output ---

void Participant::tick(MonoTime now) {
    if (spdp_.next_deadline() <= now) spdp_.tick(now, spdp_outbox_);
    collect_events();
    if (sedp_.next_deadline() <= now) sedp_.tick(now, outbox_);
    if (type_lookup_.next_deadline() <= now) type_lookup_.tick(now, outbox_);
    for (auto& [id, reader] : readers_) {
        if (!reader.reliable || reader.reliable->next_deadline() > now) continue;
        const std::size_t before = samples_.size();
        reader.reliable->tick(now, outbox_, samples_);
        if (shadowed_ > 0) drop_shadowed(id, before);
    }
    repeat_probes(now);
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
    MonoTime due = std::min(
        {spdp_.next_deadline(), sedp_.next_deadline(), type_lookup_.next_deadline(), replay_due_});
    for (const auto& [id, reader] : readers_) {
        if (reader.reliable) due = std::min(due, reader.reliable->next_deadline());
    }
    for (const auto& [writer, probe] : probes_)
        due = std::min(due, probe.again);
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
                    // It may have come and gone within one datagram.
                    const auto* remote = spdp_.find(found.data.guid.prefix);
                    if (remote != nullptr) {
                        sedp_.add_participant(found, remote->heard, outbox_);
                        type_lookup_.add_participant(found, remote->heard, outbox_);
                    }
                } else if constexpr (std::is_same_v<T, discovery::ParticipantChanged>) {
                    const auto* remote = spdp_.find(found.data.guid.prefix);
                    if (remote != nullptr) {
                        sedp_.change_participant(found.data, remote->heard, outbox_);
                        type_lookup_.change_participant(found.data, remote->heard, outbox_);
                    }
                } else if constexpr (std::is_same_v<T, discovery::ParticipantLost>) {
                    sedp_.remove_participant(found.prefix, found.reason);
                    type_lookup_.remove_participant(found.prefix);
                }
                events_.emplace_back(std::move(found));
            },
            *event);
    }
    while (auto event = sedp_.next_event()) {
        std::visit([&](auto& found) { events_.emplace_back(std::move(found)); }, *event);
    }
    while (auto event = type_lookup_.next_event()) {
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

}  // namespace durability::participant
