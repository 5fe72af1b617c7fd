// The store on threads of its own: "durab-store" owns the Store and carries out commands,
// "durab-sync" does what has to wait for the disk. While one job runs, what arrives is written and
// gathers for the next, so one sync covers everything that arrived meanwhile (group commit), and
// neither appends nor reads nor other topics wait for the disk. Compaction runs in slices when no
// command waits.
#pragma once

#include "store/store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace durability::store {

enum class StoreThreadRole : std::uint8_t {
    store,
    sync
};

struct StoreThreadOptions {
    SyncPolicy sync{SyncPolicy::commit};
    std::chrono::nanoseconds sync_interval{std::chrono::milliseconds{100}};
    // Bounds of the command queue: Append commands beyond them are not taken.
    std::size_t queue_items{16'384};
    std::size_t queue_bytes{64ULL << 20U};
    // How long stop() waits for a disk that does not answer.
    std::chrono::nanoseconds stop_timeout{std::chrono::seconds{4}};
    // How often a degraded group is tried again.
    std::chrono::nanoseconds retry_interval{std::chrono::seconds{1}};
    // A disk that has not answered for so long is not waited for where waiting is a courtesy; and
    // for so long, is reported.
    std::chrono::nanoseconds slow_after{std::chrono::seconds{1}};
    std::chrono::nanoseconds stuck_after{std::chrono::seconds{5}};
    // Called by each of the two threads when it starts; may be empty.
    std::function<void(StoreThreadRole)> on_start{};
};

class StoreThread {
  public:
    // `deliver` is called on the store thread, never concurrently, with one or more completions.
    static std::unique_ptr<StoreThread> start(std::unique_ptr<Store> store,
                                              StoreThreadOptions options,
                                              std::function<void(std::vector<Completion>)> deliver);
    StoreThread(const StoreThread&) = delete;
    StoreThread& operator=(const StoreThread&) = delete;
    // As stop().
    ~StoreThread();

    // Thread-safe. False, with `command` untouched, when it is an Append and the queue is full, or
    // after stop(). Other commands are always taken: they are few.
    [[nodiscard]] bool submit(Command& command);

    // Thread-safe. Wakes the store thread, which answers when it comes round; the sync thread may
    // wait for the disk as long as it does.
    void ask_pulse();
    [[nodiscard]] bool has_pulse() const;

    // Carries out what was submitted, syncs, closes the store, joins. Completions are delivered
    // until it returns. False when the disk did not answer within stop_timeout: the threads are
    // then left to themselves with the store, and the process should end (the lease goes with it).
    bool stop();

    // Thread-safe. How long the disk took, each time something was synced.
    [[nodiscard]] DurationHistogram sync_times() const;
    // Thread-safe. Commands that wait to be carried out.
    [[nodiscard]] std::size_t queue_depth() const;

  private:
    struct Impl;
    explicit StoreThread(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace durability::store
