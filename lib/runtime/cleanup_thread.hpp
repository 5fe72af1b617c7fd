// Waits, then asks for a sweep; decides nothing and touches nothing (semantics.md, section 8). What
// a sweep does is the store's: purge what has expired, start compactions that are due.
#pragma once

#include "base/pulse.hpp"
#include "base/time.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace durability::runtime {

class CleanupThread {
  public:
    // Calls `sweep` at once and then every `interval`, on a thread of its own; `on_start` before,
    // likewise.
    CleanupThread(Duration interval,
                  std::function<void()> sweep,
                  const std::function<void()>& on_start);
    // Ends the wait and joins.
    ~CleanupThread();
    CleanupThread(const CleanupThread&) = delete;
    CleanupThread& operator=(const CleanupThread&) = delete;

    // Thread-safe, all three. Counts from the last sweep.
    void set_interval(Duration interval);
    // Wakes the thread, which answers when it comes round, and sweeps no sooner for it.
    void ask_pulse();
    [[nodiscard]] bool has_pulse() const { return pulse_.answered(); }

  private:
    void run(const std::stop_token& stop);

    Duration interval_;    // with mutex_
    bool knocked_{false};  // likewise
    Pulse pulse_;
    std::function<void()> sweep_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;
};

}  // namespace durability::runtime
