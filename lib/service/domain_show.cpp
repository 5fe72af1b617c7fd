// What `durabilityctl show` says of a topic: what is in force, and where it comes from.
#include "types/topic_keys.hpp"
#include "types/type_values.hpp"

#include "base/text.hpp"
#include "model/group_values.hpp"
#include "service/contract_origin.hpp"
#include "service/contract_resolver.hpp"
#include "service/domain_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

std::string_view name(ServeKind kind) {
    switch (kind) {
        case ServeKind::transient_local:
            return "transient_local";
        case ServeKind::transient:
            return "transient";
        case ServeKind::persistent:
            return "persistent";
        case ServeKind::never:
            return "never";
    }
    return "?";
}

ShownValue serve_value(const TopicRule* rule) {
    if (rule == nullptr)
        return {"serve", std::string(name(TopicRule{}.serve)), ValueOrigin::built_in, {}};
    return {"serve", std::string(name(rule->serve)), ValueOrigin::rule, rule->origin};
}

ShownValue storage_value(const GroupMeta& meta, const TopicRule* rule) {
    const std::string text(durability::name(meta.storage));
    const bool agrees = resolve_storage(rule, meta.key.durability) == meta.storage;
    if (!agrees)
        return {"storage", text, ValueOrigin::stored, "it stays where it was first stored"};
    if (rule != nullptr && rule->storage != StorageChoice::automatic)
        return {"storage", text, ValueOrigin::rule, rule->origin};
    return {"storage",
            text,
            ValueOrigin::built_in,
            fmt::format("for {}", durability::name(meta.key.durability))};
}

ShownValue keyed_value(const GroupMeta& meta, const TopicRule* rule) {
    const std::string text = meta.key.keyed ? "yes" : "no";
    if (rule != nullptr && rule->keyed != KeyedChoice::automatic &&
        (rule->keyed == KeyedChoice::yes) == meta.key.keyed) {
        return {"keyed", text, ValueOrigin::rule, rule->origin};
    }
    return {"keyed", text, ValueOrigin::writer, {}};
}

// How its instances are told apart.
ShownValue key_value(const GroupMeta& meta, const ServedGroup* served, const Config& config) {
    const TopicRule* rule =
        find_rule(config.topics, meta.key.topic, meta.key.type, meta.key.partitions);
    const bool by_rule = meta.key.keyed && rule != nullptr && !rule->key.empty() &&
                         !types::described_type(meta).has_value();
    ShownValue value{"key", {}, ValueOrigin::writer, {}};
    if (served != nullptr) {
        value.value = key_source(*served);
    } else if (!meta.key.keyed) {
        value.value = "it has no key";
    } else if (types::described_type(meta)) {
        value.value = "the description of its type";
    } else {
        value.value =
            by_rule ? "the key layout of the rule" : "the key hashes that its writers send";
    }
    if (by_rule) {
        value.origin = ValueOrigin::rule;
        value.where = rule->origin;
    }
    return value;
}

// By the writers that are there; where none of them announces anything, by the first one, whose QoS
// is stored with the group.
std::vector<Announcement> announcements(const GroupMeta& meta, const ServedGroup* served) {
    std::vector<Announcement> result;
    if (served != nullptr) {
        for (const auto& [guid, writer] : served->writers) {
            if (writer.data.qos.durability_service)
                result.push_back({guid, *writer.data.qos.durability_service});
        }
    }
    if (meta.qos.durability_service) result.push_back({unknown_guid, *meta.qos.durability_service});
    return result;
}

ShownGroup show_group(const GroupMeta& meta,
                      const ServedGroup* served,
                      const Config& config,
                      TopicStatus topic) {
    ShownGroup result;
    result.topic = std::move(topic);
    result.state = "stored";
    if (served != nullptr) {
        result.state = !served->problem.empty()                       ? "failed"
                       : served->state == ServedGroup::State::opening ? "opening"
                                                                      : "served";
    }
    const TopicRule* rule =
        served != nullptr
            ? served->rule
            : find_rule(config.topics, meta.key.topic, meta.key.type, meta.key.partitions);
    result.values = {serve_value(rule), storage_value(meta, rule)};
    const auto append = [&result](std::vector<ShownValue> more) {
        std::move(more.begin(), more.end(), std::back_inserter(result.values));
    };
    const std::vector<Announcement> announced = announcements(meta, served);
    append(contract_values(
        meta.contract,
        origins_of(meta.contract, meta.contract_source, rule, announced, config.default_contract)));
    result.values.push_back(keyed_value(meta, rule));
    result.values.push_back(key_value(meta, served, config));
    append(types::type_values(meta));
    append(qos_values(meta));
    return result;
}

}  // namespace

ShownTopic DomainService::show(const std::string& topic, const store::StoreStatus& store) const {
    ShownTopic result;
    result.domain = options_.domain;
    result.topic = topic;
    for (const ServedGroup* group : groups_.of_topic(topic)) {
        const auto known = std::ranges::find_if(
            store.groups, [&](const auto& one) { return one.meta.key == group->meta.key; });
        TopicStatus status;
        if (known != store.groups.end()) {
            status = store::topic_status(*known);
        } else {
            store::GroupStatus nothing;
            nothing.meta = group->meta;
            status = store::topic_status(nothing);
        }
        status.replayed = group->replayed;
        result.groups.push_back(show_group(group->meta, group, options_.config, std::move(status)));
    }
    for (const store::GroupStatus& group : store.groups) {
        if (group.meta.key.topic != topic || groups_.all().contains(group.meta.key)) continue;
        result.groups.push_back(
            show_group(group.meta, nullptr, options_.config, store::topic_status(group)));
    }
    return result;
}

}  // namespace durability::service
