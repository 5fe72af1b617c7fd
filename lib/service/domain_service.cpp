#include "service/domain_service.hpp"

#include "model/rtps_time.hpp"
#include "service/contract_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// Numbers and counts are written ahead by this much, so that they need not be written with every
// message. SEDP numbers cost a Fast DDS peer time per skipped one (fact sheet 12.2), the others
// cost nothing.
constexpr std::int64_t sedp_reserve = 256;
constexpr std::int64_t spdp_reserve = 100'000;
constexpr std::int32_t count_reserve = 100'000;

wire::StringLimits string_limits(const Limits& limits) {
    wire::StringLimits result;
    result.string_length = limits.string_length;
    result.partitions = limits.partitions_per_endpoint;
    result.partition_length = limits.partition_length;
    return result;
}

rtps::ReaderLimits reader_limits(const Limits& limits) {
    rtps::ReaderLimits result;
    result.fragments.sample_size = limits.sample_size;
    result.fragments.fragments_per_sample = static_cast<std::uint32_t>(limits.fragments_per_sample);
    result.fragments.assemblies = limits.assemblies;
    result.fragments.bytes = limits.assembly_bytes;
    result.reorder_samples_per_writer = limits.reorder_samples_per_writer;
    result.reorder_bytes = limits.reorder_bytes;
    result.repair_retries = static_cast<std::uint32_t>(limits.repair_retries);
    return result;
}

ServiceAnnouncement announcement(const DomainOptions& domain, Side side, const Reserved& reserved) {
    ServiceAnnouncement said;
    said.role = side == Side::replay ? ServiceRole::replay : ServiceRole::ingest;
    said.priority = domain.config.replay.priority;
    said.host = domain.host_name;
    // Written ahead with each start.
    said.run = static_cast<std::uint64_t>(reserved.spdp_number.value);
    return said;
}

participant::ParticipantOptions participant_options(const DomainOptions& domain,
                                                    Side side,
                                                    const Reserved& reserved) {
    const DomainOptions::SideOptions& own = domain.sides[static_cast<std::size_t>(side)];
    const Limits& limits = domain.config.limits;
    participant::ParticipantOptions options;
    options.own.guid = {own.identity.prefix, entity::participant};
    options.own.vendor = vendor::own;
    options.own.metatraffic_unicast = own.metatraffic;
    options.own.default_unicast = own.user;
    options.own.builtin_endpoints = discovery::builtin_endpoint::own;
    options.own.lease = to_qos_duration(domain.config.network_lease);
    options.own.domain_id = domain.domain;
    options.own.entity_name = fmt::format("durabilityd {} {}", name(side), domain.host_name);
    options.own.properties = to_properties(announcement(domain, side, reserved));
    options.spdp.announce_to = domain.announce_to;
    options.spdp.first_number = next(reserved.spdp_number);
    options.spdp.max_participants = limits.remote_participants;
    options.spdp.string_limits = string_limits(limits);
    options.sedp.first_number = next(reserved.sedp_number);
    options.sedp.max_writers = limits.remote_writers;
    options.sedp.max_readers = limits.remote_readers;
    options.sedp.string_limits = string_limits(limits);
    if (domain.config.compatibility.spdp_vendor == SpdpVendor::cyclonedds) {
        options.spdp_header_vendor = vendor::eclipse;
    }
    options.type_lookup.queries.max_pending = limits.type_lookups;
    options.reader_limits = reader_limits(limits);
    options.first_count = reserved.count + 1;
    return options;
}

// How long peers may wait for all topics before they get those that are read already. Peers that
// knew an earlier run have a lease to go by, new ones nothing.
constexpr Duration patience_with_store = std::chrono::seconds{2};

}  // namespace

DomainService::DomainService(DomainOptions options, EventLog& events, RateLimit& rate)
    : options_(std::move(options)),
      context_{options_.config, options_.domain, events, commands_, entities_, groups_} {
    for (const store::Record& record : options_.records) {
        if (record.kind != store::RecordKind::counter || record.key.size() != 2) continue;
        const auto reserved = decode_reserved(record.value);
        if (reserved && record.key[1] < side_count) reserved_[record.key[1]] = *reserved;
    }
    for (const Side side : {Side::ingest, Side::replay}) {
        const auto at = static_cast<std::size_t>(side);
        participants_[at] = std::make_unique<participant::Participant>(
            participant_options(options_, side, reserved_[at]));
    }
    participants_[0]->ignore(options_.sides[1].identity.prefix);
    participants_[1]->ignore(options_.sides[0].identity.prefix);
    types_ = std::make_unique<GroupTypes>(context_, *participants_[0], *participants_[1]);
    ingest_ = std::make_unique<Ingest>(context_, *participants_[0]);
    services_ = std::make_unique<PeerServices>(
        context_, *participants_[1], announcement(options_, Side::replay, reserved_[1]));
    replay_ =
        std::make_unique<Replay>(context_, *participants_[1], *participants_[0], *services_, rate);
}

// --- start ---

void DomainService::start(Now now) {
    started_ = true;
    restore_records(options_.records);
    open_stored_groups(now);
    open_exact_rules(now);
    opening_ = commands_.size();
    options_.records.clear();
    options_.groups.clear();
    reserve_numbers();
    announce_due_ = after(now.mono, patience_with_store);
    if (opening_ == 0) settle(now);
}

void DomainService::set_locators(Side side,
                                 std::vector<Locator> metatraffic,
                                 std::vector<Locator> user,
                                 Now now) {
    participants_[static_cast<std::size_t>(side)]->set_locators(
        std::move(metatraffic), std::move(user), now.mono);
}

void DomainService::restore_records(const std::vector<store::Record>& records) {
    const bool new_replay = options_.sides[static_cast<std::size_t>(Side::replay)].is_new;
    for (const store::Record& record : records) {
        if (record.kind == store::RecordKind::frontier) {
            if (auto numbers = decode_numbers(record.key, record.value)) {
                if (new_replay) {
                    context_.erase(record.kind, record.key);
                } else {
                    replay_->restore(std::move(*numbers));
                }
            } else if (const auto frontier = decode_frontier(record.value)) {
                replay_->restore(*frontier);
            }
        } else if (record.kind == store::RecordKind::identity && record.key.size() > 2 &&
                   record.key[0] == 'e') {
            const auto id = decode_entity(record.value);
            if (!id || record.key[1] >= side_count) continue;
            entities_.restore(static_cast<Side>(record.key[1]),
                              std::string(record.key.begin() + 2, record.key.end()),
                              *id);
        } else if (ingest_->restore_relayed(record.kind, record.key)) {
            continue;
        } else if (const auto yielded_to = yield_of_key(record.key);
                   record.kind == store::RecordKind::identity && yielded_to) {
            services_->restore_yield(*yielded_to);
        } else if (record.kind == store::RecordKind::peer) {
            const auto peer = discovery::decode_participant(
                record.value, string_limits(options_.config.limits), vendor::unknown);
            if (peer) peers_.push_back(*peer);
        }
    }
}

void DomainService::open_stored_groups(Now now) {
    for (const store::OpenedGroup& stored : options_.groups) {
        if (is_served(stored.meta.key)) {
            open_stored(stored.meta, now);
        } else {
            dormant_.emplace(stored.meta.key, stored.meta);
        }
    }
}

// What returns has been announced to the machines; now the network hears of it.
void DomainService::announce(Now now) {
    announced_ = true;
    announce_due_ = MonoTime::max();
    replay_->expect_returning_until(after(now.mono, options_.config.replay.handover_window));
    for (const auto& participant : participants_) {
        for (const discovery::ParticipantData& peer : peers_)
            participant->restore_peer(peer, now.mono);
    }
    peers_.clear();
    services_->start(now);
    for (const auto& participant : participants_)
        participant->start(now.mono);
}

// Everything that returns is there.
void DomainService::settle(Now now) {
    if (serving_) return;
    serving_ = true;
    // Nobody's lease is known to run longer than ours for peers that live; those that come later
    // are taken back from their retirement.
    absent_due_ = after(now.mono, options_.config.network_lease);
    for (const Side side : {Side::ingest, Side::replay})
        retract_unclaimed(side);
    if (!announced_) announce(now);
}

void DomainService::retract_unclaimed(Side side) {
    for (const EntityIds::Unclaimed& gone : entities_.unclaimed(side)) {
        participants_[static_cast<std::size_t>(side)]->retract(gone.id);
        // Should its topic be served again, readers that stayed must not get everything again.
        if (side == Side::replay && replay_->retire_writer(gone.id)) continue;
        entities_.forget(side, gone.description);
        context_.erase(store::RecordKind::identity, entity_key(side, gone.description));
    }
}

void DomainService::goodbye() {
    for (const auto& participant : participants_)
        participant->goodbye();
}

// --- input ---

void DomainService::receive(Side side, ByteView datagram, const Locator& from, Now now) {
    participants_[static_cast<std::size_t>(side)]->receive(datagram, from, now.mono);
    // Samples borrow from the datagram, so they are taken before it goes; events first, because a
    // writer is known before its samples.
    drain_events(side, now);
    if (side == Side::ingest) take_samples(now);
}

void DomainService::take_samples(Now now) {
    ingest_->take_samples(now);
    for (const Ingest::LiveSample& live : ingest_->take_live())
        replay_->on_live(live, now);
}

void DomainService::announce_settled(Now now) {
    while (const auto handle = types_->next_settled()) {
        if (ServedGroup* group = groups_.find(*handle)) replay_->announce(*group, now);
    }
}

void DomainService::note_type_of(const discovery::EndpointData& writer, Now now) {
    ServedGroup* group = groups_.of_writer(writer.guid);
    if (group == nullptr || group->state != ServedGroup::State::open) return;
    types_->on_writer_found(*group, writer, now);
    announce_settled(now);
}

void DomainService::unreachable(Side side, const Locator& locator, Now now) {
    participants_[static_cast<std::size_t>(side)]->unreachable(locator);
    drain_events(side, now);
}

void DomainService::complete(store::Completion completion, Now now) {
    if (auto* committed = std::get_if<store::Committed>(&completion)) {
        ingest_->on_committed(*committed, now);
    } else if (auto* listed = std::get_if<store::SamplesListed>(&completion)) {
        replay_->on_listed(*listed, now);
    } else if (auto* read = std::get_if<store::SamplesRead>(&completion)) {
        replay_->on_read(*read, now);
    } else if (auto* saved = std::get_if<store::RecordSaved>(&completion)) {
        replay_->on_record_saved(*saved, now);
    } else if (auto* opened = std::get_if<store::GroupOpened>(&completion)) {
        if (ServedGroup* group = ingest_->on_group_opened(*opened, now)) {
            give_type(*group);
            replay_->open(*group, now);
            types_->on_group_opened(*group, now);
        }
        announce_settled(now);
        if (opening_ > 0 && --opening_ == 0) settle(now);
    } else if (auto* backlog = std::get_if<store::GroupBacklog>(&completion)) {
        ingest_->on_backlog(*backlog, now);
    } else if (auto* event = std::get_if<store::StoreEvent>(&completion)) {
        const EventKind kind = event->event.kind;
        ++store_events_;
        // What is found wrong with the files at the start is named file by file.
        if (!serving_) return context_.events.report_always(std::move(event->event), now);
        context_.events.report(std::move(event->event), name(kind), now);
    }
}

void DomainService::drain_events(Side side, Now now) {
    participant::Participant& participant = *participants_[static_cast<std::size_t>(side)];
    while (const auto event = participant.next_event()) {
        on_common_event(*event, side, now);
        if (side == Side::ingest) {
            on_ingest_event(*event, now);
        } else {
            on_replay_event(*event, now);
        }
    }
}

void DomainService::on_ingest_event(const participant::ParticipantEvent& event, Now now) {
    if (const auto* found = std::get_if<discovery::WriterFound>(&event)) {
        ingest_->on_writer_found(found->data, now);
        note_type_of(found->data, now);
        replay_->on_writer_found(found->data, now);
    } else if (const auto* changed = std::get_if<discovery::WriterChanged>(&event)) {
        ingest_->on_writer_changed(changed->data, now);
        note_type_of(changed->data, now);
    } else if (const auto* types = std::get_if<discovery::TypesReceived>(&event)) {
        types_->on_received(*types, now);
        announce_settled(now);
    } else if (const auto* missing = std::get_if<discovery::TypesUnavailable>(&event)) {
        types_->on_unavailable(*missing, now);
        announce_settled(now);
    } else if (const auto* lost = std::get_if<discovery::WriterLost>(&event)) {
        std::ignore = ingest_->on_writer_lost(lost->guid, now);
        replay_->on_writer_lost(lost->guid, now);
    } else if (const auto* answered = std::get_if<participant::WriterAnswered>(&event)) {
        replay_->on_writer_answered(answered->writer, answered->held, now);
    } else if (const auto* silent = std::get_if<participant::WriterSilent>(&event)) {
        replay_->on_writer_lost(silent->writer, now);
    } else if (const auto* restarted = std::get_if<participant::NumberingRestarted>(&event)) {
        ingest_->on_numbering_restarted(restarted->writer, now);
    } else if (const auto* peer = std::get_if<discovery::ParticipantFound>(&event)) {
        if (!peer->returning) {
            context_.save(store::RecordKind::peer,
                          peer_key(peer->data.guid.prefix),
                          discovery::encode_participant(peer->data));
        }
    } else if (const auto* moved = std::get_if<discovery::ParticipantChanged>(&event)) {
        context_.save(store::RecordKind::peer,
                      peer_key(moved->data.guid.prefix),
                      discovery::encode_participant(moved->data));
    } else if (const auto* gone = std::get_if<discovery::ParticipantLost>(&event)) {
        context_.erase(store::RecordKind::peer, peer_key(gone->prefix));
    }
}

void DomainService::on_replay_event(const participant::ParticipantEvent& event, Now now) {
    if (const auto* found = std::get_if<discovery::ReaderFound>(&event)) {
        for (ServedGroup* group : groups_.of_topic(found->data.topic)) {
            const bool is_open =
                group->state == ServedGroup::State::open &&
                !is_service(*participants_[1], found->data.guid.prefix, ServiceRole::ingest);
            if (is_open && replay_->matches(*group, found->data))
                types_->on_reader_found(*group, found->data, now);
        }
        replay_->on_reader_found(found->data, now);
    } else if (const auto* changed = std::get_if<discovery::ReaderChanged>(&event)) {
        replay_->on_reader_changed(changed->data, now);
    } else if (const auto* lost = std::get_if<discovery::ReaderLost>(&event)) {
        replay_->on_reader_lost(lost->guid, lost->reason, now);
    } else if (const auto* gone = std::get_if<discovery::ParticipantLost>(&event)) {
        services_->on_participant_lost(gone->prefix, gone->reason, now);
        replay_->on_participant_lost(gone->prefix, gone->reason);
    } else if (const auto* peer = std::get_if<discovery::ParticipantFound>(&event)) {
        services_->on_participant(peer->data, now);
    } else if (const auto* moved = std::get_if<discovery::ParticipantChanged>(&event)) {
        services_->on_participant(moved->data, now);
    } else if (const auto* writer = std::get_if<discovery::WriterFound>(&event)) {
        services_->on_writer_found(writer->data);
    } else if (const auto* ended = std::get_if<discovery::WriterLost>(&event)) {
        services_->on_writer_lost(ended->guid);
    } else if (const auto* known = std::get_if<discovery::LocalAcknowledged>(&event)) {
        replay_->on_announcement_acknowledged(known->peer, known->local, now);
    } else if (const auto* spoke = std::get_if<participant::ReaderSpoke>(&event)) {
        replay_->on_reader_spoke(spoke->replay_writer, spoke->reader, now);
    } else if (const auto* delivered = std::get_if<participant::HistoryDelivered>(&event)) {
        replay_->on_delivered(delivered->replay_writer, delivered->reader);
    }
}

void DomainService::on_common_event(const participant::ParticipantEvent& event,
                                    Side side,
                                    Now now) {
    if (const auto* datagram = std::get_if<participant::MalformedDatagram>(&event)) {
        context_.events.report(make_event(EventKind::MalformedMessage,
                                          {{"domain", std::to_string(options_.domain)},
                                           {"participant", std::string(name(side))},
                                           {"source", to_string(datagram->source)},
                                           {"reason", std::string(wire::name(datagram->error))}}),
                               to_string(datagram->source),
                               now);
    } else if (const auto* announcement = std::get_if<discovery::MalformedAnnouncement>(&event)) {
        context_.events.report(
            make_event(EventKind::MalformedMessage,
                       {{"domain", std::to_string(options_.domain)},
                        {"participant", std::string(name(side))},
                        {"source", to_string(announcement->writer)},
                        {"reason", std::string(wire::name(announcement->error))}}),
            to_string(announcement->writer.prefix),
            now);
    } else if (const auto* limit = std::get_if<discovery::LimitReached>(&event)) {
        context_.events.report(
            make_event(EventKind::ResourceLimit,
                       {{"domain", std::to_string(options_.domain)},
                        {"limit", fmt::format("limits.{}", discovery::name(limit->limit))},
                        {"refused", to_string(limit->refused)}}),
            discovery::name(limit->limit),
            now);
    }
}

void DomainService::turn(Now now) {
    if (now.mono >= announce_due_) announce(now);
    for (const Side side : {Side::ingest, Side::replay}) {
        participant::Participant& participant = *participants_[static_cast<std::size_t>(side)];
        if (!announced_) continue;
        if (participant.next_deadline() <= now.mono) participant.tick(now.mono);
        drain_events(side, now);
    }
    take_samples(now);
    for (const auto& [group, writer] : ingest_->take_keyless())
        types_->on_keyless_sample(*group, writer, now);
    ingest_->flush(now);
    types_->tick(now);
    announce_settled(now);
    if (now.mono >= absent_due_) {
        absent_due_ = MonoTime::max();
        ingest_->retire_absent(now);
    }
    services_->tick(now);
    replay_->tick(now);
    replay_->request_payloads(now);
    reserve_numbers();
}

// --- output ---

MonoTime DomainService::next_deadline() const {
    if (!announced_) return announce_due_;
    MonoTime due = std::min({replay_->next_deadline(),
                             types_->next_deadline(),
                             services_->next_deadline(),
                             absent_due_});
    for (const auto& participant : participants_)
        due = std::min(due, participant->next_deadline());
    return due;
}

std::optional<rtps::Transmit> DomainService::next_transmit(Side side) {
    return participants_[static_cast<std::size_t>(side)]->next_transmit();
}

store::Command* DomainService::front_command() {
    return commands_.empty() ? nullptr : &commands_.front();
}

void DomainService::pop_command() {
    commands_.pop_front();
}

// The next run has to start above every number this one uses (fact sheet 12.3), also if it is
// killed.
void DomainService::reserve_numbers() {
    if (!started_) return;
    for (const Side side : {Side::ingest, Side::replay}) {
        const auto at = static_cast<std::size_t>(side);
        const participant::Participant& participant = *participants_[at];
        Reserved& reserved = reserved_[at];
        const std::int64_t sedp = participant.last_builtin_number().value;
        const std::int64_t spdp = participant.spdp().last_number().value;
        const std::int32_t count = participant.last_count();
        const bool sedp_low = sedp + sedp_reserve / 2 > reserved.sedp_number.value;
        const bool spdp_low = spdp + spdp_reserve / 2 > reserved.spdp_number.value;
        const bool count_low = count > reserved.count - count_reserve / 2;
        if (!sedp_low && !spdp_low && !count_low) continue;
        if (sedp_low) reserved.sedp_number = SequenceNumber{sedp + sedp_reserve};
        if (spdp_low) reserved.spdp_number = SequenceNumber{spdp + spdp_reserve};
        if (count_low) reserved.count = std::max(count, reserved.count) + count_reserve;
        context_.save(store::RecordKind::counter, counter_key(side), encode(reserved));
    }
}

}  // namespace durability::service
