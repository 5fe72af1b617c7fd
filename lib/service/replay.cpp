#include "service/replay.hpp"

#include "discovery/peer_facts.hpp"
#include "wire/inline_qos.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// Entries of one page of the index: bounds what one answer of the store holds. Small enough for the
// allocator to use the same memory again for every page.
constexpr std::size_t list_page = 2'000;
// Readers of one Cyclone DDS process that do not ask for history get one run in common when they
// appear within this time; a later one cannot be served (fact sheet 12.2).
constexpr Duration common_run_delay = std::chrono::milliseconds{10};

std::string describe_writer(const GroupKey& key) {
    return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}{}{}\x1f{}",
                       key.topic,
                       key.type,
                       key.keyed ? "keyed" : "unkeyed",
                       static_cast<int>(key.ownership),
                       key.representation,
                       name(key.durability),
                       static_cast<int>(key.presentation.access_scope),
                       key.presentation.coherent_access ? "c" : "-",
                       key.presentation.ordered_access ? "o" : "-",
                       fmt::join(key.partitions, "\x1e"));
}

EntityKind writer_kind(bool keyed) {
    return keyed ? EntityKind::writer_with_key : EntityKind::writer_no_key;
}

bool asks_for_history(const discovery::EndpointData& reader) {
    return discovery::reader_pulls_history(reader.vendor, reader.qos.durability);
}

// See LateReader::latest_arrival_wins in entitlement.hpp.
bool latest_arrival_wins(const discovery::EndpointData& reader) {
    return reader.qos.history.kind == HistoryKind::keep_last &&
           reader.qos.destination_order == DestinationOrderKind::by_reception_timestamp &&
           !discovery::peer_facts(reader.vendor).orders_by_source_timestamp;
}

// The reader, or its whole process, is gone for good: one of the same name would be a new one.
bool said_goodbye(discovery::LossReason reason) {
    return reason != discovery::LossReason::lease_expired;
}

}  // namespace

void Replay::restore(const Frontier& frontier) {
    remember({frontier.replay_writer, frontier.reader}, frontier);
}

void Replay::restore(ProcessNumbers numbers) {
    restored_.push_back(std::move(numbers));
}

// --- groups and readers ---

void Replay::serve(ServedGroup& group, Now now) {
    const EntityId id = context_.claim(
        Side::replay, describe_writer(group.meta.key), writer_kind(group.meta.key.keyed));
    group.replay = replay_announcement(group.meta);
    group.replay.guid = {replay_.spdp().own().guid.prefix, id};
    group.replay.participant = replay_.spdp().own().guid;
    replay_.add_replay_writer(group.replay, {});
    std::erase_if(restored_, [&](ProcessNumbers& stored) {
        if (stored.replay_writer != id) return false;
        replay_.resume_process(id, stored.process, std::move(stored.numbers));
        return true;
    });
    for (const auto& [guid, reader] : replay_.sedp().readers()) {
        if (reader.topic == group.meta.key.topic) consider(group, reader, now);
    }
}

void Replay::on_reader_found(const discovery::EndpointData& reader, Now now) {
    for (ServedGroup* group : context_.groups.of_topic(reader.topic)) {
        if (group->state == ServedGroup::State::open) consider(*group, reader, now);
    }
}

void Replay::on_reader_changed(const discovery::EndpointData& reader, Now now) {
    for (ServedGroup* group : context_.groups.of_topic(reader.topic)) {
        if (group->state != ServedGroup::State::open) continue;
        const bool matches =
            discovery::match(group->replay, reader) == discovery::MismatchReason::none;
        const auto known = late_.find({group->replay.guid.entity, reader.guid});
        if (known == late_.end()) {
            if (matches) consider(*group, reader, now);
        } else if (matches) {
            known->second.data = reader;
        } else {
            replay_.unmatch_reader(group->replay.guid.entity, reader.guid);
            drop(known);
        }
    }
}

void Replay::consider(ServedGroup& group, const discovery::EndpointData& reader, Now now) {
    const Key key{group.replay.guid.entity, reader.guid};
    if (late_.contains(key)) return;
    if (discovery::match(group.replay, reader) != discovery::MismatchReason::none) return;

    Late& late = late_[key];
    by_reader_[reader.guid].push_back(key.first);
    late.data = reader;
    late.group = &group;
    const discovery::PeerFacts facts = discovery::peer_facts(reader.vendor);
    rtps::ReplayReaderTraits traits;
    traits.reliable = reader.qos.reliability == ReliabilityKind::reliable;
    traits.shares_position = facts.shares_proxy_writer;
    replay_.match_reader(key.first, reader, traits);
    late.known_by_peer = replay_.sedp().acknowledged_by(reader.guid.prefix, key.first);

    late.wants_history = reader.qos.durability != DurabilityKind::volatile_;
    if (!late.wants_history) {
        serve_nothing(key, late, "requests VOLATILE", now);
        return;
    }
    gather(key, late, now);
}

bool Replay::can_be_reached(const Key& key, const Late& late) const {
    if (context_.config.compatibility.spdp_vendor == SpdpVendor::cyclonedds) return true;
    if (asks_for_history(late.data)) return true;
    if (!discovery::peer_facts(late.data.vendor).shares_proxy_writer) return true;
    const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
    return writer != nullptr && !writer->process_contacted(key.second.prefix);
}

void Replay::gather(const Key& key, Late& late, Now now) {
    late.frontier = Frontier{key.second, key.first, 0, 0};
    if (const auto known = frontiers_.find(key); known != frontiers_.end()) {
        late.frontier = known->second;
        late.known_before = true;
        if (late.frontier.acknowledged >= late.frontier.matched) {
            serve_nothing(key, late, "has everything it was owed", now);
            return;
        }
    } else if (!can_be_reached(key, late)) {
        context_.events.report(
            make_event(
                EventKind::ReaderCannotBeServed,
                {{"topic", late.data.topic},
                 {"reader", to_string(late.data.guid)},
                 {"requests", std::string(name(late.data.qos.durability))},
                 {"reason", "another reader of its process was served before"},
                 {"cure",
                  "let it request TRANSIENT_LOCAL, or set compatibility.spdp_vendor: cyclonedds"}}),
            to_string(late.data.guid),
            now);
        serve_nothing(key, late, "another reader of its process was served before", now);
        return;
    }
    late.phase = Phase::gathering;
    gathering_.insert(key);
    // Readers that do not ask for history share the first run of their process.
    const bool collect =
        !asks_for_history(late.data) && discovery::peer_facts(late.data.vendor).shares_proxy_writer;
    late.not_before = collect ? after(now.mono, common_run_delay) : now.mono;
    if (discovery::peer_facts(late.data.vendor).shares_proxy_writer) wait_for_company(key, late);
    list(key, late, late.known_before ? late.frontier.acknowledged + 1 : 0);
    probe_writers(late, now);
    proceed(key, late, now);
}

// A reader that asks for history must not start the run that others of its process wait to share.
void Replay::wait_for_company(const Key& key, Late& late) {
    for (const Key& other : gathering_) {
        if (other.first != key.first || other.second.prefix != key.second.prefix) continue;
        late.not_before = std::max(late.not_before, late_.at(other).not_before);
    }
}

void Replay::list(const Key& key, Late& late, Arrival from) {
    store::ListSamples command;
    command.ticket = context_.next_ticket();
    command.group = late.group->handle;
    command.from = from;
    // The first page says where the history of a new reader ends.
    command.to = late.frontier.matched != 0 ? late.frontier.matched : store::max_arrival;
    command.max_entries = list_page;
    tickets_[command.ticket] = key;
    context_.commands.emplace_back(command);
    late.page_pending = true;
}

void Replay::probe_writers(Late& late, Now now) {
    late.probes_until = after(now.mono, context_.config.replay.handover_window);
    for (const auto& [guid, writer] : late.group->writers)
        probe(late, writer, now);
}

void Replay::probe(Late& late, const SourceWriter& writer, Now now) {
    if (discovery::match(writer.data, late.data) != discovery::MismatchReason::none) return;
    const discovery::PeerFacts facts = discovery::peer_facts(late.data.vendor);
    ProbedWriter& probed = late.probed[writer.data.guid];
    // Who serves late readers itself, and whom: a Cyclone DDS reader that does not ask takes
    // history from writers of its own vendor only (fact sheet 4.4, 5.5).
    probed.serves = discovery::serves_own_history(writer.data.vendor, writer.data.qos.durability) &&
                    writer.data.qos.reliability == ReliabilityKind::reliable &&
                    late.data.qos.reliability == ReliabilityKind::reliable &&
                    (asks_for_history(late.data) || writer.data.vendor == late.data.vendor ||
                     !facts.shares_proxy_writer);
    probed.resolved = !probed.serves;
    if (probed.serves) ingest_.probe_writer(writer.data.guid, now.mono);
}

void Replay::on_writer_found(const discovery::EndpointData& writer, Now now) {
    for (const Key& key : gathering_) {
        Late& late = late_.at(key);
        if (late.decision) continue;
        const auto source = late.group->writers.find(writer.guid);
        if (source == late.group->writers.end() || late.probed.contains(writer.guid)) continue;
        probe(late, source->second, now);
        late.probes_until = after(now.mono, context_.config.replay.handover_window);
    }
}

bool Replay::awaits_returning(const Late& late, MonoTime now) const {
    if (now >= returning_until_) return false;
    return std::ranges::any_of(late.group->stored, [&](const auto& entry) {
        const auto& [source, stored] = entry;
        if (stored.retired || ingest_.spdp().find(source.prefix) == nullptr) return false;
        return std::ranges::none_of(late.group->writers, [&](const auto& writer) {
            return writer.second.source == source;
        });
    });
}

std::unordered_map<Guid, LivingShare> Replay::shares(const Late& late) const {
    std::unordered_map<Guid, LivingShare> result;
    for (const auto& [guid, probed] : late.probed) {
        const auto writer = late.group->writers.find(guid);
        if (writer == late.group->writers.end()) continue;
        result[writer->second.source] = LivingShare{probed.serves ? probed.share : SequenceRange{}};
    }
    return result;
}

// The first page of the list is here.
bool Replay::heard_of_history(const Late& late) {
    return late.listed || !late.retained.empty();
}

bool Replay::can_decide(Late& late, Now now) const {
    if (!heard_of_history(late) || !late.known_by_peer) return false;
    if (now.mono < late.not_before || awaits_returning(late, now.mono)) return false;
    for (auto& [guid, probed] : late.probed) {
        if (probed.resolved) continue;
        if (now.mono < late.probes_until) return false;
        // It did not answer within the handover window: it is dead, and the daemon speaks for it.
        probed.resolved = true;
        probed.serves = false;
    }
    return true;
}

// Once everything is known: decide, page by page where that is possible; make the frontier survive;
// then deliver.
void Replay::proceed(const Key& key, Late& late, Now now) {
    if (late.phase != Phase::gathering) return;
    if (!late.decision) {
        if (!can_decide(late, now)) return;
        Decision& decision = late.decision.emplace();
        decision.reader.wants_history = late.wants_history;
        decision.reader.matched_arrival = late.frontier.matched;
        decision.reader.frontier = late.frontier.acknowledged;
        decision.reader.latest_arrival_wins = latest_arrival_wins(late.data);
        decision.living = shares(late);
        decision.needs_whole_history = needs_whole_history(decision.reader, decision.living);
        decision.time = now.wall;
    }
    // The store looks for the next page while this one is worked through.
    if (!late.listed && !late.page_pending) list(key, late, late.retained.back().arrival + 1);
    const Decision& decision = *late.decision;
    if (!late.listed && decision.needs_whole_history) return;
    decide({late.retained,
            late.group->meta.key.keyed,
            late.group->meta.qos.lifespan,
            decision.reader,
            decision.living,
            decision.time},
           late.result);
    late.retained.clear();
    if (!late.listed) return;
    late.retained = {};
    save_frontier(key, late);
}

// What is sent must be known to have been sent by the next run of the daemon; so the record goes
// first.
void Replay::save_frontier(const Key& key, Late& late) {
    late.phase = Phase::saving;
    gathering_.erase(key);
    // Nothing owed is as good as acknowledged: what a living writer gives it must not be given
    // again by a later run, when that writer is gone.
    if (late.result.owed.empty()) late.frontier.acknowledged = late.frontier.matched;
    replay_.prepare_history(key.first, key.second, late.result.owed);
    const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
    const auto* numbers = writer == nullptr ? nullptr : writer->numbers(key.second.prefix);
    if (numbers != nullptr && !late.result.owed.empty()) {
        context_.save(store::RecordKind::frontier,
                      numbers_key(key.first, key.second.prefix),
                      encode(*numbers));
    }
    store::SaveRecord command;
    command.ticket = context_.next_ticket();
    command.kind = store::RecordKind::frontier;
    command.key = frontier_key(key.second, key.first);
    command.value = encode(late.frontier);
    tickets_[command.ticket] = key;
    context_.commands.emplace_back(std::move(command));
    remember(key, late.frontier);
}

// At the limit the oldest one is forgotten, of a reader that is not there if possible: should it
// come back, it is a new reader.
void Replay::remember(const Key& key, const Frontier& frontier) {
    if (!frontiers_.contains(key) && frontiers_.size() >= context_.config.limits.frontiers) {
        const auto age = [&](const auto& entry) {
            return std::pair(late_.contains(entry.first), entry.second.matched);
        };
        const auto oldest = std::ranges::min_element(frontiers_, {}, age);
        context_.commands.emplace_back(store::EraseRecord{
            store::RecordKind::frontier, frontier_key(oldest->first.second, oldest->first.first)});
        frontiers_.erase(oldest);
    }
    frontiers_[key] = frontier;
}

void Replay::on_record_saved(const store::RecordSaved& saved, Now now) {
    const auto ticket = tickets_.find(saved.ticket);
    if (ticket == tickets_.end()) return;
    const Key key = ticket->second;
    tickets_.erase(ticket);
    const auto entry = late_.find(key);
    if (entry == late_.end() || entry->second.phase != Phase::saving) return;
    Late& late = entry->second;
    // A record that could not be written costs at most duplicates after the next restart; the
    // history itself must not wait for the disk.
    late.phase = late.result.owed.empty() ? Phase::delivered : Phase::serving;
    replay_.begin_history(key.first, key.second, now.mono);
    late.result.owed = {};
}

void Replay::serve_nothing(const Key& key, Late& late, std::string reason, Now now) {
    late.phase = Phase::unserved;
    gathering_.erase(key);
    late.reason = std::move(reason);
    replay_.begin_history(key.first, key.second, now.mono);
}

void Replay::drop(std::map<Key, Late>::iterator at) {
    std::erase_if(tickets_, [&](const auto& entry) { return entry.second == at->first; });
    gathering_.erase(at->first);
    const auto writers = by_reader_.find(at->first.second);
    std::erase(writers->second, at->first.first);
    if (writers->second.empty()) by_reader_.erase(writers);
    late_.erase(at);
}

// --- what comes and goes ---

void Replay::on_reader_lost(const Guid& reader, discovery::LossReason reason) {
    // A process that began anew under its old identity knows nothing of our numbers.
    if (reason == discovery::LossReason::participant_restarted) forget_process(reader.prefix);
    const auto known = by_reader_.find(reader);
    if (known == by_reader_.end()) return;
    const std::vector<EntityId> writers = known->second;
    for (const EntityId writer : writers) {
        const Key key{writer, reader};
        replay_.unmatch_reader(writer, reader);
        drop(late_.find(key));
        if (!said_goodbye(reason)) continue;
        // A reader that said good-bye does not come back; one that was lost may.
        frontiers_.erase(key);
        context_.commands.emplace_back(
            store::EraseRecord{store::RecordKind::frontier, frontier_key(reader, writer)});
    }
}

void Replay::forget_process(const GuidPrefix& prefix) {
    replay_.forget_process(prefix);
    for (const auto& [key, group] : context_.groups.all()) {
        if (group->state != ServedGroup::State::open) continue;
        context_.commands.emplace_back(store::EraseRecord{
            store::RecordKind::frontier, numbers_key(group->replay.guid.entity, prefix)});
    }
}

void Replay::on_participant_lost(const GuidPrefix& prefix, discovery::LossReason reason) {
    if (!said_goodbye(reason)) return;
    forget_process(prefix);
    for (auto entry = frontiers_.begin(); entry != frontiers_.end();) {
        if (entry->first.second.prefix != prefix) {
            ++entry;
            continue;
        }
        context_.commands.emplace_back(store::EraseRecord{
            store::RecordKind::frontier, frontier_key(entry->first.second, entry->first.first)});
        entry = frontiers_.erase(entry);
    }
}

void Replay::on_announcement_acknowledged(const GuidPrefix& peer, EntityId replay_writer, Now now) {
    // Ordered by replay writer, then by reader: those of one process stand together.
    auto entry = late_.lower_bound({replay_writer, Guid{peer, entity::unknown}});
    for (; entry != late_.end() && entry->first.first == replay_writer &&
           entry->first.second.prefix == peer;
         ++entry) {
        entry->second.known_by_peer = true;
        proceed(entry->first, entry->second, now);
    }
}

void Replay::on_reader_spoke(EntityId replay_writer, const Guid& reader, Now now) {
    const auto entry = late_.find({replay_writer, reader});
    if (entry == late_.end() || entry->second.known_by_peer) return;
    entry->second.known_by_peer = true;
    proceed(entry->first, entry->second, now);
}

template <class Concerns>
void Replay::proceed_where(Concerns concerns, Now now) {
    // proceed() takes a reader out of gathering_ when it is done.
    for (auto key = gathering_.begin(); key != gathering_.end();) {
        const auto entry = late_.find(*key++);
        if (concerns(entry->second)) proceed(entry->first, entry->second, now);
    }
}

void Replay::on_writer_answered(const Guid& writer, SequenceRange held, Now now) {
    const auto answered = [&](Late& late) {
        const auto probed = late.probed.find(writer);
        if (probed == late.probed.end() || probed->second.resolved) return false;
        probed->second.resolved = true;
        probed->second.share = held;
        return true;
    };
    proceed_where(answered, now);
}

void Replay::on_writer_lost(const Guid& writer, Now now) {
    proceed_where([&](Late& late) { return late.probed.erase(writer) != 0; }, now);
}

void Replay::on_delivered(EntityId replay_writer, const Guid& reader) {
    const auto entry = late_.find({replay_writer, reader});
    if (entry == late_.end()) return;
    Late& late = entry->second;
    if (late.phase != Phase::serving) return;
    late.phase = Phase::delivered;
    late.frontier.acknowledged = late.frontier.matched;
    remember(entry->first, late.frontier);
    context_.save(
        store::RecordKind::frontier, frontier_key(reader, replay_writer), encode(late.frontier));
}

// --- the store's answers ---

void Replay::on_listed(store::SamplesListed& listed, Now now) {
    const auto ticket = tickets_.find(listed.ticket);
    if (ticket == tickets_.end()) return;
    const Key key = ticket->second;
    tickets_.erase(ticket);
    const auto entry = late_.find(key);
    if (entry == late_.end() || entry->second.phase != Phase::gathering) return;
    Late& late = entry->second;
    late.page_pending = false;
    late.listed = !listed.more || listed.samples.empty();
    if (late.frontier.matched == 0) late.frontier.matched = listed.last_arrival;
    if (late.retained.empty()) {
        late.retained = std::move(listed.samples);
    } else {
        late.retained.insert(late.retained.end(), listed.samples.begin(), listed.samples.end());
    }
    proceed(key, late, now);
}

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
    const auto ticket = tickets_.find(read.ticket);
    if (ticket == tickets_.end()) return;
    const Key key = ticket->second;
    tickets_.erase(ticket);
    const auto entry = late_.find(key);
    if (entry == late_.end()) return;
    std::vector<rtps::ReplaySample> samples;
    samples.reserve(read.samples.size());
    for (const store::ReadSample& sample : read.samples) {
        samples.push_back(to_replay(sample, read.bytes, entry->second.data.vendor));
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

// --- time ---

void Replay::tick(Now now) {
    proceed_where([](const Late&) { return true; }, now);
}

MonoTime Replay::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const Key& key : gathering_) {
        const Late& late = late_.at(key);
        if (late.decision || !heard_of_history(late) || !late.known_by_peer) continue;
        const bool waiting = std::ranges::any_of(
            late.probed, [](const auto& entry) { return !entry.second.resolved; });
        MonoTime ready = waiting ? std::max(late.not_before, late.probes_until) : late.not_before;
        if (ready < returning_until_ && awaits_returning(late, ready)) ready = returning_until_;
        due = std::min(due, ready);
    }
    return due;
}

std::vector<Replay::LateReaderView> Replay::readers() const {
    std::vector<LateReaderView> views;
    views.reserve(late_.size());
    for (const auto& [key, late] : late_) {
        views.push_back(
            {key.second, late.group, &late.data, late.phase, late.reason, late.result.counts});
    }
    return views;
}

}  // namespace durability::service
