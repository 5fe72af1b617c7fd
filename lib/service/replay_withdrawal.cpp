// Replay writers that come and go with the rules, and who they are.
#include "service/replay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace durability::service {
namespace {

std::string describe_writer(const GroupKey& key) {
    std::string text = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}{}{}\x1f{}",
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
    if (!key.type_hash.empty()) text += "\x1f" + to_hex(key.type_hash);
    return text;
}

EntityKind writer_kind(bool keyed) {
    return keyed ? EntityKind::writer_with_key : EntityKind::writer_no_key;
}

}  // namespace

// One that was withdrawn in this run comes back under another id: a peer that did not hear of its
// end would take its numbers, which begin anew, for those that it has had.
EntityId Replay::identify(const ServedGroup& group) {
    const std::string description = describe_writer(group.meta.key);
    const EntityKind kind = writer_kind(group.meta.key.keyed);
    const EntityId id = context_.claim(Side::replay, description, kind);
    if (withdrawn_.erase(id) == 0) return id;
    context_.entities.retire(Side::replay, description);
    const EntityId renewed = context_.entities.claim(Side::replay, description, kind).id;
    std::vector<Frontier> moved;
    std::erase_if(frontiers_, [&](const auto& entry) {
        if (entry.first.first != id) return false;
        moved.push_back(entry.second);
        return true;
    });
    // In this order: whatever of it is on disk when the daemon is killed, the id that is found
    // there has its frontiers.
    for (Frontier& frontier : moved) {
        frontier.replay_writer = renewed;
        remember({renewed, frontier.reader}, frontier);
        context_.save(
            store::RecordKind::frontier, frontier_key(frontier.reader, renewed), encode(frontier));
    }
    context_.save(
        store::RecordKind::identity, entity_key(Side::replay, description), encode(renewed));
    for (const Frontier& frontier : moved)
        erase_frontier({id, frontier.reader});
    return renewed;
}

// So that it gets the rest, and nothing twice, should the topic be served again.
void Replay::note_progress(const Key& key, Late& late) {
    const bool knows_end = late.wants_history && late.frontier.matched != 0;
    if (!knows_end || late.phase == Phase::unserved || late.phase == Phase::delivered) return;
    if (late.phase == Phase::watching) {
        // Owed nothing by us so far.
        late.frontier.acknowledged = late.frontier.matched;
    } else if (late.phase == Phase::serving) {
        const rtps::ReplayWriter* writer = replay_.replay_writer(key.first);
        const auto rest =
            writer == nullptr ? std::nullopt : writer->first_unacknowledged(key.second);
        late.frontier.acknowledged =
            std::max(late.frontier.acknowledged, rest ? *rest - 1 : late.frontier.matched);
    }
    remember(key, late.frontier);
    context_.save(
        store::RecordKind::frontier, frontier_key(key.second, key.first), encode(late.frontier));
}

void Replay::withdraw(ServedGroup& group, Now now) {
    if (group.state != ServedGroup::State::open) return;
    const EntityId id = group.replay.guid.entity;
    const auto first = late_.lower_bound({id, Guid{}});
    auto end = first;
    for (; end != late_.end() && end->first.first == id; ++end) {
        // None begins because another one is gone.
        end->second.round.reset();
        note_progress(end->first, end->second);
    }
    for (auto at = first; at != end;) {
        const auto gone = at++;
        replay_.unmatch_reader(id, gone->first.second);
        drop(gone, now);
    }
    // To peers it is gone, and what its numbers meant with it.
    if (const rtps::ReplayWriter* writer = replay_.replay_writer(id)) {
        for (const GuidPrefix& process : writer->processes())
            context_.erase(store::RecordKind::frontier, numbers_key(id, process));
    }
    replay_.retract(id);
    withdrawn_.insert(id);
}

}  // namespace durability::service
