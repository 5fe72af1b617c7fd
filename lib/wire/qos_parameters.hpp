// QoS policies <-> parameters of SEDP (RTPS 2.5, 9.6.2.2.2; DDS 1.4, 2.2.3; XTypes 1.3, 7.6.3).
// Pure functions; thread-safe.
#pragma once

#include "model/qos.hpp"
#include "wire/parameter_list.hpp"
#include "wire/parameter_value.hpp"

namespace durability::wire {

enum class EndpointRole : std::uint8_t {
    writer,
    reader
};

// What holds for parameters that are absent: a writer is RELIABLE with 100 ms, a reader
// BEST_EFFORT.
[[nodiscard]] EndpointQos default_qos(EndpointRole role);

// Reads one parameter into `qos`: true if it is a policy, false if it is something else (qos
// unchanged). Errors (qos unchanged): bad_length, bad_range (enumerations, negative durations,
// KEEP_LAST without a depth, negative limits), bad_string, over_limit. A DURABILITY_SERVICE of all
// zeros counts as not set and a limit of 0 as unlimited, because peers announce them so.
[[nodiscard]] Decoded<bool> decode_qos_parameter(const Parameter& parameter,
                                                 std::endian order,
                                                 const StringLimits& limits,
                                                 EndpointQos& qos);

// Appends the policies of an endpoint. DURABILITY, RELIABILITY, OWNERSHIP and DATA_REPRESENTATION
// always (peers differ in what they assume), the others when they differ from the default;
// TYPE_INFORMATION and TYPE_CONSISTENCY never (fact sheet 3.3). Whether all of it fitted:
// list.ok().
void encode_qos(ParameterListBuilder& list, const EndpointQos& qos, EndpointRole role);

}  // namespace durability::wire
