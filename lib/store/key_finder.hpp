// How the store learns which instance a sample belongs to. It knows no types: whoever opens it
// brings a function that does.
#pragma once

#include "model/group.hpp"
#include "model/sample.hpp"

#include <functional>
#include <optional>

namespace durability::store {

// The instance of a sample of one group: from its payload, else as received (`meta.key`); nothing
// when neither says it. Pure; called on whatever thread owns the store.
using KeyFinder =
    std::function<std::optional<InstanceKey>(const SampleMeta& meta, ByteView payload)>;
// The finder for a group; empty when keys are only known as received.
using KeyFinders = std::function<KeyFinder(const GroupMeta& meta)>;

}  // namespace durability::store
