#include "service/newer_live.hpp"

#include "store/commands.hpp"

namespace durability::service {

std::uint64_t instance_number(bool keyed, const std::optional<InstanceKey>& key) {
    if (!keyed) return store::unkeyed_instance;
    return key ? store::number_of(*key) : 0;
}

void NewerLive::note(std::uint64_t instance, Timestamp source) {
    if (instance == 0) return;
    const auto known = newest_.find(instance);
    if (known == newest_.end()) {
        if (newest_.size() < most_instances) newest_.emplace(instance, source);
        return;
    }
    const bool is_newer = !source.valid() || (known->second.valid() && known->second < source);
    if (is_newer) known->second = source;
}

bool NewerLive::replaces(std::uint64_t instance, Timestamp source) const {
    const auto known = newest_.find(instance);
    if (known == newest_.end()) return false;
    return !known->second.valid() || !source.valid() || source < known->second;
}

}  // namespace durability::service
