// Whether a thread still takes turns: somebody asks, and the thread answers when it comes round. A
// thread that was never asked, or is not there any more, owes nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace durability {

// Asked by one thread, answered by another. Thread-safe.
class Pulse {
  public:
    // Whoever asks also wakes the thread, in its own way.
    void ask() { asked_.fetch_add(1, std::memory_order_relaxed); }
    void answer() {
        answered_.store(asked_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    // It has come round since the last ask(). Only for the thread that asks.
    [[nodiscard]] bool answered() const {
        return answered_.load(std::memory_order_relaxed) == asked_.load(std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> answered_{0};
};

}  // namespace durability
