// What is retained, in arrival order, and where its frame lies: 48 bytes a sample, no node of its
// own. Every instance knows its count and its oldest and newest sample; counts are kept, never
// recounted. Which sample has to go is decided in retention.hpp; this only carries it out.
#pragma once

#include "model/sample.hpp"
#include "store/entry_pool.hpp"
#include "store/log_format.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace durability::store {

class SampleIndex {
  public:
    // Where an entry stands; valid until the next change of the index.
    using Position = std::uint32_t;
    using InstanceId = std::uint32_t;
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    // The one instance of a topic without key.
    static constexpr InstanceId unkeyed = 0;

    struct Entry {
        Arrival arrival{0};
        SequenceNumber number;
        Timestamp source_timestamp;
        std::uint32_t log{0};      // of the store's table of logs
        std::uint32_t offset8{0};  // of the frame in that log, in units of eight bytes
        std::uint32_t payload_size{0};
        InstanceId instance{none};  // none: keyed, but the key is not known
        Position next{none};        // the next younger sample of the instance
        std::uint16_t writer{0};    // low bits of its place among the writers of the group
        std::uint8_t flags{0};      // of the sample's frame
        bool dead{false};
        [[nodiscard]] std::uint64_t offset() const { return std::uint64_t{offset8} * 8; }
    };
    static_assert(sizeof(Entry) == 48);

    struct Instance {
        InstanceKey key{};
        Position oldest{none};
        Position newest{none};
        Position newest_value{none};
        std::uint32_t count{0};
        std::uint32_t values{0};  // of these, no operations
    };

    explicit SampleIndex(bool keyed);

    [[nodiscard]] std::size_t size() const { return live_; }
    // Octets of their payloads.
    [[nodiscard]] std::uint64_t payload_bytes() const { return payload_bytes_; }
    // Instances with at least one sample.
    [[nodiscard]] std::size_t instance_count() const { return instances_in_use_; }
    // None when it has no sample. A key without a tag means the one instance with that hash, a key
    // with one also an instance that was only ever named by the hash.
    [[nodiscard]] InstanceId find_instance(const InstanceKey& key) const;
    // Several instances have the hash, and the key does not say which is meant.
    [[nodiscard]] bool is_ambiguous(const InstanceKey& key) const;
    [[nodiscard]] const Instance& instance(InstanceId id) const { return instances_[id]; }
    [[nodiscard]] std::uint64_t count_of(InstanceId id) const {
        return id == none ? 0 : instances_[id].count;
    }
    [[nodiscard]] std::uint64_t values_of(InstanceId id) const {
        return id == none ? 0 : instances_[id].values;
    }

    // Positions run from begin_position() to end_position(); dead entries lie between live ones.
    [[nodiscard]] Position begin_position() const { return first_; }
    [[nodiscard]] Position end_position() const { return end_; }
    [[nodiscard]] const Entry& at(Position position) const {
        const Position relative = position - base_;
        return chunks_[relative / chunk_entries].data[relative % chunk_entries];
    }
    // For moving a frame: log and offset may be changed, nothing else.
    [[nodiscard]] Entry& at(Position position) {
        const Position relative = position - base_;
        return chunks_[relative / chunk_entries].data[relative % chunk_entries];
    }
    // The first entry, live or dead, whose arrival number is not below `arrival`.
    [[nodiscard]] Position lower_bound(Arrival arrival) const;

    // Adds the youngest sample (arrival numbers ascend). `key` is null for a topic without key, and
    // for a sample whose key is not known (then the entry has no instance).
    void append(Entry entry, const InstanceKey* key);

    // The oldest sample; there must be one.
    Entry pop_oldest();
    Entry pop_oldest_of(InstanceId id);
    // A dispose or unregister that comes without a value, of a topic with key.
    [[nodiscard]] bool is_operation(const Entry& entry) const {
        return keyed_ && !holds_value(entry.flags);
    }
    // The operation `like`'s writer did after the newest value of the instance, with the same
    // lifecycle bits; none when there is none.
    struct Operation {
        Position position{none};
        Position before{none};  // in the instance; none: it is the oldest
    };
    [[nodiscard]] Operation find_operation(InstanceId id, const Entry& like) const;
    Entry take(InstanceId id, const Operation& operation);
    // The instance of the oldest sample that has one; none when there is none.
    [[nodiscard]] InstanceId oldest_instance();
    // Takes out every sample for which `doomed` holds, oldest first. O(size).
    template <class Predicate, class Sink>
    void remove_if(Predicate doomed, Sink sink) {
        bool any = false;
        for (Position at_position = first_; at_position != end_; ++at_position) {
            Entry& entry = at(at_position);
            if (entry.dead || !doomed(std::as_const(entry))) continue;
            sink(std::as_const(entry));
            entry.dead = true;
            any = true;
        }
        if (any) rebuild();
    }

    // Memory held, in bytes.
    [[nodiscard]] std::size_t memory() const;

  private:
    static constexpr Position chunk_entries = 512;
    // An index of more chunks than this takes the next ones from the pool.
    static constexpr std::size_t small_chunks = 64;
    // Entries of its own, growing as they are filled (most topics retain a handful of samples), or
    // a full-sized piece of the pool.
    struct Chunk {
        Entry* data{nullptr};
        std::uint32_t size{0};
        bool pooled{false};
        std::vector<Entry> own;
    };

    InstanceId intern(const InstanceKey& key);
    void link(Position position);
    [[nodiscard]] std::pair<InstanceId, InstanceId> find_both(const InstanceKey& key) const;
    void forget(InstanceId id);
    void grow_table();
    void push(const Entry& entry);
    void drop_chunk(std::deque<Chunk>& from);
    void drop_dead_front();
    void rebuild();
    void kill(Position position);

    bool keyed_;
    EntryPool pool_{chunk_entries * sizeof(Entry)};
    std::deque<Chunk> chunks_;
    Position base_{0};   // of the first chunk's first entry
    Position first_{0};  // the oldest live entry, or end_
    Position end_{0};
    std::size_t live_{0};
    std::uint64_t payload_bytes_{0};
    Position keyed_hint_{0};  // no entry before it has an instance

    std::vector<Instance> instances_;
    std::vector<InstanceId> free_instances_;
    std::size_t instances_in_use_{0};
    std::vector<InstanceId> table_;  // open addressing, size a power of two, at most 2/3 full
};

}  // namespace durability::store
