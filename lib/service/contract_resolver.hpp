// Which rule applies to a topic, what it serves, and which contract follows (semantics.md, 2 and
// 3). Pure.
#pragma once

#include "durability/config.hpp"
#include "durability/contract.hpp"
#include "model/group.hpp"
#include "model/qos.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace durability::service {

// The first rule whose topic, type and partition globs match; of several partitions one suffices.
[[nodiscard]] const TopicRule* find_rule(std::span<const TopicRule> rules,
                                         std::string_view topic,
                                         std::string_view type,
                                         std::span<const std::string> partitions);

enum class ServeVerdict : std::uint8_t {
    serve,
    volatile_writer,  // offers VOLATILE: there is nothing to keep
    too_weak,         // offers less than what is served for this topic
    denied,           // a rule says `never`
    internal_topic,   // of the middleware or of ROS 2 itself, and no rule names it
};
[[nodiscard]] std::string_view name(ServeVerdict verdict);

// Whether a writer that offers `offered` under this topic and rule (nullptr: none) is served.
// Internal topics are served only where the rule names them (model/ros_names.hpp).
[[nodiscard]] ServeVerdict judge(const TopicRule* rule,
                                 std::string_view topic,
                                 DurabilityKind offered);

// The same for people: why a writer of `topic` is not served, and what would have it served.
struct ServeReason {
    std::string text;
    std::string cure;
};
[[nodiscard]] ServeReason explain(ServeVerdict verdict,
                                  const TopicRule* rule,
                                  std::string_view topic,
                                  DurabilityKind offered);

// The weakest durability served under the rule: what the ingest reader requests, so that it matches
// exactly the writers that are served and no other waits for its acknowledgements.
[[nodiscard]] DurabilityKind weakest_served(const TopicRule* rule);

struct ResolvedContract {
    Contract contract;
    ContractSource source{ContractSource::daemon_default};
};

// Per group of fields: rule, else announced, else daemon default. An announced policy equal to the
// DDS default counts as unset, and so does an announced cleanup delay of 0 s: it is what every
// application announces that sets the history alone, and taken literally it would discard history
// with its writer.
[[nodiscard]] ResolvedContract resolve(const TopicRule* rule,
                                       const std::optional<DurabilityServiceQos>& announced,
                                       const Contract& daemon_default);

// Disk for PERSISTENT, memory for TRANSIENT; TRANSIENT_LOCAL, served because an operator asked for
// it to outlive its node, goes to disk; a rule may override.
[[nodiscard]] StorageKind resolve_storage(const TopicRule* rule, DurabilityKind offered);

}  // namespace durability::service
