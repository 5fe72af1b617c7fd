// A served group: what is recorded and replayed together (semantics.md, section 2).
#pragma once

#include "base/bytes.hpp"
#include "durability/contract.hpp"
#include "model/qos.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace durability {

// What makes two writers members of one group: everything that decides which readers match.
// Partitions are sorted and without duplicates; {""} and {} are the same and stored as {}.
struct GroupKey {
    std::string topic;
    std::string type;
    bool keyed{false};
    std::vector<std::string> partitions;
    std::int16_t representation{0};
    DurabilityKind durability{DurabilityKind::transient_local};
    OwnershipKind ownership{OwnershipKind::shared};
    Presentation presentation{};
    // The minimal type id of a writer whose type has the name, but not the description, of the
    // topic's first one; empty for that.
    Buffer type_hash;
    friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

// Stored once per group, so that a restart needs no writer.
struct GroupMeta {
    GroupKey key;
    // The first writer's QoS, mirrored by the replay writer (fact sheet 3.5).
    EndpointQos qos;
    Contract contract;
    ContractSource contract_source{ContractSource::daemon_default};
    StorageKind storage{StorageKind::disk};
    // What qos.type_information names: serialized TypeObjects, all or none.
    std::vector<Buffer> type_objects;
    friend bool operator==(const GroupMeta&, const GroupMeta&) = default;
};

// Semantics, section 3: a rule wins, and so does its removal; the daemon's default follows the
// configuration; else the first writer's contract stays in force. Whether a contract from `given`
// takes the place of one from `in_force`.
[[nodiscard]] constexpr bool takes_effect(ContractSource in_force, ContractSource given) {
    return given == ContractSource::rule || in_force == ContractSource::rule ||
           (in_force == ContractSource::daemon_default && given == ContractSource::daemon_default);
}

// Small, dense, valid for one run of the process.
using GroupHandle = std::uint32_t;

}  // namespace durability
