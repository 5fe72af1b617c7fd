// What the calls that serve a topic (durability/service.hpp) come down to: rules in front of those
// that are in force. They look at a running service and change nothing. On its loop.
#pragma once

#include "durability/service.hpp"
#include "runtime/runtime.hpp"
#include "service/domain_service.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace durability::runtime {

struct ServeChange {
    std::string topic;
    std::vector<TopicRule> add;    // in front
    std::vector<TopicRule> widen;  // likewise; see RuleBook
    std::optional<service::TypeGiven> type;
};

// Each as the call of durability/service.hpp with that name, with its errors. Pure.
[[nodiscard]] Result<ServeChange> named_topic(const std::string& topic,
                                              const std::string& type,
                                              KeyedChoice keyed,
                                              std::vector<std::string> layout,
                                              const ServeOptions& options);
// `most_bytes`: limits.type_bytes.
[[nodiscard]] Result<ServeChange> described_topic(const std::string& topic,
                                                  const std::string& type,
                                                  const TypeObjects& description,
                                                  const ServeOptions& options,
                                                  std::uint64_t most_bytes);
// These by what the domains know.
[[nodiscard]] Result<ServeChange> stored_topic(const Runtime& runtime, const std::string& topic);
[[nodiscard]] Result<ServeChange> discovered_topic(const Runtime& runtime,
                                                   const std::string& topic);

// Ordered by domain, topic, type.
[[nodiscard]] std::vector<ServedTopic> list_served(const Runtime& runtime);
// The errors among them, one a line; empty for none.
[[nodiscard]] std::string all_problems(const std::vector<ConfigProblem>& problems);

}  // namespace durability::runtime
