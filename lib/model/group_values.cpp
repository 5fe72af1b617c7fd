#include "model/group_values.hpp"

#include "base/text.hpp"
#include "model/qos_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace durability {
namespace {

std::string count_text(std::uint64_t value) {
    return value == unlimited ? "unlimited" : std::to_string(value);
}

// What an application attached is shown where it is text; a type's hash of ROS 2 is.
std::string data_text(const Buffer& data) {
    if (data.empty()) return "none";
    return printable(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()));
}

}  // namespace

std::string_view name(ValueOrigin origin) {
    switch (origin) {
        case ValueOrigin::rule:
            return "rule";
        case ValueOrigin::announced:
            return "announced";
        case ValueOrigin::writer:
            return "writer";
        case ValueOrigin::daemon_default:
            return "default";
        case ValueOrigin::built_in:
            return "built-in";
        case ValueOrigin::stored:
            return "stored";
    }
    return "?";
}

std::string_view stored_source(ContractSource source) {
    switch (source) {
        case ContractSource::rule:
            return "it came from a rule";
        case ContractSource::announced:
            return "a writer announced it";
        case ContractSource::daemon_default:
            return "it was the default";
    }
    return "?";
}

std::vector<ShownValue> contract_values(const Contract& contract, const ContractOrigins& origins) {
    const std::array<std::pair<const char*, std::string>, contract_field_count> fields{
        {{"history", std::string(name(contract.history))},
         {"depth", std::to_string(contract.depth)},
         {"max_samples", count_text(contract.max_samples)},
         {"max_instances", count_text(contract.max_instances)},
         {"max_samples_per_instance", count_text(contract.max_samples_per_instance)},
         {"cleanup_delay", format_duration(contract.cleanup_delay)},
         {"scope", std::string(name(contract.scope))},
         {"max_bytes", format_size(contract.max_bytes)},
         {"max_age", format_duration(contract.max_age)}}};
    std::vector<ShownValue> values;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        values.push_back({fmt::format("contract.{}", fields[i].first),
                          fields[i].second,
                          origins[i].kind,
                          origins[i].where});
    }
    return values;
}

std::vector<ShownValue> qos_values(const GroupMeta& meta) {
    const EndpointQos& qos = meta.qos;
    std::vector<ShownValue> values;
    const auto add = [&values](const char* field, std::string value) {
        values.push_back({field, std::move(value), ValueOrigin::writer, {}});
    };
    add("partitions", meta.key.partitions.empty() ? "\"\"" : quoted_names(meta.key.partitions));
    add("representation", text_of_representation(meta.key.representation));
    add("qos.durability", std::string(name(meta.key.durability)));
    add("qos.reliability", std::string(name(qos.reliability)));
    add("qos.ownership", text_of(meta.key.ownership));
    add("qos.destination_order", text_of(qos.destination_order));
    add("qos.presentation", text_of(meta.key.presentation));
    add("qos.deadline", text_of(qos.deadline));
    add("qos.lifespan", text_of(qos.lifespan));
    add("qos.latency_budget", text_of(qos.latency_budget));
    add("qos.liveliness", text_of(qos.liveliness));
    add("qos.user_data", data_text(qos.user_data));
    add("qos.topic_data", data_text(qos.topic_data));
    add("qos.group_data", data_text(qos.group_data));
    return values;
}

}  // namespace durability
