// The sending half of qos_parameters.hpp.
#include "base/byte_writer.hpp"
#include "wire/qos_parameters.hpp"

namespace durability::wire {
namespace {

template <class Kind>
void kind(ParameterListBuilder& list, std::uint16_t id, Kind value) {
    list.u32(id, static_cast<std::uint32_t>(value));
}

void write_duration(ByteWriter& out, QosDuration duration) {
    out.i32(duration.seconds);
    out.u32(duration.fraction);
}

void write_limits(ByteWriter& out, const ResourceLimits& limits) {
    out.i32(limits.max_samples);
    out.i32(limits.max_instances);
    out.i32(limits.max_samples_per_instance);
}

void write_history(ByteWriter& out, const History& history) {
    out.u32(static_cast<std::uint32_t>(history.kind));
    out.i32(history.depth);
}

void durability_service(ParameterListBuilder& list, const DurabilityServiceQos& service) {
    Buffer value;
    ByteWriter out(value);
    write_duration(out, service.service_cleanup_delay);
    write_history(out, service.history);
    write_limits(out, service.limits);
    list.octets(pid::durability_service, value);
}

void reliability(ParameterListBuilder& list, const EndpointQos& qos) {
    Buffer value;
    ByteWriter out(value);
    out.u32(static_cast<std::uint32_t>(qos.reliability));
    write_duration(out, qos.max_blocking_time);
    list.octets(pid::reliability, value);
}

void history(ParameterListBuilder& list, const History& policy) {
    Buffer value;
    ByteWriter out(value);
    write_history(out, policy);
    list.octets(pid::history, value);
}

void resource_limits(ParameterListBuilder& list, const ResourceLimits& limits) {
    Buffer value;
    ByteWriter out(value);
    write_limits(out, limits);
    list.octets(pid::resource_limits, value);
}

void liveliness(ParameterListBuilder& list, const Liveliness& policy) {
    Buffer value;
    ByteWriter out(value);
    out.u32(static_cast<std::uint32_t>(policy.kind));
    write_duration(out, policy.lease_duration);
    list.octets(pid::liveliness, value);
}

void presentation(ParameterListBuilder& list, const Presentation& policy) {
    Buffer value;
    ByteWriter out(value);
    out.u32(static_cast<std::uint32_t>(policy.access_scope));
    out.u8(policy.coherent_access ? 1 : 0);
    out.u8(policy.ordered_access ? 1 : 0);
    list.octets(pid::presentation, value);
}

void partitions(ParameterListBuilder& list, const std::vector<std::string>& names) {
    Buffer value;
    ByteWriter out(value);
    out.u32(static_cast<std::uint32_t>(names.size()));
    for (const std::string& name : names) {
        out.align(4);
        out.u32(static_cast<std::uint32_t>(name.size() + 1));
        value.insert(value.end(), name.begin(), name.end());
        out.u8(0);
    }
    list.octets(pid::partition, value);
}

void representations(ParameterListBuilder& list, const std::vector<std::int16_t>& ids) {
    Buffer value;
    ByteWriter out(value);
    if (ids.empty()) {
        out.u32(1);
        out.i16(representation_xcdr1);
    } else {
        out.u32(static_cast<std::uint32_t>(ids.size()));
        for (const std::int16_t id : ids)
            out.i16(id);
    }
    list.octets(pid::data_representation, value);
}

void encode_writer_policies(ParameterListBuilder& list, const EndpointQos& qos) {
    const EndpointQos absent;
    if (qos.durability_service) durability_service(list, *qos.durability_service);
    if (qos.ownership_strength != absent.ownership_strength) {
        list.i32(pid::ownership_strength, qos.ownership_strength);
    }
    if (qos.lifespan != absent.lifespan) list.duration(pid::lifespan, qos.lifespan);
    if (qos.transport_priority != absent.transport_priority) {
        list.i32(pid::transport_priority, qos.transport_priority);
    }
}

void encode_optional_policies(ParameterListBuilder& list, const EndpointQos& qos) {
    const EndpointQos absent;
    if (qos.history != absent.history) history(list, qos.history);
    if (qos.resource_limits != absent.resource_limits) resource_limits(list, qos.resource_limits);
    if (qos.liveliness != absent.liveliness) liveliness(list, qos.liveliness);
    if (qos.deadline != absent.deadline) list.duration(pid::deadline, qos.deadline);
    if (qos.latency_budget != absent.latency_budget) {
        list.duration(pid::latency_budget, qos.latency_budget);
    }
    if (qos.destination_order != absent.destination_order) {
        kind(list, pid::destination_order, qos.destination_order);
    }
    if (qos.presentation != absent.presentation) presentation(list, qos.presentation);
    if (!qos.partitions.empty()) partitions(list, qos.partitions);
    if (!qos.user_data.empty()) list.octet_sequence(pid::user_data, qos.user_data);
    if (!qos.group_data.empty()) list.octet_sequence(pid::group_data, qos.group_data);
    if (!qos.topic_data.empty()) list.octet_sequence(pid::topic_data, qos.topic_data);
    if (!qos.type_information.empty()) list.octets(pid::type_information, qos.type_information);
}

}  // namespace

void encode_qos(ParameterListBuilder& list, const EndpointQos& qos, EndpointRole role) {
    kind(list, pid::durability, qos.durability);
    reliability(list, qos);
    kind(list, pid::ownership, qos.ownership);
    representations(list, qos.representations);
    encode_optional_policies(list, qos);
    switch (role) {
        case EndpointRole::writer:
            encode_writer_policies(list, qos);
            break;
        case EndpointRole::reader:
            if (qos.time_based_filter != QosDuration{}) {
                list.duration(pid::time_based_filter, qos.time_based_filter);
            }
            break;
    }
}

}  // namespace durability::wire
