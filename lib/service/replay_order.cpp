// No older value above a newer one (semantics.md, section 7): a reader that keeps the value that
// arrives last is not sent what is older than what living writers, or other groups of its topic,
// give it, also when these write while its history is on its way.
#include "discovery/peer_facts.hpp"
#include "service/replay.hpp"

#include <algorithm>

namespace durability::service {
namespace {

// Where limits count for each writer, the samples of one replace none of another.
bool is_of_all_writers(const ServedGroup& group) {
    return group.meta.contract.scope == ContractScope::topic;
}

bool has_same_instances(const ServedGroup& one, const ServedGroup& other) {
    return one.meta.key.type == other.meta.key.type && one.meta.key.keyed == other.meta.key.keyed;
}

}  // namespace

bool latest_arrival_wins(const discovery::EndpointData& reader) {
    return reader.qos.history.kind == HistoryKind::keep_last && reader.qos.history.depth == 1 &&
           reader.qos.destination_order == DestinationOrderKind::by_reception_timestamp &&
           !discovery::peer_facts(reader.vendor).orders_by_source_timestamp;
}

void Replay::mind(const Key& key, const Late& late) {
    if (!latest_arrival_wins(late.data) || !is_of_all_writers(*late.group)) return;
    if (minding_.insert(key).second) note_minded(late.group->meta.key.topic);
}

void Replay::mind_no_more(const Key& key, Late& late) {
    if (minding_.erase(key) == 0) return;
    late.newer.clear();
    note_minded(late.group->meta.key.topic);
}

void Replay::note_minded(const std::string& topic) {
    const bool any = std::ranges::any_of(
        minding_, [&](const Key& key) { return late_.at(key).group->meta.key.topic == topic; });
    for (ServedGroup* group : context_.groups.of_topic(topic))
        group->is_minded = any;
}

void Replay::on_live(const Ingest::LiveSample& live, Now now) {
    for (const Key& key : minding_) {
        Late& late = late_.at(key);
        // It has it from the writer, if it matches that.
        const bool is_given =
            late.group == live.group ||
            (late.group->meta.key.topic == live.group->meta.key.topic &&
             has_same_instances(*late.group, *live.group) && is_of_all_writers(*live.group) &&
             late_.contains({live.group->replay.guid.entity, key.second}));
        if (!is_given) continue;
        late.newer.note(live.instance, live.source_timestamp);
        if (late.phase != Phase::serving || live.instance == 0 || !may_withhold(key)) continue;
        const auto replaced = [&](Timestamp source) {
            return late.newer.replaces(live.instance, source);
        };
        note_superseded(
            late, replay_.supersede(key.first, key.second, live.instance, replaced, now.mono));
    }
}

// A GAP for one reader of a Cyclone DDS process takes the sample from those that share its position
// (fact sheet 12.1): where one of these keeps more than the last value, all get everything.
bool Replay::may_withhold(const Key& key) const {
    if (!discovery::peer_facts(late_.at(key).data.vendor).shares_proxy_writer) return true;
    return std::ranges::none_of(of_process(key), [this](const auto& entry) {
        const Phase phase = entry.second.phase;
        const bool is_served = phase != Phase::delivered && phase != Phase::unserved;
        return is_served && !minding_.contains(entry.first);
    });
}

bool Replay::is_replaced(const Key& key, const Late& late, const store::ReadSample& sample) const {
    // A set is given whole.
    if (!minding_.contains(key) || sample.meta.coherent_set) return false;
    const std::uint64_t instance = instance_number(late.group->meta.key.keyed, sample.meta.key);
    return (sample.superseded || late.newer.replaces(instance, sample.meta.source_timestamp)) &&
           may_withhold(key);
}

// Other groups of the topic whose writers, living and gone, give the reader what is retained there:
// such as those of another durability. Without a lifespan, so that it is given all of it.
std::vector<GroupHandle> Replay::given_elsewhere(const Key& key, const Late& late) const {
    std::vector<GroupHandle> handles;
    if (!minding_.contains(key)) return handles;
    for (const ServedGroup* group : context_.groups.of_topic(late.group->meta.key.topic)) {
        if (group == late.group || group->state != ServedGroup::State::open) continue;
        if (!has_same_instances(*group, *late.group) || !is_of_all_writers(*group)) continue;
        const auto there = late_.find({group->replay.guid.entity, key.second});
        if (there == late_.end() || !group->meta.qos.lifespan.infinite()) continue;
        const Frontier& frontier = there->second.frontier;
        const bool has_all = frontier.matched != 0 && frontier.is_settled();
        if (there->second.phase != Phase::unserved || has_all) handles.push_back(group->handle);
    }
    return handles;
}

void Replay::note_superseded(Late& late, std::size_t count) {
    late.result.counts[static_cast<std::size_t>(Entitlement::superseded)] += count;
    std::uint64_t& owed = late.result.counts[static_cast<std::size_t>(Entitlement::owed)];
    owed -= std::min<std::uint64_t>(owed, count);
}

}  // namespace durability::service
