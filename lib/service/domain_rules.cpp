// Which topics a domain serves by its rules: at the start, and when rules change while it runs.
#include "types/topic_keys.hpp"

#include "service/contract_resolver.hpp"
#include "service/domain_service.hpp"
#include "service/key_finders.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

bool is_exact(const TopicRule& rule) {
    return rule.keyed != KeyedChoice::automatic && rule.serve != ServeKind::never &&
           !discovery::is_pattern(rule.topic) && !discovery::is_pattern(rule.type);
}

std::vector<std::string> layout_of(const TopicRule* rule) {
    return rule == nullptr ? std::vector<std::string>{} : rule->key;
}

}  // namespace

void DomainService::open_stored(GroupMeta meta, Now now) {
    // A rule changed in the configuration wins over the stored contract (semantics.md, section 3).
    const TopicRule* rule =
        find_rule(options_.config.topics, meta.key.topic, meta.key.type, meta.key.partitions);
    if (judge(rule, meta.key.topic, meta.key.durability) != ServeVerdict::serve) {
        left_out_.push_back(std::move(meta));
        return;
    }
    const ResolvedContract contract =
        resolve(rule, meta.qos.durability_service, options_.config.default_contract);
    meta.contract = contract.contract;
    meta.contract_source = contract.source;
    ingest_->open(std::move(meta), true, now);
}

void DomainService::open_exact_rules(Now now) {
    for (const TopicRule& rule : options_.config.topics) {
        if (!is_exact(rule)) continue;
        GroupMeta meta;
        meta.key.topic = rule.topic;
        meta.key.type = rule.type;
        meta.key.keyed = rule.keyed == KeyedChoice::yes;
        if (!rule.partition.empty() && !discovery::is_pattern(rule.partition))
            meta.key.partitions = {rule.partition};
        meta.key.durability = weakest_served(&rule);
        meta.qos.durability = meta.key.durability;
        meta.qos.reliability = ReliabilityKind::reliable;
        const ResolvedContract contract =
            resolve(&rule, std::nullopt, options_.config.default_contract);
        meta.contract = contract.contract;
        meta.contract_source = contract.source;
        meta.storage = resolve_storage(&rule, meta.key.durability);
        ingest_->open(std::move(meta), false, now);
    }
}

void DomainService::set_rules(std::vector<TopicRule> rules, Now now) {
    std::map<const ServedGroup*, std::vector<std::string>> layouts;
    for (const auto& [key, group] : groups_.all())
        layouts[group.get()] = layout_of(group->rule);
    const auto queued = static_cast<std::ptrdiff_t>(commands_.size());
    // Pointers into the old rules end here; judge_served_groups() and judge_unserved() renew them.
    options_.config.topics = std::move(rules);
    judge_served_groups();
    for (const auto& [key, group] : groups_.all()) {
        if (group->state == ServedGroup::State::open &&
            layouts[group.get()] != layout_of(group->rule))
            types_->on_rule_changed(*group);
    }
    for (GroupMeta& stored : std::exchange(left_out_, {}))
        open_stored(std::move(stored), now);
    open_exact_rules(now);
    judge_unserved(now);
    if (serving_) return;
    // While stored topics are still being opened, these are among what is waited for.
    opening_ += static_cast<std::size_t>(std::count_if(
        commands_.begin() + queued, commands_.end(), [](const store::Command& command) {
            return std::holds_alternative<store::OpenGroup>(command);
        }));
}

void DomainService::judge_served_groups() {
    for (const auto& [key, group] : groups_.all()) {
        group->rule = find_rule(options_.config.topics, key.topic, key.type, key.partitions);
        if (group->rule == nullptr || group->rule->contract.empty()) continue;
        const ResolvedContract contract = resolve(
            group->rule, group->meta.qos.durability_service, options_.config.default_contract);
        if (contract.contract != group->meta.contract ||
            contract.source != group->meta.contract_source)
            ingest_->change_contract(*group, contract);
    }
}

void DomainService::judge_unserved(Now now) {
    for (const discovery::EndpointData& writer : ingest_->judge_unserved()) {
        // As if it came now: what it was matched with so as not to wait for us is undone first.
        std::ignore = ingest_->on_writer_lost(writer.guid, now);
        ingest_->on_writer_found(writer, now);
        note_type_of(writer, now);
        replay_->on_writer_found(writer, now);
    }
}

void DomainService::describe_type(const std::string& topic, TypeGiven given) {
    std::vector<TypeGiven>& types = given_types_[topic];
    std::erase_if(types, [&](const TypeGiven& other) { return other.type == given.type; });
    types.push_back(std::move(given));
    for (ServedGroup* group : groups_.of_topic(topic)) {
        if (group->state == ServedGroup::State::open) give_type(*group);
    }
}

// What somebody said the type is, to a group that knows it from nobody else. A group of writers
// whose description differs is none of them.
void DomainService::give_type(ServedGroup& group) {
    const auto topic = given_types_.find(group.meta.key.topic);
    if (topic == given_types_.end() || !group.meta.key.type_hash.empty()) return;
    if (types::described_type(group.meta)) return;
    const auto given = std::ranges::find(topic->second, group.meta.key.type, &TypeGiven::type);
    if (given != topic->second.end()) types_->describe(group, given->information, given->objects);
}

std::vector<DomainService::LeftOut> DomainService::stored_and_left_out(
    const std::string& topic) const {
    std::vector<LeftOut> result;
    for (const GroupMeta& meta : left_out_) {
        if (meta.key.topic != topic) continue;
        std::optional<Contract> contract;
        if (meta.contract_source == ContractSource::rule) contract = meta.contract;
        result.push_back({meta.key.type, meta.key.keyed, meta.key.durability, contract});
    }
    return result;
}

std::vector<DomainService::LeftOut> DomainService::written_and_left_out(
    const std::string& topic) const {
    std::vector<LeftOut> result;
    for (const auto& [guid, writer] : ingest_->unserved()) {
        if (writer.data.topic == topic)
            result.push_back(
                {writer.data.type, writer.data.is_keyed(), writer.data.qos.durability, {}});
    }
    return result;
}

}  // namespace durability::service
