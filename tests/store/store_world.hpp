// A store on a file system in memory, and the few sentences tests say to it.
#pragma once

#include "store/store.hpp"
#include "support/faulty_file_system.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace durability::test {

Guid writer_guid(std::uint8_t number);
KeyHash key_of(std::uint32_t instance);
GroupMeta unkeyed_topic(std::string topic, Contract contract);
GroupMeta keyed_topic(std::string topic, Contract contract);
Contract keep_last(std::uint64_t depth);
Contract keep_all(std::uint64_t max_samples = unlimited);
// A payload that can be told from every other: header, then a pattern.
Buffer payload_of(std::int64_t seed, std::size_t size = 24);
WallTime wall_at(std::int64_t seconds);

struct Kept {
    Arrival arrival{0};
    Guid writer;
    std::int64_t number{0};
    Lifecycle lifecycle{Lifecycle::data};
    Buffer payload;
    friend bool operator==(const Kept&, const Kept&) = default;
};

class StoreWorld {
  public:
    explicit StoreWorld(store::FileSystem& files) : files_(files) {}

    store::StoreOptions options{"disk", "mem", SyncPolicy::commit, {}, 64ULL << 20U, 1ULL << 20U};
    std::vector<store::Completion> out;

    // Opens the store; false when that was refused (then `error` says why).
    bool open(WallTime now = wall_at(1'800'000'000));
    void drop() { store.reset(); }  // as a kill does
    bool close();
    bool reopen() { return close() && open(); }
    Error error;
    std::unique_ptr<store::Store> store;

    GroupHandle group(const GroupMeta& meta);
    [[nodiscard]] store::OpenedGroup opened(const std::string& topic) const;
    void append(GroupHandle group,
                const Guid& writer,
                std::int64_t number,
                ByteView payload,
                std::optional<KeyHash> key = {},
                Lifecycle lifecycle = Lifecycle::data,
                WallTime received = wall_at(1'800'000'000));
    // A coherent set: numbers first, first + 1, ... in one command.
    struct Member {
        Buffer payload;
        std::optional<KeyHash> key{};
        Lifecycle lifecycle{Lifecycle::data};
    };
    void append_set(GroupHandle group,
                    const Guid& writer,
                    std::int64_t first,
                    const std::vector<Member>& members,
                    WallTime received = wall_at(1'800'000'000));
    // begin, run, end.
    void sync();
    // The same with slices of compaction, until nothing is due.
    void work();
    void tell(store::Command command);  // execute, then sync
    bool heal();                        // retry, then sync; whether nothing is degraded any more
    [[nodiscard]] std::vector<Kept> kept(GroupHandle group);

    [[nodiscard]] std::size_t count(EventKind kind) const;
    [[nodiscard]] const Event* find(EventKind kind) const;
    [[nodiscard]] static std::string field(const Event& event, std::string_view key);
    // The highest number committed for that transport writer so far.
    [[nodiscard]] std::int64_t committed(GroupHandle group, const Guid& writer) const;

  private:
    store::FileSystem& files_;
};

}  // namespace durability::test
