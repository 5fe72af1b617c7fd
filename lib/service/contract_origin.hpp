// Which of the sources of a contract each of its values in force comes from: the other direction of
// resolve() (semantics.md, section 3). Pure.
#pragma once

#include "durability/config.hpp"
#include "model/group_values.hpp"
#include "model/guid.hpp"
#include "model/qos.hpp"

#include <span>

namespace durability::service {

struct Announcement {
    Guid writer;  // unknown_guid: one that is not there any more
    DurabilityServiceQos service;
};

// By the strongest source that says this value: the rule (nullptr: none), the writers in the order
// given, the default; `stored` where nobody does. `source`: what the contract was resolved from.
[[nodiscard]] ContractOrigins origins_of(const Contract& in_force,
                                         ContractSource source,
                                         const TopicRule* rule,
                                         std::span<const Announcement> announced,
                                         const Contract& daemon_default);

}  // namespace durability::service
