#include "runtime/serve_change.hpp"

#include "types/type_check.hpp"

#include "discovery/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace durability::runtime {
namespace {

ServeKind to_serve_kind(DurabilityKind kind) {
    switch (kind) {
        case DurabilityKind::volatile_:
            break;
        case DurabilityKind::transient_local:
            return ServeKind::transient_local;
        case DurabilityKind::transient:
            return ServeKind::transient;
        case DurabilityKind::persistent:
            return ServeKind::persistent;
    }
    return ServeKind::transient_local;
}

ServedTopic to_served_topic(std::uint32_t domain, const service::ServedGroup& group) {
    const GroupKey& key = group.meta.key;
    return {.domain = domain,
            .topic = key.topic,
            .type = key.type,
            .keyed = key.keyed,
            .partitions = key.partitions,
            .durability = to_serve_kind(key.durability),
            .storage = group.meta.storage,
            .contract = group.meta.contract,
            .contract_source = group.meta.contract_source,
            .problem = group.problem.empty() ? group.contract_problem : group.problem};
}

bool is_served(const Runtime& runtime, const std::string& topic) {
    const auto services = runtime.services();
    return std::ranges::any_of(services, [&](const service::DomainService* domain) {
        return !domain->groups().of_topic(topic).empty();
    });
}

ContractOverride all_of(const Contract& contract) {
    return {.history = contract.history,
            .depth = contract.depth,
            .max_samples = contract.max_samples,
            .max_instances = contract.max_instances,
            .max_samples_per_instance = contract.max_samples_per_instance,
            .cleanup_delay = contract.cleanup_delay,
            .scope = contract.scope,
            .max_bytes = contract.max_bytes,
            .max_age = contract.max_age};
}

// A rule that serves what is left out, for each of its types.
std::vector<TopicRule> rules_for(const std::string& topic,
                                 const std::vector<service::DomainService::LeftOut>& left_out,
                                 std::string_view origin) {
    std::vector<TopicRule> rules;
    for (const auto& one : left_out) {
        TopicRule rule;
        rule.topic = topic;
        rule.type = one.type;
        rule.serve = to_serve_kind(one.durability);
        // A rule that is gone does not count any more; this one says what that said.
        if (one.contract) rule.contract = all_of(*one.contract);
        rule.origin = origin;
        rules.push_back(std::move(rule));
    }
    return rules;
}

}  // namespace

std::string all_problems(const std::vector<ConfigProblem>& problems) {
    std::string text;
    for (const ConfigProblem& problem : problems) {
        if (problem.is_warning) continue;
        if (!text.empty()) text += '\n';
        text += problem.text;
        while (text.ends_with('\n'))
            text.pop_back();
    }
    return text;
}

std::vector<ServedTopic> list_served(const Runtime& runtime) {
    std::vector<ServedTopic> result;
    for (const service::DomainService* domain : runtime.services()) {
        for (const auto& [key, group] : domain->groups().all())
            result.push_back(to_served_topic(domain->domain(), *group));
    }
    return result;
}

Result<ServeChange> named_topic(const std::string& topic,
                                const std::string& type,
                                KeyedChoice keyed,
                                std::vector<std::string> layout,
                                const ServeOptions& options) {
    if (discovery::is_pattern(topic) || discovery::is_pattern(type)) {
        return fail(Errc::invalid_argument,
                    fmt::format("serve {} of type {}: a pattern belongs into a rule of the "
                                "configuration; here one topic is named",
                                topic,
                                type));
    }
    if (options.weakest == ServeKind::never) {
        return fail(Errc::invalid_argument,
                    fmt::format("serve {}: ServeKind::never means not to serve it", topic));
    }
    TopicRule rule;
    rule.topic = topic;
    rule.type = type;
    rule.partition = options.partition;
    rule.serve = options.weakest;
    rule.storage = options.storage;
    rule.keyed = keyed;
    rule.key = std::move(layout);
    rule.contract = options.contract;
    rule.origin = "serve()";
    Config checked;
    checked.topics = {rule};
    if (const std::string problems = all_problems(check_config(checked)); !problems.empty())
        return fail(Errc::invalid_argument, fmt::format("serve {}: {}", topic, problems));
    return ServeChange{.topic = topic, .add = {std::move(rule)}, .widen = {}, .type = {}};
}

Result<ServeChange> described_topic(const std::string& topic,
                                    const std::string& type,
                                    const TypeObjects& description,
                                    const ServeOptions& options,
                                    std::uint64_t most_bytes) {
    std::uint64_t bytes = description.information.size();
    for (const auto& object : description.objects)
        bytes += object.size();
    if (bytes > most_bytes) {
        return fail(
            Errc::resource_limit,
            fmt::format("serve {}: a description of {} bytes is above limits.type_bytes ({})",
                        topic,
                        bytes,
                        most_bytes));
    }
    service::TypeGiven given{type, description.information, description.objects};
    const auto keyed = types::check_description(given.information, given.objects);
    if (!keyed) {
        return fail(keyed.error().code,
                    fmt::format("serve {}: type {}: {}", topic, type, keyed.error().detail));
    }
    auto change =
        named_topic(topic, type, *keyed ? KeyedChoice::yes : KeyedChoice::no, {}, options);
    if (change) change->type = std::move(given);
    return change;
}

Result<ServeChange> stored_topic(const Runtime& runtime, const std::string& topic) {
    std::vector<service::DomainService::LeftOut> stored;
    for (const service::DomainService* domain : runtime.services()) {
        const auto here = domain->stored_and_left_out(topic);
        stored.insert(stored.end(), here.begin(), here.end());
    }
    if (stored.empty() && !is_served(runtime, topic)) {
        return fail(Errc::not_found,
                    fmt::format("serve {}: nothing of such a topic is stored", topic));
    }
    return ServeChange{.topic = topic,
                       .add = {},
                       .widen = rules_for(topic, stored, "serve_if_stored()"),
                       .type = {}};
}

Result<ServeChange> discovered_topic(const Runtime& runtime, const std::string& topic) {
    std::vector<service::DomainService::LeftOut> written;
    bool any = false;
    for (const service::DomainService* domain : runtime.services()) {
        for (const auto& writer : domain->written_and_left_out(topic)) {
            any = true;
            if (writer.durability != DurabilityKind::volatile_) written.push_back(writer);
        }
    }
    if (written.empty() && !is_served(runtime, topic)) {
        if (!any)
            return fail(Errc::not_found,
                        fmt::format("serve {}: nobody writes such a topic", topic));
        return fail(Errc::invalid_argument,
                    fmt::format("serve {}: its writers offer VOLATILE: by their own word there is "
                                "nothing to keep",
                                topic));
    }
    return ServeChange{.topic = topic,
                       .add = {},
                       .widen = rules_for(topic, written, "serve_discovered()"),
                       .type = {}};
}

}  // namespace durability::runtime
