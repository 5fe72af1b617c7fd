// Parameter ids (RTPS 2.5, 9.6.2.2.2 for discovery, 9.6.4 for inline QoS; XTypes 1.3, 7.6.3;
// DDS 1.4, 2.2.3 for the meaning of the policies). Some ids of vendors that are read or must not be
// reused.
#pragma once

#include <cstdint>

namespace durability::wire::pid {

// Structure of a list (9.4.2.11).
inline constexpr std::uint16_t pad = 0x0000;
inline constexpr std::uint16_t sentinel = 0x0001;
inline constexpr std::uint16_t vendor_specific_flag = 0x8000;
inline constexpr std::uint16_t must_understand_flag = 0x4000;

// SPDP (9.6.2.2.1).
inline constexpr std::uint16_t participant_lease_duration = 0x0002;
inline constexpr std::uint16_t domain_id = 0x000f;
inline constexpr std::uint16_t protocol_version = 0x0015;
inline constexpr std::uint16_t vendor_id = 0x0016;
inline constexpr std::uint16_t default_unicast_locator = 0x0031;
inline constexpr std::uint16_t metatraffic_unicast_locator = 0x0032;
inline constexpr std::uint16_t metatraffic_multicast_locator = 0x0033;
inline constexpr std::uint16_t expects_inline_qos = 0x0043;
inline constexpr std::uint16_t default_multicast_locator = 0x0048;
inline constexpr std::uint16_t participant_guid = 0x0050;
inline constexpr std::uint16_t builtin_endpoint_set = 0x0058;
inline constexpr std::uint16_t property_list = 0x0059;
inline constexpr std::uint16_t entity_name = 0x0062;
inline constexpr std::uint16_t builtin_endpoint_qos = 0x0077;
inline constexpr std::uint16_t domain_tag = 0x4014;  // carries the must-understand flag

// SEDP (9.6.2.2.2) and the policies of DDS.
inline constexpr std::uint16_t time_based_filter = 0x0004;
inline constexpr std::uint16_t topic_name = 0x0005;
inline constexpr std::uint16_t ownership_strength = 0x0006;
inline constexpr std::uint16_t type_name = 0x0007;
inline constexpr std::uint16_t reliability = 0x001a;
inline constexpr std::uint16_t liveliness = 0x001b;
inline constexpr std::uint16_t durability = 0x001d;
inline constexpr std::uint16_t durability_service = 0x001e;
inline constexpr std::uint16_t ownership = 0x001f;
inline constexpr std::uint16_t presentation = 0x0021;
inline constexpr std::uint16_t deadline = 0x0023;
inline constexpr std::uint16_t destination_order = 0x0025;
inline constexpr std::uint16_t latency_budget = 0x0027;
inline constexpr std::uint16_t partition = 0x0029;
inline constexpr std::uint16_t lifespan = 0x002b;
inline constexpr std::uint16_t user_data = 0x002c;
inline constexpr std::uint16_t group_data = 0x002d;
inline constexpr std::uint16_t topic_data = 0x002e;
inline constexpr std::uint16_t unicast_locator = 0x002f;
inline constexpr std::uint16_t multicast_locator = 0x0030;
inline constexpr std::uint16_t history = 0x0040;
inline constexpr std::uint16_t resource_limits = 0x0041;
inline constexpr std::uint16_t transport_priority = 0x0049;
inline constexpr std::uint16_t group_guid = 0x0052;
inline constexpr std::uint16_t group_entity_id = 0x0053;
inline constexpr std::uint16_t endpoint_guid = 0x005a;
inline constexpr std::uint16_t type_max_size_serialized = 0x0060;
inline constexpr std::uint16_t data_representation = 0x0073;
inline constexpr std::uint16_t type_consistency = 0x0074;
inline constexpr std::uint16_t type_information = 0x0075;

// Inline QoS (8.7.2.2.1, 9.6.4).
inline constexpr std::uint16_t content_filter_info = 0x0055;
inline constexpr std::uint16_t coherent_set = 0x0056;             // 8.7.6
inline constexpr std::uint16_t directed_write = 0x0057;           // 8.7.7
inline constexpr std::uint16_t original_writer_info = 0x0061;     // 8.7.9
inline constexpr std::uint16_t group_coherent_set = 0x0063;       // 8.7.6
inline constexpr std::uint16_t group_seq_num = 0x0064;            // 8.7.6
inline constexpr std::uint16_t key_hash = 0x0070;                 // 9.6.4.8
inline constexpr std::uint16_t status_info = 0x0071;              // 9.6.4.9
inline constexpr std::uint16_t related_sample_identity = 0x0083;  // DDS-RPC 1.0, 7.8.2

// Ids of vendors; meaningful only with the vendor id of the message beside them (fact sheet 2.5).
inline constexpr std::uint16_t vendor_persistence_guid = 0x8002;  // eProsima; RTI: virtual GUID
inline constexpr std::uint16_t vendor_service_kind = 0x8003;      // RTI
inline constexpr std::uint16_t eprosima_related_sample_identity = 0x800f;

// The id without the must-understand flag: what decides whether a parameter is known (9.6.2.2.1).
[[nodiscard]] constexpr std::uint16_t without_flag(std::uint16_t id) {
    return static_cast<std::uint16_t>(id & static_cast<std::uint16_t>(~must_understand_flag));
}
// Whether a receiver that does not know the parameter has to give up on the whole list.
[[nodiscard]] constexpr bool must_understand(std::uint16_t id) {
    return (id & must_understand_flag) != 0;
}

}  // namespace durability::wire::pid
