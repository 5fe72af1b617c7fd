// The retention rule (semantics.md, section 5): the only place that decides an eviction. Used for
// live samples and, in arrival order, for samples found in logs, so that a recovered history equals
// one that was never interrupted.
#pragma once

#include "durability/contract.hpp"
#include "store/sample_index.hpp"

#include <vector>

namespace durability::store {

enum class Admission : std::uint8_t {
    admitted,
    // KEEP_ALL at a limit; nothing was changed
    instances_exhausted,
    samples_per_instance_exhausted,
    samples_exhausted,
    bytes_exhausted,  // also for a sample that alone is above the quota
};

enum class Refusal : std::uint8_t {
    allowed,
    never,  // what a log holds was admitted once and is not refused again
};

// Makes room for a sample of the instance `key` (null: none is known, or the topic has no key) and
// appends it. What had to go is added to `evicted`, in that order.
//
// Limits count values. An operation without one (dispose, unregister) takes the place of the same
// writer's last one of its kind, and goes with the last value that stood before it; no contract
// refuses it. What it says about an instance that is not retained matters less than any that is: at
// max_instances it is evicted itself.
[[nodiscard]] Admission retain(SampleIndex& index,
                               bool keyed,
                               const Contract& contract,
                               const SampleIndex::Entry& entry,
                               const InstanceKey* key,
                               Refusal refusal,
                               std::vector<SampleIndex::Entry>& evicted);

struct Arriving {
    const SampleIndex::Entry* entry{nullptr};
    const InstanceKey* key{nullptr};  // null: none is known, or the topic has no key
};
// Whether retain() would admit all of these, one after the other: samples that are to be kept as a
// whole or not at all. Why not, if not. An operation counts as if it took no other one's place.
[[nodiscard]] Admission admit_all(const SampleIndex& index,
                                  bool keyed,
                                  const Contract& contract,
                                  const std::vector<Arriving>& samples);

// True when retain() would take out at least one sample for this one: the total does then not grow.
[[nodiscard]] bool replaces(const SampleIndex& index,
                            bool keyed,
                            const Contract& contract,
                            const SampleIndex::Entry& entry,
                            const InstanceKey* key);

// Takes out what arrived before `bound`, oldest first.
void drop_before(SampleIndex& index, Arrival bound, std::vector<SampleIndex::Entry>& evicted);

// Trims what is retained to a contract that has become smaller: whole instances first, then each
// instance, then the total; oldest first. KEEP_ALL keeps what it has.
void trim(SampleIndex& index, const Contract& contract, std::vector<SampleIndex::Entry>& evicted);

}  // namespace durability::store
