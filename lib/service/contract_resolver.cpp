#include "service/contract_resolver.hpp"

#include "base/text.hpp"
#include "discovery/matching.hpp"
#include "model/ros_names.hpp"
#include "model/rtps_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::service {
namespace {

std::uint64_t to_limit(std::int32_t announced) {
    return announced < 0 ? unlimited : static_cast<std::uint64_t>(announced);
}

void apply_announced(const DurabilityServiceQos& announced, Contract& contract) {
    contract.history = announced.history.kind == HistoryKind::keep_all ? ContractHistory::keep_all
                                                                       : ContractHistory::keep_last;
    // KEEP_ALL comes with whatever depth the vendor leaves there.
    contract.depth =
        announced.history.depth < 1 ? 1 : static_cast<std::uint64_t>(announced.history.depth);
    contract.max_samples = to_limit(announced.limits.max_samples);
    contract.max_instances = to_limit(announced.limits.max_instances);
    contract.max_samples_per_instance = to_limit(announced.limits.max_samples_per_instance);
    const Duration delay = to_duration(announced.service_cleanup_delay);
    if (delay != Duration::zero()) contract.cleanup_delay = delay;
}

template <class T>
void override_with(const std::optional<T>& given, T& value) {
    if (given) value = *given;
}

std::string_view what_it_is(InternalTopic kind) {
    switch (kind) {
        case InternalTopic::none:
        case InternalTopic::middleware:
            return "the topic is internal to the middleware";
        case InternalTopic::ros_graph:
            return "ROS 2 keeps its graph of nodes in the topic, which says nothing of nodes that "
                   "have gone";
        case InternalTopic::ros_service:
            return "the topic carries requests or replies of a ROS 2 service, which are for the "
                   "node that waits for them now";
        case InternalTopic::ros_action:
            return "the topic belongs to a ROS 2 action, whose goals mean nothing once its server "
                   "has gone";
        case InternalTopic::ros_log:
            return "the topic is the log of ROS 2";
        case InternalTopic::ros_parameters:
            return "the topic carries the parameter changes of ROS 2, which mean nothing once "
                   "their node has gone";
    }
    return "";
}

// Nobody wants these by accident, so a pattern is not enough; see names_internal_topic().
ServeReason explain_internal(std::string_view topic, const TopicRule* rule) {
    ServeReason reason;
    reason.text = what_it_is(internal_topic(topic));
    const auto ros = ros_topic_of_dds(topic);
    const std::string spelled = ros ? fmt::format("ros_topic: {}", quote_if_needed(*ros))
                                    : fmt::format("topic: {}", quote_if_needed(topic));
    reason.cure = fmt::format(
        "should it be kept all the same, add a rule that names it exactly ({})", spelled);
    if (rule != nullptr) reason.cure += fmt::format(", in front of the one at {}", rule->origin);
    return reason;
}

}  // namespace

const TopicRule* find_rule(std::span<const TopicRule> rules,
                           std::string_view topic,
                           std::string_view type,
                           std::span<const std::string> partitions) {
    const auto matches = [&](const TopicRule& rule) {
        if (!discovery::glob_matches(rule.topic, topic) ||
            !discovery::glob_matches(rule.type, type))
            return false;
        if (partitions.empty()) return discovery::glob_matches(rule.partition, "");
        return std::ranges::any_of(partitions, [&](const std::string& partition) {
            return discovery::glob_matches(rule.partition, partition);
        });
    };
    const auto found = std::ranges::find_if(rules, matches);
    return found == rules.end() ? nullptr : &*found;
}

std::string_view name(ServeVerdict verdict) {
    switch (verdict) {
        case ServeVerdict::serve:
            return "served";
        case ServeVerdict::volatile_writer:
            return "the writer offers VOLATILE";
        case ServeVerdict::too_weak:
            return "the writer offers less than what is served";
        case ServeVerdict::denied:
            return "a rule says never";
        case ServeVerdict::internal_topic:
            return "internal topic";
    }
    return "?";
}

ServeReason explain(ServeVerdict verdict,
                    const TopicRule* rule,
                    std::string_view topic,
                    DurabilityKind offered) {
    const std::string by = rule == nullptr ? std::string("by default")
                                           : fmt::format("by the rule at {}", rule->origin);
    switch (verdict) {
        case ServeVerdict::serve:
            return {};
        case ServeVerdict::volatile_writer:
            return {"it offers VOLATILE: by its own word there is nothing to keep",
                    fmt::format("let it offer {}", name(weakest_served(rule)))};
        case ServeVerdict::too_weak: {
            ServeReason reason{fmt::format("it offers {}, and {} is the least that is served {}",
                                           name(offered),
                                           name(weakest_served(rule)),
                                           by),
                               fmt::format("let it offer {}", name(weakest_served(rule)))};
            const std::string kind =
                offered == DurabilityKind::transient_local ? "transient_local" : "transient";
            reason.cure += rule == nullptr ? fmt::format(", or add a rule with serve: {}", kind)
                                           : fmt::format(", or give that rule serve: {}", kind);
            return reason;
        }
        case ServeVerdict::denied:
            return {fmt::format("the rule at {} says serve: never", rule->origin),
                    "change that rule, or put one for this topic in front of it"};
        case ServeVerdict::internal_topic:
            return explain_internal(topic, rule);
    }
    return {};
}

DurabilityKind weakest_served(const TopicRule* rule) {
    if (rule == nullptr) return DurabilityKind::transient;
    switch (rule->serve) {
        case ServeKind::transient_local:
            return DurabilityKind::transient_local;
        case ServeKind::transient:
            return DurabilityKind::transient;
        case ServeKind::persistent:
        case ServeKind::never:
            return DurabilityKind::persistent;
    }
    return DurabilityKind::transient;
}

ServeVerdict judge(const TopicRule* rule, std::string_view topic, DurabilityKind offered) {
    const bool internal = internal_topic(topic) != InternalTopic::none;
    if (internal && (rule == nullptr || !names_internal_topic(rule->topic, topic)))
        return ServeVerdict::internal_topic;
    if (rule != nullptr && rule->serve == ServeKind::never) return ServeVerdict::denied;
    if (offered == DurabilityKind::volatile_) return ServeVerdict::volatile_writer;
    return offered >= weakest_served(rule) ? ServeVerdict::serve : ServeVerdict::too_weak;
}

ResolvedContract resolve(const TopicRule* rule,
                         const std::optional<DurabilityServiceQos>& announced,
                         const Contract& daemon_default) {
    ResolvedContract result{daemon_default, ContractSource::daemon_default};
    if (announced && !announced->is_default()) {
        apply_announced(*announced, result.contract);
        result.source = ContractSource::announced;
    }
    if (rule == nullptr || rule->contract.empty()) return result;
    const ContractOverride& given = rule->contract;
    override_with(given.history, result.contract.history);
    override_with(given.depth, result.contract.depth);
    override_with(given.max_samples, result.contract.max_samples);
    override_with(given.max_instances, result.contract.max_instances);
    override_with(given.max_samples_per_instance, result.contract.max_samples_per_instance);
    override_with(given.cleanup_delay, result.contract.cleanup_delay);
    override_with(given.scope, result.contract.scope);
    override_with(given.max_bytes, result.contract.max_bytes);
    override_with(given.max_age, result.contract.max_age);
    // A depth alone means keep that many.
    if (given.depth && !given.history) result.contract.history = ContractHistory::keep_last;
    result.source = ContractSource::rule;
    return result;
}

StorageKind resolve_storage(const TopicRule* rule, DurabilityKind offered) {
    if (rule != nullptr && rule->storage == StorageChoice::disk) return StorageKind::disk;
    if (rule != nullptr && rule->storage == StorageChoice::memory) return StorageKind::memory;
    return offered == DurabilityKind::transient ? StorageKind::memory : StorageKind::disk;
}

}  // namespace durability::service
