#include "store/sample_index.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <type_traits>

namespace durability::store {
namespace {

// Dead entries between live ones that are not worth a rebuild.
constexpr std::size_t tolerated_dead = 128;

// Short keys are padded with zeros and long ones are MD5, so both halves are mixed well.
std::size_t hash_of_key(const KeyHash& key) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, key.data(), 8);
    std::memcpy(&high, key.data() + 8, 8);
    std::uint64_t mixed = (low ^ 0x9e3779b97f4a7c15ULL) * 0xff51afd7ed558ccdULL;
    mixed ^= mixed >> 32U;
    mixed = (mixed ^ high) * 0xc4ceb9fe1a85ec53ULL;
    return mixed ^ (mixed >> 29U);
}

}  // namespace

SampleIndex::SampleIndex(bool keyed) : keyed_(keyed) {
    if (!keyed_) instances_.emplace_back();
}

// The instance of exactly that key, and another one with the same hash that may be meant.
std::pair<SampleIndex::InstanceId, SampleIndex::InstanceId> SampleIndex::find_both(
    const InstanceKey& key) const {
    std::pair<InstanceId, InstanceId> found{none, none};
    if (table_.empty()) return found;
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = hash_of_key(key.hash) & mask; table_[slot] != none;
         slot = (slot + 1) & mask) {
        const InstanceKey& known = instances_[table_[slot]].key;
        if (known.hash != key.hash) continue;
        if (known.tag == key.tag) {
            found.first = table_[slot];
        } else if (known.tag == 0 || key.tag == 0) {
            found.second = table_[slot];
        }
    }
    return found;
}

SampleIndex::InstanceId SampleIndex::find_instance(const InstanceKey& key) const {
    const auto [exact, similar] = find_both(key);
    return exact != none ? exact : similar;
}

bool SampleIndex::is_ambiguous(const InstanceKey& key) const {
    if (key.tag != 0 || table_.empty()) return false;
    const std::size_t mask = table_.size() - 1;
    std::size_t count = 0;
    for (std::size_t slot = hash_of_key(key.hash) & mask; table_[slot] != none;
         slot = (slot + 1) & mask) {
        if (instances_[table_[slot]].key.hash == key.hash) ++count;
    }
    return count > 1;
}

void SampleIndex::grow_table() {
    const std::size_t wanted = std::max<std::size_t>(16, table_.size() * 2);
    std::vector<InstanceId> old = std::exchange(table_, std::vector<InstanceId>(wanted, none));
    const std::size_t mask = wanted - 1;
    for (const InstanceId id : old) {
        if (id == none) continue;
        std::size_t slot = hash_of_key(instances_[id].key.hash) & mask;
        while (table_[slot] != none)
            slot = (slot + 1) & mask;
        table_[slot] = id;
    }
}

SampleIndex::InstanceId SampleIndex::intern(const InstanceKey& key) {
    const InstanceId known = find_instance(key);
    if (known != none) {
        // It was known by its hash alone so far.
        if (instances_[known].key.tag == 0) instances_[known].key.tag = key.tag;
        return known;
    }
    if ((instances_in_use_ + 1) * 3 > table_.size() * 2) grow_table();
    InstanceId id = none;
    if (free_instances_.empty()) {
        id = static_cast<InstanceId>(instances_.size());
        instances_.emplace_back();
    } else {
        id = free_instances_.back();
        free_instances_.pop_back();
    }
    instances_[id] = Instance{key};
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash_of_key(key.hash) & mask;
    while (table_[slot] != none)
        slot = (slot + 1) & mask;
    table_[slot] = id;
    return id;
}

void SampleIndex::forget(InstanceId id) {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash_of_key(instances_[id].key.hash) & mask;
    while (table_[slot] != id)
        slot = (slot + 1) & mask;
    // Entries behind it that would not be found past the hole move up.
    std::size_t hole = slot;
    for (std::size_t at_slot = (slot + 1) & mask; table_[at_slot] != none;
         at_slot = (at_slot + 1) & mask) {
        const std::size_t home = hash_of_key(instances_[table_[at_slot]].key.hash) & mask;
        if (((at_slot - home) & mask) >= ((at_slot - hole) & mask)) {
            table_[hole] = table_[at_slot];
            hole = at_slot;
        }
    }
    table_[hole] = none;
    free_instances_.push_back(id);
}

SampleIndex::Position SampleIndex::lower_bound(Arrival arrival) const {
    Position low = first_;
    Position high = end_;
    while (low < high) {
        const Position middle = low + (high - low) / 2;
        if (at(middle).arrival < arrival) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void SampleIndex::push(const Entry& entry) {
    if (chunks_.empty() || chunks_.back().size == chunk_entries) {
        Chunk& chunk = chunks_.emplace_back();
        chunk.pooled = chunks_.size() > small_chunks;
        if (chunk.pooled) {
            chunk.data = static_cast<Entry*>(pool_.take());
        } else if (chunks_.size() > 1) {
            chunk.own.reserve(chunk_entries);
        }
    }
    Chunk& chunk = chunks_.back();
    if (chunk.pooled) {
        new (chunk.data + chunk.size) Entry(entry);
    } else {
        chunk.own.push_back(entry);
        chunk.data = chunk.own.data();
    }
    ++chunk.size;
}

void SampleIndex::drop_chunk(std::deque<Chunk>& from) {
    static_assert(std::is_trivially_destructible_v<Entry>);
    if (from.front().pooled) pool_.give(from.front().data);
    from.pop_front();
}

// Puts the entry at the end of its instance's chain.
void SampleIndex::link(Position position) {
    const Entry& entry = at(position);
    Instance& owner = instances_[entry.instance];
    if (owner.count++ == 0) {
        owner.oldest = position;
    } else {
        at(owner.newest).next = position;
    }
    owner.newest = position;
    if (is_operation(entry)) return;
    ++owner.values;
    owner.newest_value = position;
}

void SampleIndex::append(Entry entry, const InstanceKey* key) {
    if (end_ >= none - 2 * chunk_entries) rebuild();  // positions begin at zero again
    entry.next = none;
    entry.dead = false;
    entry.instance = !keyed_ ? unkeyed : key != nullptr ? intern(*key) : none;
    push(entry);
    const Position position = end_++;
    ++live_;
    payload_bytes_ += entry.payload_size;
    if (entry.instance == none) return;
    if (instances_[entry.instance].count == 0) ++instances_in_use_;
    link(position);
}

void SampleIndex::kill(Position position) {
    Entry& entry = at(position);
    entry.dead = true;
    --live_;
    payload_bytes_ -= entry.payload_size;
    if (position == first_) drop_dead_front();
    // Dead entries between live ones cost memory and searching; a quarter of them is the bound.
    // Each rebuild is paid for by the evictions since the last one.
    const std::size_t dead = (end_ - first_) - live_;
    if (dead > tolerated_dead && dead > live_ / 4) rebuild();
}

void SampleIndex::drop_dead_front() {
    while (first_ != end_ && at(first_).dead) {
        ++first_;
        if (first_ - base_ == chunk_entries) {
            drop_chunk(chunks_);
            base_ += chunk_entries;
        }
    }
    keyed_hint_ = std::max(keyed_hint_, first_);
}

SampleIndex::Entry SampleIndex::pop_oldest() {
    assert(live_ > 0);
    const Entry entry = at(first_);
    if (entry.instance != none) return pop_oldest_of(entry.instance);
    kill(first_);
    return entry;
}

SampleIndex::Entry SampleIndex::pop_oldest_of(InstanceId id) {
    Instance& owner = instances_[id];
    assert(owner.count > 0);
    const Position position = owner.oldest;
    const Entry entry = at(position);
    owner.oldest = entry.next;
    if (!is_operation(entry) && --owner.values == 0) owner.newest_value = none;
    if (--owner.count == 0) {
        owner.newest = none;
        --instances_in_use_;
        if (keyed_) forget(id);
    }
    kill(position);
    return entry;
}

SampleIndex::Operation SampleIndex::find_operation(InstanceId id, const Entry& like) const {
    if (id == none || instances_[id].count == 0) return {};
    const Instance& owner = instances_[id];
    const auto is_like = [&](const Entry& entry) {
        return entry.writer == like.writer &&
               ((entry.flags ^ like.flags) & sample_flag::lifecycle_mask) == 0;
    };
    Operation found;
    found.before = owner.newest_value;
    found.position = found.before == none ? owner.oldest : at(found.before).next;
    while (found.position != none && !is_like(at(found.position))) {
        found.before = found.position;
        found.position = at(found.position).next;
    }
    return found;
}

SampleIndex::Entry SampleIndex::take(InstanceId id, const Operation& operation) {
    if (operation.before == none) return pop_oldest_of(id);
    Instance& owner = instances_[id];
    const Entry entry = at(operation.position);
    at(operation.before).next = entry.next;
    if (owner.newest == operation.position) owner.newest = operation.before;
    --owner.count;  // what stands before it stays
    kill(operation.position);
    return entry;
}

SampleIndex::InstanceId SampleIndex::oldest_instance() {
    keyed_hint_ = std::max(keyed_hint_, first_);
    while (keyed_hint_ != end_) {
        const Entry& entry = at(keyed_hint_);
        if (!entry.dead && entry.instance != none) return entry.instance;
        ++keyed_hint_;
    }
    return none;
}

void SampleIndex::rebuild() {
    std::deque<Chunk> old;
    old.swap(chunks_);
    const Position skip = first_ - base_;
    for (Instance& owner : instances_) {
        owner.oldest = owner.newest = owner.newest_value = none;
        owner.count = owner.values = 0;
    }
    base_ = first_ = end_ = keyed_hint_ = 0;
    live_ = 0;
    payload_bytes_ = 0;
    std::size_t seen = 0;
    while (!old.empty()) {
        const Chunk& chunk = old.front();
        for (std::uint32_t i = 0; i < chunk.size; ++i) {
            Entry entry = chunk.data[i];
            if (seen++ < skip || entry.dead) continue;
            entry.next = none;
            const Position position = end_++;
            ++live_;
            payload_bytes_ += entry.payload_size;
            push(entry);
            if (entry.instance != none) link(position);
        }
        drop_chunk(old);  // so that both copies never exist at once
    }
    if (!keyed_) {
        instances_in_use_ = instances_[unkeyed].count > 0 ? 1 : 0;
        return;
    }
    // Instances that lost their last sample leave the table.
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
        while (table_[slot] != none && instances_[table_[slot]].count == 0) {
            forget(table_[slot]);
            --instances_in_use_;
        }
    }
}

std::size_t SampleIndex::memory() const {
    std::size_t bytes = sizeof *this + chunks_.size() * sizeof(Chunk) + pool_.memory();
    for (const Chunk& chunk : chunks_)
        bytes += chunk.own.capacity() * sizeof(Entry);
    return bytes + instances_.capacity() * sizeof(Instance) +
           free_instances_.capacity() * sizeof(InstanceId) + table_.capacity() * sizeof(InstanceId);
}

}  // namespace durability::store
