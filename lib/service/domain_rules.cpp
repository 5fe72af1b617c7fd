// Which topics a domain serves by its rules from the start on, and what a program that serves
// topics by itself says and asks about them.
#include "types/topic_keys.hpp"

#include "service/contract_resolver.hpp"
#include "service/domain_service.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

bool is_exact(const TopicRule& rule) {
    return rule.keyed != KeyedChoice::automatic && rule.serve != ServeKind::never &&
           !discovery::is_pattern(rule.topic) && !discovery::is_pattern(rule.type);
}

}  // namespace

bool DomainService::is_served(const GroupKey& key) const {
    const TopicRule* rule = find_rule(options_.config.topics, key.topic, key.type, key.partitions);
    return judge(rule, key.topic, key.durability) == ServeVerdict::serve;
}

// A rule changed in the configuration wins over the stored contract (semantics.md, section 3).
void DomainService::open_stored(GroupMeta meta, Now now) {
    const TopicRule* rule =
        find_rule(options_.config.topics, meta.key.topic, meta.key.type, meta.key.partitions);
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
    for (const auto& [key, meta] : dormant_) {
        if (key.topic != topic) continue;
        std::optional<Contract> contract;
        if (meta.contract_source == ContractSource::rule) contract = meta.contract;
        result.push_back({key.type, key.keyed, key.durability, contract});
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
