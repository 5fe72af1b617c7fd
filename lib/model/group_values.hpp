// What is stored with a group, value by value, as `durabilityctl show` names it. Pure.
#pragma once

#include "durability/contract.hpp"
#include "model/group.hpp"
#include "model/shown_topic.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace durability {

// The fields of a contract, in the order in which they are shown.
enum class ContractField : std::uint8_t {
    history,
    depth,
    max_samples,
    max_instances,
    max_samples_per_instance,
    cleanup_delay,
    scope,
    max_bytes,
    max_age
};
inline constexpr std::size_t contract_field_count = 9;

struct Origin {
    ValueOrigin kind{ValueOrigin::stored};
    std::string where{};
    friend bool operator==(const Origin&, const Origin&) = default;
};
using ContractOrigins = std::array<Origin, contract_field_count>;  // by ContractField

// "contract.history" and so on, each with its origin.
[[nodiscard]] std::vector<ShownValue> contract_values(const Contract& contract,
                                                      const ContractOrigins& origins);
// The policies that the replay writer mirrors, those that are at their defaults included: they come
// from the group's first writer.
[[nodiscard]] std::vector<ShownValue> qos_values(const GroupMeta& meta);

// Where a contract that is only known from the store came from, in words.
[[nodiscard]] std::string_view stored_source(ContractSource source);

}  // namespace durability
