// What `durabilityctl explain` says of a topic. Decides nothing: it asks those who do (judge,
// find_rule, match, Replay) and puts their answers into words.
#include "types/topic_keys.hpp"

#include "base/text.hpp"
#include "discovery/mismatch.hpp"
#include "discovery/peer_facts.hpp"
#include "model/ros_names.hpp"
#include "service/contract_resolver.hpp"
#include "service/domain_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace durability::service {
namespace {

using discovery::EndpointData;

constexpr std::size_t most_near_names = 3;

std::string_view state_of(const GroupType& type) {
    switch (type.state) {
        case GroupType::State::untold:
            return "untold";
        case GroupType::State::asked:
            return "asked";
        case GroupType::State::known:
            return "known";
        case GroupType::State::unavailable:
            return "unavailable";
    }
    return "?";
}

GroupExplanation explain_served(const ServedGroup& group, TopicStatus topic) {
    GroupExplanation result;
    result.topic = std::move(topic);
    if (group.rule != nullptr) result.rule = group.rule->origin;
    result.type_description = state_of(group.types);
    result.key = key_source(group);
    if (!group.problem.empty()) {
        result.state = "failed";
        result.reason = fmt::format("it could not be opened: {}", group.problem);
        result.cure = "remove the cause and start the daemon again";
    } else if (group.state == ServedGroup::State::opening) {
        result.state = "opening";
        result.reason = "the store has not opened it yet";
    } else {
        result.state = "served";
    }
    if (group.state == ServedGroup::State::open && result.topic.degraded) {
        result.reason = "the store refuses its samples, and nothing is acknowledged";
        result.cure = "see the events StoreDegraded; it goes on by itself when the cause is gone";
    }
    return result;
}

// Kept from earlier, and not served by the rules in force.
GroupExplanation explain_stored(const GroupKey& key, const Config& config, TopicStatus topic) {
    GroupExplanation result;
    result.topic = std::move(topic);
    result.state = "stored";
    const TopicRule* rule = find_rule(config.topics, key.topic, key.type, key.partitions);
    if (rule != nullptr) result.rule = rule->origin;
    const ServeReason reason =
        explain(judge(rule, key.topic, key.durability), rule, key.topic, key.durability);
    result.reason = reason.text.empty() ? "there was no room for it (limits.served_groups)"
                                        : "of its writers: " + reason.text;
    result.cure = reason.cure;
    return result;
}

TopicStatus status_of(const ServedGroup& group) {
    store::GroupStatus nothing;
    nothing.meta = group.meta;
    TopicStatus topic = store::topic_status(nothing);
    topic.writers = group.writers.size();
    return topic;
}

void describe(const EndpointData& data, EndpointExplanation& result) {
    result.guid = data.guid;
    result.vendor = discovery::vendor_name(data.vendor);
    result.type = data.type;
    result.durability = data.qos.durability;
    result.reliable = data.qos.reliability == ReliabilityKind::reliable;
    result.partitions = data.qos.partitions;
}

std::string text_of(const discovery::Mismatch& mismatch) {
    return fmt::format("{}: offered {}, requested {}",
                       name(mismatch.reason),
                       mismatch.offered,
                       mismatch.requested);
}

// Where nothing is served, what there is between a reader and a writer still tells something.
std::string without_group(const EndpointData& reader,
                          const std::vector<const EndpointData*>& writers) {
    if (writers.empty()) return "nothing of the topic is kept, and nobody writes it";
    std::string text = "no writer of the topic is served";
    for (const EndpointData* writer : writers) {
        const auto mismatch = discovery::explain_mismatch(*writer, reader);
        if (mismatch.reason == discovery::MismatchReason::none)
            return text + "; the reader has what is written from now on, and nothing from before";
    }
    const auto mismatch = discovery::explain_mismatch(*writers.front(), reader);
    return fmt::format("{}; nor does it match the writer {} itself ({})",
                       text,
                       to_string(writers.front()->guid),
                       text_of(mismatch));
}

void explain_reach(participant::Participant::Reach reach, EndpointExplanation& result) {
    using Reach = participant::Participant::Reach;
    switch (reach) {
        case Reach::reachable:
            return;
        case Reach::unknown_participant:
            result.reason = "its participant is not known";
            return;
        case Reach::no_address:
            result.reason = "its participant announces no UDP address that can be used";
            result.cure = "give it a UDP transport beside shared memory or TCP";
            return;
    }
}

}  // namespace

std::string key_source(const ServedGroup& group) {
    const GroupType& type = group.types;
    if (!group.meta.key.keyed) return "it has no key";
    if (type.key_plan) {
        const bool described = types::described_type(group.meta).has_value();
        return described ? "the description of its type" : "the key layout of the rule";
    }
    if (!type.saw_keyless) return "the key hashes that its writers send";
    return fmt::format(
        "nothing ({}); only limits of the whole topic apply. Name the key in a "
        "rule: topics[].key",
        type.problem);
}

std::vector<std::string> DomainService::topics_like(const std::string& topic) const {
    std::set<std::string_view> names;
    for (const auto& [guid, writer] : participants_[0]->sedp().writers())
        names.insert(writer.topic);
    for (const auto& [guid, reader] : participants_[1]->sedp().readers())
        names.insert(reader.topic);
    for (const auto& [key, group] : groups_.all())
        names.insert(key.topic);
    std::vector<std::string_view> left(names.begin(), names.end());
    std::vector<std::string> near;
    while (near.size() < most_near_names) {
        auto closest = closest_match(topic, left);
        if (!closest && topic.starts_with('/'))
            closest = closest_match(dds_topic_of_ros(topic), left);
        if (!closest) break;
        near.emplace_back(*closest);
        std::erase(left, std::string_view(near.back()));
    }
    return near;
}

TopicExplanation DomainService::explain(const std::string& topic,
                                        const store::StoreStatus& store,
                                        Now now) const {
    TopicExplanation result;
    result.domain = options_.domain;
    result.topic = topic;
    const std::vector<ServedGroup*>& groups = groups_.of_topic(topic);
    explain_groups(store, result);
    explain_writers(groups, result);
    explain_readers(groups, now, result);
    remark_hidden(now, result);
    return result;
}

// Those that are served stand first, in the order of `groups_.of_topic()`: others refer to them by
// their place.
void DomainService::explain_groups(const store::StoreStatus& store,
                                   TopicExplanation& result) const {
    const auto stored = [&](const GroupKey& key) {
        return std::ranges::find_if(
            store.groups, [&](const store::GroupStatus& one) { return one.meta.key == key; });
    };
    for (const ServedGroup* group : groups_.of_topic(result.topic)) {
        const auto known = stored(group->meta.key);
        result.groups.push_back(explain_served(
            *group, known == store.groups.end() ? status_of(*group) : store::topic_status(*known)));
    }
    for (const store::GroupStatus& group : store.groups) {
        if (group.meta.key.topic != result.topic) continue;
        if (groups_.all().contains(group.meta.key)) continue;
        result.groups.push_back(
            explain_stored(group.meta.key, options_.config, store::topic_status(group)));
    }
}

void DomainService::explain_writers(const std::vector<ServedGroup*>& groups,
                                    TopicExplanation& result) const {
    const auto& unserved = ingest_->unserved();
    for (const auto& [guid, data] : participants_[0]->sedp().writers()) {
        if (data.topic != result.topic) continue;
        WriterExplanation& writer = result.writers.emplace_back();
        describe(data, writer);
        explain_reach(participants_[0]->reach(data), writer);
        if (is_service(*participants_[0], guid.prefix, ServiceRole::replay)) {
            writer.reason = "it replays what another daemon keeps";
            continue;
        }
        const auto group = std::ranges::find_if(
            groups, [&, id = guid](const ServedGroup* one) { return one->writers.contains(id); });
        if (group != groups.end()) {
            writer.group = static_cast<std::size_t>(group - groups.begin());
            continue;
        }
        const auto refused = unserved.find(guid);
        if (refused == unserved.end()) continue;
        const auto& [copy, verdict, rule] = refused->second;
        const ServeReason reason = service::explain(verdict, rule, data.topic, data.qos.durability);
        writer.reason = reason.text;
        writer.cure = reason.cure;
        if (verdict == ServeVerdict::serve) {
            writer.reason = "limits.served_groups is reached";
            writer.cure = "raise the limit, or serve fewer topics";
        }
    }
}

void DomainService::explain_readers(const std::vector<ServedGroup*>& groups,
                                    Now now,
                                    TopicExplanation& result) const {
    const std::vector<Replay::LateReaderView> late = replay_->readers(now);
    std::vector<const EndpointData*> writers;
    for (const auto& [guid, data] : participants_[0]->sedp().writers()) {
        if (data.topic == result.topic) writers.push_back(&data);
    }
    for (const auto& [guid, data] : participants_[1]->sedp().readers()) {
        if (data.topic != result.topic) continue;
        ReaderExplanation& reader = result.readers.emplace_back();
        describe(data, reader);
        explain_reach(participants_[1]->reach(data), reader);
        if (is_service(*participants_[1], guid.prefix, ServiceRole::ingest)) {
            reader.reason = "it records for another daemon";
            continue;
        }
        if (groups.empty() && reader.reason.empty()) reader.reason = without_group(data, writers);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            ReaderMatch& match = reader.groups.emplace_back();
            match.group = i;
            const auto view = std::ranges::find_if(late, [&, id = guid](const auto& one) {
                return one.reader == id && one.group == groups[i];
            });
            if (view != late.end()) {
                match.served = reader_status(*view);
                ++result.groups[i].topic.readers;
            } else if (groups[i]->state == ServedGroup::State::open) {
                const auto mismatch = discovery::explain_mismatch(groups[i]->replay, data);
                if (mismatch.reason == discovery::MismatchReason::none) continue;
                match.policy = discovery::name(mismatch.reason);
                match.offered = mismatch.offered;
                match.requested = mismatch.requested;
                match.cure = discovery::cure(mismatch.reason);
            }
        }
    }
}

// What keeps endpoints from being known at all.
void DomainService::remark_hidden(Now now, TopicExplanation& result) const {
    for (const auto& one : participants_[0]->spdp().unreachable(now.mono)) {
        result.remarks.push_back(fmt::format(
            "the participant {} ({}{}{}) announces no UDP address that can be used, so its writers "
            "and readers are not known; give it a UDP transport beside shared memory or TCP",
            to_string(one.guid.prefix),
            discovery::vendor_name(one.vendor),
            one.name.empty() ? "" : ", ",
            printable(one.name)));
    }
    const Limits& limits = options_.config.limits;
    const auto remark = [&](std::size_t known, std::uint64_t limit, std::string_view name) {
        if (known < limit) return;
        result.remarks.push_back(
            fmt::format("limits.{} ({}) is reached: others are not known", name, limit));
    };
    remark(participants_[0]->spdp().participants().size(),
           limits.remote_participants,
           "remote_participants");
    remark(participants_[0]->sedp().writers().size(), limits.remote_writers, "remote_writers");
    remark(participants_[1]->sedp().readers().size(), limits.remote_readers, "remote_readers");
}

}  // namespace durability::service
