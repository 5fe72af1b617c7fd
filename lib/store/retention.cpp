#include "store/retention.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace durability::store {
namespace {

// A limit of zero would retain nothing, not even the sample at hand.
std::uint64_t at_least_one(std::uint64_t limit) {
    return std::max<std::uint64_t>(1, limit);
}

struct Bounds {
    explicit Bounds(const Contract& contract)
        : instances(at_least_one(contract.max_instances)),
          per_instance(at_least_one(contract.max_samples_per_instance)),
          total(at_least_one(contract.max_samples)),
          depth(std::min({at_least_one(contract.depth), total, per_instance})),
          bytes(at_least_one(contract.max_bytes)) {}
    std::uint64_t instances;
    std::uint64_t per_instance;
    std::uint64_t total;
    std::uint64_t depth;  // the smallest of the three that bound one instance under KEEP_LAST
    std::uint64_t bytes;
};

// The instance a sample belongs to as far as the index knows it already.
struct Owner {
    Owner(const SampleIndex& index, bool keyed, const InstanceKey* key)
        : known(!keyed || key != nullptr),
          id(!keyed           ? SampleIndex::unkeyed
             : key != nullptr ? index.find_instance(*key)
                              : SampleIndex::none),
          count(index.count_of(id)),
          values(index.values_of(id)) {}
    bool known;  // false: the key of a keyed sample was not to be had
    SampleIndex::InstanceId id;
    std::uint64_t count;
    std::uint64_t values;
    [[nodiscard]] bool is_new() const { return known && count == 0; }
};

bool has_room(const SampleIndex& index, const Bounds& bounds, std::uint64_t payload_size) {
    return payload_size <= bounds.bytes && index.payload_bytes() <= bounds.bytes - payload_size;
}

Admission check_keep_all(const SampleIndex& index,
                         const Bounds& bounds,
                         const Owner& owner,
                         std::uint64_t payload_size) {
    if (owner.is_new() && index.instance_count() >= bounds.instances) {
        return Admission::instances_exhausted;
    }
    if (owner.known && owner.values >= bounds.per_instance) {
        return Admission::samples_per_instance_exhausted;
    }
    if (index.size() >= bounds.total) return Admission::samples_exhausted;
    if (!has_room(index, bounds, payload_size)) return Admission::bytes_exhausted;
    return Admission::admitted;
}

using Evicted = std::vector<SampleIndex::Entry>;

void remove_instance(SampleIndex& index, SampleIndex::InstanceId id, Evicted& evicted) {
    for (std::uint64_t left = index.count_of(id); left > 0; --left) {
        evicted.push_back(index.pop_oldest_of(id));
    }
}

bool begins_with_operation(const SampleIndex& index, SampleIndex::InstanceId id) {
    return index.count_of(id) > 0 && index.is_operation(index.at(index.instance(id).oldest));
}

// Leaves so many values, and none of the operations before them: a value ends what they said.
void reduce_to(SampleIndex& index,
               SampleIndex::InstanceId id,
               std::uint64_t limit,
               Evicted& evicted) {
    while (index.values_of(id) > limit)
        evicted.push_back(index.pop_oldest_of(id));
    while (begins_with_operation(index, id))
        evicted.push_back(index.pop_oldest_of(id));
}

Admission retain_operation(SampleIndex& index,
                           const Owner& owner,
                           const Bounds& bounds,
                           const SampleIndex::Entry& entry,
                           const InstanceKey* key,
                           Evicted& evicted) {
    const SampleIndex::Operation older = index.find_operation(owner.id, entry);
    if (older.position != SampleIndex::none) evicted.push_back(index.take(owner.id, older));
    const bool no_room = owner.is_new() && index.instance_count() >= bounds.instances;
    index.append(entry, key);
    if (no_room) evicted.push_back(index.pop_oldest_of(index.find_instance(*key)));
    return Admission::admitted;
}

bool is_above(const SampleIndex& index, const Bounds& bounds) {
    return index.size() > bounds.total ||
           (index.size() > 1 && index.payload_bytes() > bounds.bytes);
}

}  // namespace

Admission retain(SampleIndex& index,
                 bool keyed,
                 const Contract& contract,
                 const SampleIndex::Entry& entry,
                 const InstanceKey* key,
                 Refusal refusal,
                 std::vector<SampleIndex::Entry>& evicted) {
    const Bounds bounds(contract);
    const Owner owner(index, keyed, key);
    const bool is_operation = key != nullptr && index.is_operation(entry);
    if (contract.history == ContractHistory::keep_all) {
        if (is_operation) return retain_operation(index, owner, bounds, entry, key, evicted);
        if (refusal == Refusal::allowed) {
            const Admission verdict = check_keep_all(index, bounds, owner, entry.payload_size);
            if (verdict != Admission::admitted) return verdict;
        }
        index.append(entry, key);
        return Admission::admitted;
    }

    if (is_operation) {
        const Admission admitted = retain_operation(index, owner, bounds, entry, key, evicted);
        while (is_above(index, bounds))
            evicted.push_back(index.pop_oldest());
        return admitted;
    }
    if (refusal == Refusal::allowed && entry.payload_size > bounds.bytes)
        return Admission::bytes_exhausted;

    // The order matters: one arriving sample can exceed several limits, and each eviction changes
    // what the next limit sees.
    if (owner.is_new() && index.instance_count() >= bounds.instances) {
        remove_instance(index, index.oldest_instance(), evicted);
    }
    if (owner.known && owner.count > 0) reduce_to(index, owner.id, bounds.depth - 1, evicted);
    while (index.size() >= bounds.total)
        evicted.push_back(index.pop_oldest());
    while (index.size() > 0 && !has_room(index, bounds, entry.payload_size))
        evicted.push_back(index.pop_oldest());
    index.append(entry, key);
    return Admission::admitted;
}

Admission admit_all(const SampleIndex& index,
                    bool keyed,
                    const Contract& contract,
                    const std::vector<Arriving>& samples) {
    const Bounds bounds(contract);
    const bool keeps_all = contract.history == ContractHistory::keep_all;
    std::uint64_t instances = index.instance_count();
    std::uint64_t total = index.size();
    std::uint64_t bytes = index.payload_bytes();
    std::map<std::optional<InstanceKey>, std::uint64_t> added;  // values
    for (const auto& [entry, key] : samples) {
        const bool is_operation = key != nullptr && index.is_operation(*entry);
        if (!keeps_all) {
            if (!is_operation && entry->payload_size > bounds.bytes)
                return Admission::bytes_exhausted;
            continue;
        }
        const Owner owner(index, keyed, key);
        const auto [values, first] = added.try_emplace(
            key != nullptr ? std::optional(*key) : std::nullopt, std::uint64_t{0});
        const bool is_new = owner.is_new() && first;
        if (!is_operation) {
            if (is_new && instances >= bounds.instances) return Admission::instances_exhausted;
            if (owner.known && owner.values + values->second >= bounds.per_instance)
                return Admission::samples_per_instance_exhausted;
            if (total >= bounds.total) return Admission::samples_exhausted;
            if (entry->payload_size > bounds.bytes || bytes > bounds.bytes - entry->payload_size)
                return Admission::bytes_exhausted;
            ++values->second;
        }
        if (is_new) ++instances;
        ++total;
        bytes += entry->payload_size;
    }
    return Admission::admitted;
}

void drop_before(SampleIndex& index, Arrival bound, std::vector<SampleIndex::Entry>& evicted) {
    while (index.size() > 0 && index.at(index.begin_position()).arrival < bound)
        evicted.push_back(index.pop_oldest());
}

bool replaces(const SampleIndex& index,
              bool keyed,
              const Contract& contract,
              const SampleIndex::Entry& entry,
              const InstanceKey* key) {
    const Bounds bounds(contract);
    const Owner owner(index, keyed, key);
    if (key != nullptr && index.is_operation(entry)) {
        if (index.find_operation(owner.id, entry).position != SampleIndex::none) return true;
        if (owner.is_new() && index.instance_count() >= bounds.instances) return true;
        return contract.history == ContractHistory::keep_last &&
               (index.size() >= bounds.total ||
                (index.size() > 0 && !has_room(index, bounds, entry.payload_size)));
    }
    if (contract.history == ContractHistory::keep_all) return false;
    if (entry.payload_size > bounds.bytes) return false;  // it is refused
    return (owner.is_new() && index.instance_count() >= bounds.instances) ||
           (owner.known &&
            (owner.values >= bounds.depth || begins_with_operation(index, owner.id))) ||
           index.size() >= bounds.total ||
           (index.size() > 0 && !has_room(index, bounds, entry.payload_size));
}

void trim(SampleIndex& index, const Contract& contract, std::vector<SampleIndex::Entry>& evicted) {
    if (contract.history == ContractHistory::keep_all) return;
    const Bounds bounds(contract);
    while (index.instance_count() > bounds.instances) {
        remove_instance(index, index.oldest_instance(), evicted);
    }
    // Collected first: evicting moves entries.
    std::vector<SampleIndex::InstanceId> too_many;
    for (auto position = index.begin_position(); position != index.end_position(); ++position) {
        const SampleIndex::Entry& entry = index.at(position);
        if (entry.dead || entry.instance == SampleIndex::none) continue;
        if (index.instance(entry.instance).oldest == position &&
            index.values_of(entry.instance) > bounds.depth) {
            too_many.push_back(entry.instance);
        }
    }
    for (const SampleIndex::InstanceId id : too_many)
        reduce_to(index, id, bounds.depth, evicted);
    while (index.size() > bounds.total)
        evicted.push_back(index.pop_oldest());
    while (index.size() > 0 && index.payload_bytes() > bounds.bytes)
        evicted.push_back(index.pop_oldest());
}

}  // namespace durability::store
