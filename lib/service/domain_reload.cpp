// What becomes of a domain's topics when the configuration is reloaded (semantics.md, section 3):
// the same as a restart would make of them, at once.
#include "service/contract_resolver.hpp"
#include "service/domain_service.hpp"
#include "service/key_finders.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace durability::service {
namespace {

const TopicRule* rule_of(const Config& config, const GroupKey& key) {
    return find_rule(config.topics, key.topic, key.type, key.partitions);
}

}  // namespace

std::vector<TopicEffect> DomainService::reload(Config next, Now now) {
    std::vector<TopicEffect> effects;
    const auto note = [&](const GroupKey& key, TopicEffect::Kind kind) {
        effects.push_back({options_.domain, key.topic, key.type, kind});
    };
    take_samples(now);
    ingest_->flush(now);
    // Rules are pointed at: the old ones live until nobody does.
    const Config before = std::exchange(options_.config, std::move(next));
    const Config& config = options_.config;
    tell_store(before);
    services_->set_priority(config.replay.priority);

    std::set<GroupKey> known;
    std::vector<ServedGroup*> groups;
    for (const auto& [key, group] : groups_.all()) {
        known.insert(key);
        groups.push_back(group.get());
    }
    for (ServedGroup* group : groups) {
        const GroupKey key = group->meta.key;
        const TopicRule* rule = rule_of(config, key);
        const ServeVerdict verdict = judge(rule, key.topic, key.durability);
        if (verdict != ServeVerdict::serve) {
            withdraw(*group, rule, verdict, now);
            note(key, TopicEffect::Kind::not_served);
            continue;
        }
        const StorageKind storage = resolve_storage(rule, key.durability);
        if (storage != resolve_storage(group->rule, key.durability) &&
            storage != group->meta.storage) {
            note(key, TopicEffect::Kind::storage_kept);
        }
        group->rule = rule;
        if (follow_contract(*group)) note(key, TopicEffect::Kind::contract);
    }
    open_dormant(now);
    for (const discovery::EndpointData& writer : ingest_->follow_rules(now)) {
        note_type_of(writer, now);
        replay_->on_writer_found(writer, now);
    }
    open_exact_rules(now);
    for (const auto& [key, group] : groups_.all()) {
        if (!known.contains(key)) note(key, TopicEffect::Kind::served);
    }
    return effects;
}

// Before any group is opened under the new rules.
void DomainService::tell_store(const Config& before) {
    store::Reconfigure command{options_.config.limits,
                               options_.config.store.sync_interval,
                               key_finders(options_.config),
                               {}};
    for (const auto& [key, group] : groups_.all()) {
        if (group->state != ServedGroup::State::open) continue;
        if (key_layout(before, key) == key_layout(options_.config, key)) continue;
        types_->on_layout_changed(*group);
        command.keys_changed.push_back(group->handle);
    }
    commands_.emplace_back(std::move(command));
}

bool DomainService::follow_contract(ServedGroup& group) {
    const ResolvedContract wanted =
        resolve(group.rule, group.meta.qos.durability_service, options_.config.default_contract);
    // One that the store is still asked for may not be this one.
    const bool is_same = group.contract_ticket == 0 && wanted.contract == group.meta.contract &&
                         wanted.source == group.meta.contract_source;
    if (is_same || !takes_effect(group.meta.contract_source, wanted.source)) return false;
    ingest_->change_contract(group, wanted);
    return wanted.contract != group.meta.contract;
}

void DomainService::withdraw(ServedGroup& group,
                             const TopicRule* rule,
                             ServeVerdict verdict,
                             Now now) {
    replay_->withdraw(group, now);
    types_->forget(group);
    ingest_->withdraw(group, rule, verdict, now);
    GroupMeta meta = group.meta;
    groups_.remove(group);
    dormant_.insert_or_assign(meta.key, std::move(meta));
}

// Groups that are stored and were not served.
void DomainService::open_dormant(Now now) {
    for (auto at = dormant_.begin(); at != dormant_.end();) {
        const auto one = at++;
        if (!is_served(one->first)) continue;
        open_stored(one->second, now);
        // Else there was no room for it.
        if (groups_.find(one->first) == nullptr) continue;
        dormant_.erase(one);
        // Its writers may have ended meanwhile; those that live are met again at once.
        absent_due_ = after(now.mono, options_.config.network_lease);
    }
}

}  // namespace durability::service
