// The QoS policies that are read, announced, mirrored or matched (DDS 1.4, 2.2.3; fact sheet 2.3).
// Values only; defaults are those of the standard for a parameter that is absent.
#pragma once

#include "base/bytes.hpp"
#include "model/rtps_time.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace durability {

enum class DurabilityKind : std::uint8_t {
    volatile_ = 0,
    transient_local = 1,
    transient = 2,
    persistent = 3
};
enum class ReliabilityKind : std::uint8_t {
    best_effort = 1,
    reliable = 2
};
enum class HistoryKind : std::uint8_t {
    keep_last = 0,
    keep_all = 1
};
enum class OwnershipKind : std::uint8_t {
    shared = 0,
    exclusive = 1
};
enum class LivelinessKind : std::uint8_t {
    automatic = 0,
    manual_by_participant = 1,
    manual_by_topic = 2
};
enum class DestinationOrderKind : std::uint8_t {
    by_reception_timestamp = 0,
    by_source_timestamp = 1
};
enum class PresentationScope : std::uint8_t {
    instance = 0,
    topic = 1,
    group = 2
};

[[nodiscard]] std::string_view name(DurabilityKind kind);
[[nodiscard]] std::string_view name(ReliabilityKind kind);
[[nodiscard]] std::string_view name(HistoryKind kind);

// A limit that is not set (LENGTH_UNLIMITED on the wire is -1).
inline constexpr std::int32_t length_unlimited = -1;

struct History {
    HistoryKind kind{HistoryKind::keep_last};
    std::int32_t depth{1};
    friend bool operator==(const History&, const History&) = default;
};

struct ResourceLimits {
    std::int32_t max_samples{length_unlimited};
    std::int32_t max_instances{length_unlimited};
    std::int32_t max_samples_per_instance{length_unlimited};
    friend bool operator==(const ResourceLimits&, const ResourceLimits&) = default;
};

// The retention contract a writer announces (DDS 1.4, 2.2.3.5).
struct DurabilityServiceQos {
    QosDuration service_cleanup_delay{};
    History history{};
    ResourceLimits limits{};
    friend bool operator==(const DurabilityServiceQos&, const DurabilityServiceQos&) = default;
    // Equal to the DDS default, and so not to be told from an unset one.
    [[nodiscard]] bool is_default() const { return *this == DurabilityServiceQos{}; }
};

struct Liveliness {
    LivelinessKind kind{LivelinessKind::automatic};
    QosDuration lease_duration{infinite_qos_duration};
    friend bool operator==(const Liveliness&, const Liveliness&) = default;
};

struct Presentation {
    PresentationScope access_scope{PresentationScope::instance};
    bool coherent_access{false};
    bool ordered_access{false};
    friend auto operator<=>(const Presentation&, const Presentation&) = default;
};

// Data representations (XTypes 1.3, 7.6.3.1.1).
inline constexpr std::int16_t representation_xcdr1 = 0;
inline constexpr std::int16_t representation_xml = 1;
inline constexpr std::int16_t representation_xcdr2 = 2;

// Everything about an endpoint that SEDP carries as QoS. Reader-only and writer-only policies share
// the structure; what an endpoint of the other kind would not send stays at its default.
struct EndpointQos {
    DurabilityKind durability{DurabilityKind::volatile_};
    std::optional<DurabilityServiceQos> durability_service;
    ReliabilityKind reliability{ReliabilityKind::best_effort};
    QosDuration max_blocking_time{0, 429496730};  // 100 ms
    History history{};
    ResourceLimits resource_limits{};
    OwnershipKind ownership{OwnershipKind::shared};
    std::int32_t ownership_strength{0};
    Liveliness liveliness{};
    QosDuration deadline{infinite_qos_duration};
    QosDuration latency_budget{};
    QosDuration lifespan{infinite_qos_duration};
    DestinationOrderKind destination_order{DestinationOrderKind::by_reception_timestamp};
    Presentation presentation{};
    std::vector<std::string> partitions;  // empty: the default partition ""
    QosDuration time_based_filter{};
    std::int32_t transport_priority{0};
    Buffer user_data;
    Buffer group_data;
    Buffer topic_data;
    std::vector<std::int16_t> representations;  // empty: {XCDR1}
    bool force_type_validation{false};          // TYPE_CONSISTENCY of a reader
    Buffer type_information;                    // opaque TypeInformation, as received

    friend bool operator==(const EndpointQos&, const EndpointQos&) = default;
};

// The representation a writer uses: the first of its list, XCDR1 when it gave none.
[[nodiscard]] std::int16_t offered_representation(const EndpointQos& qos);

}  // namespace durability
