// How the instances of one topic's samples are found: by the type stored with its metadata, else by
// a layout an operator gave, else as the writers say (semantics.md, section 4). Pure; thread-safe.
#pragma once

#include "types/key_plan.hpp"

#include "durability/error.hpp"
#include "model/group.hpp"
#include "model/sample.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace durability::types {

// The descriptions stored with a topic.
[[nodiscard]] TypeLibrary library_of(const GroupMeta& meta);
// The best description of the topic's type: the complete one, which has the names, else the minimal
// one; nothing unless everything it depends on is stored.
[[nodiscard]] std::optional<TypeId> described_type(const GroupMeta& meta);

// Errors: not_found (neither type nor layout), else those of KeyPlan. `layout` may be empty.
[[nodiscard]] Result<KeyPlan> plan_keys(const GroupMeta& meta,
                                        const std::vector<std::string>& layout);

// The instance of a sample: from its payload, else by the key hash it came with (`meta.key`), else
// nothing.
[[nodiscard]] std::optional<InstanceKey> find_key(const KeyPlan& plan,
                                                  const SampleMeta& meta,
                                                  ByteView payload);

// find_key() with the plan for a topic, as a store wants it (store/key_finder.hpp); empty where
// there is no plan.
[[nodiscard]] std::function<std::optional<InstanceKey>(const SampleMeta& meta, ByteView payload)>
key_finder(const GroupMeta& meta, const std::vector<std::string>& layout);

// The serialized key of a sample whose payload is of that kind; nothing when it has none.
[[nodiscard]] std::optional<Buffer> serialized_key(const KeyPlan& plan,
                                                   PayloadKind kind,
                                                   ByteView payload);

// The key of an instance for people; empty where it is not to be had. `payload` is one of the
// instance, and may be empty.
[[nodiscard]] std::string readable_key(const KeyPlan& plan,
                                       const InstanceKey& instance,
                                       PayloadKind kind,
                                       ByteView payload);

}  // namespace durability::types
