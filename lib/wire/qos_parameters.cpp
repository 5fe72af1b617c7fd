#include "wire/qos_parameters.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"

#include <algorithm>
#include <utility>

namespace durability::wire {
namespace {

using Outcome = tl::expected<void, DecodeError>;

template <class T>
Outcome assign(T& target, Decoded<T> value) {
    if (!value) return decode_failure(value.error());
    target = std::move(*value);
    return {};
}

// An enumeration of 32 bits whose values are lowest .. highest.
template <class Kind>
Decoded<Kind> to_kind(std::uint32_t value, Kind lowest, Kind highest) {
    if (value < static_cast<std::uint32_t>(lowest) || value > static_cast<std::uint32_t>(highest)) {
        return decode_failure(DecodeError::bad_range);
    }
    return static_cast<Kind>(value);
}

template <class Kind>
Decoded<Kind> decode_kind(ByteView value, std::endian order, Kind lowest, Kind highest) {
    const auto number = decode_u32(value, order);
    if (!number) return decode_failure(number.error());
    return to_kind(*number, lowest, highest);
}

// -1 and 0 mean "unlimited" (0 does so in Fast DDS); other negative values mean nothing.
Decoded<std::int32_t> to_limit(std::int32_t value) {
    if (value < length_unlimited) return decode_failure(DecodeError::bad_range);
    return value == 0 ? length_unlimited : value;
}

Decoded<History> to_history(std::uint32_t kind, std::int32_t depth) {
    const auto known = to_kind(kind, HistoryKind::keep_last, HistoryKind::keep_all);
    if (!known) return decode_failure(known.error());
    // The depth of KEEP_ALL has no meaning and peers fill in anything.
    if (*known == HistoryKind::keep_last && depth < 1)
        return decode_failure(DecodeError::bad_range);
    return History{*known, depth};
}

Decoded<ResourceLimits> to_resource_limits(std::int32_t samples,
                                           std::int32_t instances,
                                           std::int32_t per_instance) {
    const auto max_samples = to_limit(samples);
    const auto max_instances = to_limit(instances);
    const auto max_samples_per_instance = to_limit(per_instance);
    if (!max_samples || !max_instances || !max_samples_per_instance) {
        return decode_failure(DecodeError::bad_range);
    }
    return ResourceLimits{*max_samples, *max_instances, *max_samples_per_instance};
}

Decoded<History> decode_history(ByteView value, std::endian order) {
    if (value.size() != 8) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const std::uint32_t kind = in.u32();
    return to_history(kind, in.i32());
}

Decoded<ResourceLimits> decode_resource_limits(ByteView value, std::endian order) {
    if (value.size() != 12) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const std::int32_t samples = in.i32();
    const std::int32_t instances = in.i32();
    return to_resource_limits(samples, instances, in.i32());
}

Outcome decode_durability_service(ByteView value, std::endian order, EndpointQos& qos) {
    if (value.size() != 28) return decode_failure(DecodeError::bad_length);
    const bool all_zero =
        value.end() ==
        std::find_if(value.begin(), value.end(), [](std::uint8_t octet) { return octet != 0; });
    if (all_zero) {
        qos.durability_service.reset();
        return {};
    }
    ByteReader in(value, order);
    const auto delay = read_duration(in);
    if (!delay) return decode_failure(delay.error());
    const std::uint32_t kind = in.u32();
    const auto history = to_history(kind, in.i32());
    if (!history) return decode_failure(history.error());
    const std::int32_t samples = in.i32();
    const std::int32_t instances = in.i32();
    const auto limits = to_resource_limits(samples, instances, in.i32());
    if (!limits) return decode_failure(limits.error());
    qos.durability_service = DurabilityServiceQos{*delay, *history, *limits};
    return {};
}

Outcome decode_reliability(ByteView value, std::endian order, EndpointQos& qos) {
    if (value.size() != 12) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const auto kind = to_kind(in.u32(), ReliabilityKind::best_effort, ReliabilityKind::reliable);
    if (!kind) return decode_failure(kind.error());
    const auto blocking = read_duration(in);
    if (!blocking) return decode_failure(blocking.error());
    qos.reliability = *kind;
    qos.max_blocking_time = *blocking;
    return {};
}

Decoded<Liveliness> decode_liveliness(ByteView value, std::endian order) {
    if (value.size() != 12) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const auto kind = to_kind(in.u32(), LivelinessKind::automatic, LivelinessKind::manual_by_topic);
    if (!kind) return decode_failure(kind.error());
    const auto lease = read_duration(in);
    if (!lease) return decode_failure(lease.error());
    return Liveliness{*kind, *lease};
}

Decoded<Presentation> decode_presentation(ByteView value, std::endian order) {
    if (value.size() != 8) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const auto scope = to_kind(in.u32(), PresentationScope::instance, PresentationScope::group);
    if (!scope) return decode_failure(scope.error());
    const std::uint8_t coherent = in.u8();
    const std::uint8_t ordered = in.u8();
    if (coherent > 1 || ordered > 1) return decode_failure(DecodeError::bad_range);
    return Presentation{*scope, coherent == 1, ordered == 1};
}

// A list of 16-bit ids behind a count; ids that nobody knows yet are kept.
Decoded<std::vector<std::int16_t>> decode_representations(ByteView value,
                                                          std::endian order,
                                                          std::size_t max_count) {
    ByteReader in(value, order);
    const std::uint32_t count = in.u32();
    if (!in.ok() || count > in.remaining() / 2) return decode_failure(DecodeError::bad_length);
    if (count > max_count) return decode_failure(DecodeError::over_limit);
    std::vector<std::int16_t> result;
    result.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
        result.push_back(in.i16());
    if (in.remaining() > 3) return decode_failure(DecodeError::bad_length);
    return result;
}

// XTypes 1.3, 7.6.3.4: a 16-bit kind, five booleans. Older peers send the kind alone.
Decoded<bool> decode_force_type_validation(ByteView value, std::endian order) {
    if (value.size() != 4 && value.size() != 8) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    const std::uint16_t kind = in.u16();
    if (kind > 1) return decode_failure(DecodeError::bad_range);
    if (value.size() == 4) return false;
    in.skip(4);
    const std::uint8_t force = in.u8();
    if (force > 1) return decode_failure(DecodeError::bad_range);
    return force == 1;
}

Decoded<Buffer> decode_type_information(ByteView value, std::size_t limit) {
    if (value.size() > limit) return decode_failure(DecodeError::over_limit);
    return Buffer(value.begin(), value.end());
}

// The policies whose values are text or octets.
Decoded<bool> decode_data_policy(const Parameter& parameter,
                                 std::endian order,
                                 const StringLimits& limits,
                                 EndpointQos& qos) {
    const ByteView value = parameter.value;
    Outcome outcome;
    switch (pid::without_flag(parameter.id)) {
        case pid::partition:
            outcome = assign(
                qos.partitions,
                decode_string_sequence(value, order, limits.partitions, limits.partition_length));
            break;
        case pid::user_data:
            outcome = assign(qos.user_data, decode_octet_sequence(value, order, limits.octets));
            break;
        case pid::group_data:
            outcome = assign(qos.group_data, decode_octet_sequence(value, order, limits.octets));
            break;
        case pid::topic_data:
            outcome = assign(qos.topic_data, decode_octet_sequence(value, order, limits.octets));
            break;
        case pid::data_representation:
            outcome = assign(qos.representations,
                             decode_representations(value, order, limits.representations));
            break;
        case pid::type_consistency:
            outcome = assign(qos.force_type_validation, decode_force_type_validation(value, order));
            break;
        case pid::type_information:
            outcome = assign(qos.type_information,
                             decode_type_information(value, limits.type_information));
            break;
        default:
            return false;
    }
    if (!outcome) return decode_failure(outcome.error());
    return true;
}

// Groups of policies: what stands in `qos` changes only when all of the value is good.
Decoded<bool> decode_structured_policy(const Parameter& parameter,
                                       std::endian order,
                                       EndpointQos& qos) {
    const ByteView value = parameter.value;
    Outcome outcome;
    switch (pid::without_flag(parameter.id)) {
        case pid::durability_service:
            outcome = decode_durability_service(value, order, qos);
            break;
        case pid::reliability:
            outcome = decode_reliability(value, order, qos);
            break;
        case pid::history:
            outcome = assign(qos.history, decode_history(value, order));
            break;
        case pid::resource_limits:
            outcome = assign(qos.resource_limits, decode_resource_limits(value, order));
            break;
        case pid::liveliness:
            outcome = assign(qos.liveliness, decode_liveliness(value, order));
            break;
        case pid::presentation:
            outcome = assign(qos.presentation, decode_presentation(value, order));
            break;
        default:
            return false;
    }
    if (!outcome) return decode_failure(outcome.error());
    return true;
}

// The policies that are one number or one duration.
Decoded<bool> decode_simple_policy(const Parameter& parameter,
                                   std::endian order,
                                   EndpointQos& qos) {
    const ByteView value = parameter.value;
    Outcome outcome;
    switch (pid::without_flag(parameter.id)) {
        case pid::durability:
            outcome = assign(
                qos.durability,
                decode_kind(value, order, DurabilityKind::volatile_, DurabilityKind::persistent));
            break;
        case pid::ownership:
            outcome =
                assign(qos.ownership,
                       decode_kind(value, order, OwnershipKind::shared, OwnershipKind::exclusive));
            break;
        case pid::destination_order:
            outcome = assign(qos.destination_order,
                             decode_kind(value,
                                         order,
                                         DestinationOrderKind::by_reception_timestamp,
                                         DestinationOrderKind::by_source_timestamp));
            break;
        case pid::ownership_strength:
            outcome = assign(qos.ownership_strength, decode_i32(value, order));
            break;
        case pid::transport_priority:
            outcome = assign(qos.transport_priority, decode_i32(value, order));
            break;
        case pid::deadline:
            outcome = assign(qos.deadline, decode_duration(value, order));
            break;
        case pid::latency_budget:
            outcome = assign(qos.latency_budget, decode_duration(value, order));
            break;
        case pid::lifespan:
            outcome = assign(qos.lifespan, decode_duration(value, order));
            break;
        case pid::time_based_filter:
            outcome = assign(qos.time_based_filter, decode_duration(value, order));
            break;
        default:
            return false;
    }
    if (!outcome) return decode_failure(outcome.error());
    return true;
}

}  // namespace

EndpointQos default_qos(EndpointRole role) {
    EndpointQos qos;
    qos.reliability =
        role == EndpointRole::writer ? ReliabilityKind::reliable : ReliabilityKind::best_effort;
    return qos;
}

Decoded<bool> decode_qos_parameter(const Parameter& parameter,
                                   std::endian order,
                                   const StringLimits& limits,
                                   EndpointQos& qos) {
    if (auto simple = decode_simple_policy(parameter, order, qos); !simple || *simple)
        return simple;
    if (auto structured = decode_structured_policy(parameter, order, qos);
        !structured || *structured) {
        return structured;
    }
    return decode_data_policy(parameter, order, limits, qos);
}

}  // namespace durability::wire
