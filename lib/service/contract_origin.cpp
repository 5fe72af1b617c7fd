#include "service/contract_origin.hpp"

#include "service/contract_resolver.hpp"

namespace durability::service {
namespace {

// Whether two contracts agree in a field.
bool same(ContractField field, const Contract& a, const Contract& b) {
    switch (field) {
        case ContractField::history:
            return a.history == b.history;
        case ContractField::depth:
            return a.depth == b.depth;
        case ContractField::max_samples:
            return a.max_samples == b.max_samples;
        case ContractField::max_instances:
            return a.max_instances == b.max_instances;
        case ContractField::max_samples_per_instance:
            return a.max_samples_per_instance == b.max_samples_per_instance;
        case ContractField::cleanup_delay:
            return a.cleanup_delay == b.cleanup_delay;
        case ContractField::scope:
            return a.scope == b.scope;
        case ContractField::max_bytes:
            return a.max_bytes == b.max_bytes;
        case ContractField::max_age:
            return a.max_age == b.max_age;
    }
    return false;
}

// Whether a rule says something of the field itself.
bool says(ContractField field, const ContractOverride& given) {
    switch (field) {
        case ContractField::history:
            // A depth alone means keep that many.
            return given.history.has_value() || given.depth.has_value();
        case ContractField::depth:
            return given.depth.has_value();
        case ContractField::max_samples:
            return given.max_samples.has_value();
        case ContractField::max_instances:
            return given.max_instances.has_value();
        case ContractField::max_samples_per_instance:
            return given.max_samples_per_instance.has_value();
        case ContractField::cleanup_delay:
            return given.cleanup_delay.has_value();
        case ContractField::scope:
            return given.scope.has_value();
        case ContractField::max_bytes:
            return given.max_bytes.has_value();
        case ContractField::max_age:
            return given.max_age.has_value();
    }
    return false;
}

// Whether DURABILITY_SERVICE has the field, and a value of it that counts as given.
bool says(ContractField field, const DurabilityServiceQos& announced) {
    if (announced.is_default()) return false;
    switch (field) {
        case ContractField::history:
        case ContractField::depth:
        case ContractField::max_samples:
        case ContractField::max_instances:
        case ContractField::max_samples_per_instance:
            return true;
        case ContractField::cleanup_delay:
            return announced.service_cleanup_delay != QosDuration{};
        case ContractField::scope:
        case ContractField::max_bytes:
        case ContractField::max_age:
            return false;
    }
    return false;
}

}  // namespace

ContractOrigins origins_of(const Contract& in_force,
                           ContractSource source,
                           const TopicRule* rule,
                           std::span<const Announcement> announced,
                           const Contract& daemon_default) {
    const auto origin_of = [&](ContractField field) -> Origin {
        if (rule != nullptr && says(field, rule->contract) &&
            same(field, in_force, resolve(rule, {}, daemon_default).contract)) {
            return {ValueOrigin::rule, rule->origin};
        }
        for (const Announcement& one : announced) {
            if (!says(field, one.service) ||
                !same(field, in_force, resolve(nullptr, one.service, daemon_default).contract))
                continue;
            return {ValueOrigin::announced,
                    one.writer == unknown_guid ? std::string() : to_string(one.writer)};
        }
        if (same(field, in_force, daemon_default)) return {ValueOrigin::daemon_default, {}};
        return {ValueOrigin::stored, std::string(stored_source(source))};
    };
    ContractOrigins origins;
    for (std::size_t i = 0; i < origins.size(); ++i)
        origins[i] = origin_of(static_cast<ContractField>(i));
    return origins;
}

}  // namespace durability::service
