#include "service/replay.hpp"

#include "discovery/peer_facts.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

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

bool Replay::retire_writer(EntityId replay_writer) {
    std::erase_if(restored_, [&](const ProcessNumbers& stored) {
        if (stored.replay_writer != replay_writer) return false;
        context_.erase(store::RecordKind::frontier, numbers_key(replay_writer, stored.process));
        return true;
    });
    return std::ranges::any_of(
        frontiers_, [&](const auto& entry) { return entry.first.first == replay_writer; });
}

// --- groups and readers ---

void Replay::open(ServedGroup& group, Now now) {
    const EntityId id = identify(group);
    group.replay = replay_announcement(group.meta);
    group.replay.guid = {replay_.spdp().own().guid.prefix, id};
    group.replay.participant = replay_.spdp().own().guid;
    replay_.create_replay_writer(id, {});
    std::erase_if(restored_, [&](ProcessNumbers& stored) {
        if (stored.replay_writer != id) return false;
        replay_.resume_process(id, stored.process, std::move(stored.numbers));
        return true;
    });
    group.opened = now.mono;
    note_minded(group.meta.key.topic);
    consider_all(group, now);
}

void Replay::announce(ServedGroup& group, Now now) {
    const Guid guid = group.replay.guid;
    const Guid participant = group.replay.participant;
    group.replay = replay_announcement(group.meta);
    group.replay.guid = guid;
    group.replay.participant = participant;
    replay_.announce_replay_writer(group.replay);
    // A reader whose type has another name and the same description matches only now.
    consider_all(group, now);
}

void Replay::consider_all(ServedGroup& group, Now now) {
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
        const bool still_matches = matches(*group, reader);
        const auto known = late_.find({group->replay.guid.entity, reader.guid});
        if (known == late_.end()) {
            if (still_matches) consider(*group, reader, now);
        } else if (still_matches) {
            known->second.data = reader;
        } else {
            replay_.unmatch_reader(group->replay.guid.entity, reader.guid);
            drop(known, now);
        }
    }
}

void Replay::consider(ServedGroup& group, const discovery::EndpointData& reader, Now now) {
    const Key key{group.replay.guid.entity, reader.guid};
    if (late_.contains(key)) return;
    if (!matches(group, reader) || is_service(replay_, reader.guid.prefix, ServiceRole::ingest))
        return;

    Late& late = late_[key];
    by_reader_[reader.guid].push_back(key.first);
    late.data = reader;
    late.group = &group;
    late.appeared = now.mono;
    const discovery::PeerFacts facts = discovery::peer_facts(reader.vendor);
    rtps::ReplayReaderTraits traits;
    traits.reliable = reader.qos.reliability == ReliabilityKind::reliable;
    traits.shares_position = facts.shares_proxy_writer;
    replay_.match_reader(key.first, reader, traits);
    late.tentative = discovery::may_match(group.replay, reader);
    late.known_by_peer =
        !late.tentative && replay_.sedp().acknowledged_by(reader.guid.prefix, key.first);

    late.wants_history = reader.qos.durability != DurabilityKind::volatile_;
    if (!late.wants_history) {
        late.cure = "should it have history, let it request TRANSIENT_LOCAL";
        serve_nothing(key, late, "requests VOLATILE", now);
        return;
    }
    gather(key, late, now);
}

void Replay::serve_nothing(const Key& key, Late& late, std::string reason, Now now) {
    late.phase = Phase::unserved;
    gathering_.erase(key);
    mind_no_more(key, late);
    late.reason = std::move(reason);
    replay_.begin_history(key.first, key.second, now.mono);
}

std::map<Replay::Key, Replay::Late>::iterator Replay::take_ticket(std::uint64_t ticket) {
    const auto known = tickets_.find(ticket);
    if (known == tickets_.end()) return late_.end();
    const auto entry = late_.find(known->second);
    tickets_.erase(known);
    return entry;
}

void Replay::drop(std::map<Key, Late>::iterator at, Now now) {
    leave_round(at->first, at->second, false, now);
    watching_.erase(at->first);
    std::erase_if(tickets_, [&](const auto& entry) { return entry.second == at->first; });
    gathering_.erase(at->first);
    mind_no_more(at->first, at->second);
    const auto writers = by_reader_.find(at->first.second);
    std::erase(writers->second, at->first.first);
    if (writers->second.empty()) by_reader_.erase(writers);
    late_.erase(at);
}

// --- what comes and goes ---

void Replay::on_reader_lost(const Guid& reader, discovery::LossReason reason, Now now) {
    // A process that began anew under its old identity knows nothing of our numbers.
    if (reason == discovery::LossReason::participant_restarted) forget_process(reader.prefix);
    const auto known = by_reader_.find(reader);
    if (known == by_reader_.end()) return;
    const std::vector<EntityId> writers = known->second;
    for (const EntityId writer : writers) {
        const Key key{writer, reader};
        replay_.unmatch_reader(writer, reader);
        drop(late_.find(key), now);
        if (!said_goodbye(reason)) continue;
        // A reader that said good-bye does not come back; one that was lost may.
        frontiers_.erase(key);
        erase_frontier(key);
    }
}

void Replay::forget_process(const GuidPrefix& prefix) {
    replay_.forget_process(prefix);
    for (const auto& [key, group] : context_.groups.all()) {
        if (group->state != ServedGroup::State::open) continue;
        context_.erase(store::RecordKind::frontier, numbers_key(group->replay.guid.entity, prefix));
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
        erase_frontier(entry->first);
        entry = frontiers_.erase(entry);
    }
}

void Replay::on_announcement_acknowledged(const GuidPrefix& peer, EntityId replay_writer, Now now) {
    // Ordered by replay writer, then by reader: those of one process stand together.
    auto entry = late_.lower_bound({replay_writer, Guid{peer, entity::unknown}});
    for (; entry != late_.end() && entry->first.first == replay_writer &&
           entry->first.second.prefix == peer;
         ++entry) {
        if (entry->second.tentative) continue;
        entry->second.known_by_peer = true;
        proceed(entry->first, entry->second, now);
    }
}

void Replay::on_reader_spoke(EntityId replay_writer, const Guid& reader, Now now) {
    const auto entry = late_.find({replay_writer, reader});
    if (entry == late_.end() || entry->second.known_by_peer) return;
    entry->second.known_by_peer = true;
    entry->second.tentative = false;
    proceed(entry->first, entry->second, now);
}

template <class Concerns>
void Replay::proceed_where(Concerns concerns, Now now) {
    // proceed() takes readers out of gathering_ when it is done, others of the process with it.
    const std::vector<Key> keys(gathering_.begin(), gathering_.end());
    for (const Key& key : keys) {
        const auto entry = late_.find(key);
        if (entry != late_.end() && concerns(entry->second)) proceed(key, entry->second, now);
    }
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

void Replay::on_writer_answered(const Guid& writer, SequenceRange held, Now now) {
    const auto answered = [&](Late& late) {
        const auto probed = late.probed.find(writer);
        if (probed == late.probed.end() || probed->second.resolved) return false;
        probed->second.resolved = true;
        probed->second.share = held;
        return true;
    };
    proceed_where(answered, now);
    for (auto key = watching_.begin(); key != watching_.end();) {
        Late& late = late_.at(*key);
        const Key watched = *key++;
        const auto probed = late.probed.find(writer);
        if (late.times_asked == 0 || probed == late.probed.end()) continue;
        keep_word(watched, late, probed->second.source, now);
    }
}

void Replay::on_writer_lost(const Guid& writer, Now now) {
    for (auto key = watching_.begin(); key != watching_.end();) {
        Late& late = late_.at(*key);
        const Key watched = *key++;
        const auto probed = late.probed.find(writer);
        if (probed != late.probed.end()) fall_due(watched, late, probed->second.source, now);
    }
    const auto concerns = [&](Late& late) {
        return !had_its_share(late, now) && late.probed.erase(writer) != 0;
    };
    proceed_where(concerns, now);
}

void Replay::on_delivered(EntityId replay_writer, const Guid& reader) {
    const auto entry = late_.find({replay_writer, reader});
    if (entry == late_.end()) return;
    Late& late = entry->second;
    if (late.phase != Phase::serving) return;
    // What is still open may follow, also from the next run of the daemon.
    late.frontier.open =
        watching_.contains(entry->first) ? late.tail() : std::vector<ArrivalRange>{};
    if (!watching_.contains(entry->first)) {
        late.phase = Phase::delivered;
        mind_no_more(entry->first, late);
    }
    late.frontier.acknowledged = late.frontier.matched;
    remember(entry->first, late.frontier);
    context_.save(
        store::RecordKind::frontier, frontier_key(reader, replay_writer), encode(late.frontier));
}

// --- time ---

void Replay::tick(Now now) {
    proceed_where([](const Late&) { return true; }, now);
    watch_all(now);
}

// When it can be decided on without anything else being heard; MonoTime::max() when it cannot.
MonoTime Replay::ready_at(const Late& late) const {
    const bool lacks = !heard_of_history(late) || !late.known_by_peer;
    if (lacks || late.group->types.is_awaited()) return MonoTime::max();
    const bool waiting =
        std::ranges::any_of(late.probed, [](const auto& entry) { return !entry.second.resolved; });
    MonoTime ready = waiting ? std::max(late.not_before, late.probes_until) : late.not_before;
    return std::max({ready, late.left_until, awaits_returning_until(late)});
}

MonoTime Replay::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const Key& key : gathering_) {
        const Late& late = late_.at(key);
        if (late.decision) continue;
        const MonoTime own = ready_at(late);
        if (own == MonoTime::max()) continue;
        // It waits for others of its process, within bounds.
        MonoTime all = own;
        for (const Key& other : company(key, late))
            all = std::max(all, ready_at(late_.at(other)));
        due = std::min({due, all, std::max(own, company_until(late))});
    }
    for (const Key& key : watching_) {
        const Late& late = late_.at(key);
        if (late.phase != Phase::saving) due = std::min(due, late.watch_until);
    }
    if (replay_.may_want_payloads()) due = std::min(due, rate_.ready_at());
    return due;
}

std::vector<Replay::LateReaderView> Replay::readers(Now now) const {
    std::vector<LateReaderView> views;
    views.reserve(late_.size());
    for (const auto& [key, late] : late_) {
        LateReaderView& view = views.emplace_back();
        view.reader = key.second;
        view.group = late.group;
        view.data = &late.data;
        view.phase = late.phase;
        view.wait = waits_for(late, now);
        view.reason = late.reason;
        view.cure = late.cure;
        view.counts = late.result.counts;
        const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
        const auto status = writer == nullptr ? std::nullopt : writer->status(key.second);
        if (!status) continue;
        view.sent = status->samples_sent;
        view.acknowledged = status->samples_acknowledged;
    }
    return views;
}

}  // namespace durability::service
