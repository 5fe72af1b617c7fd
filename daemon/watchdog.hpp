// When the service manager's watchdog is told that the daemon is well (sd_watchdog_enabled(3)): at
// half its interval, and only when every thread has come round since the last time. Pure: time and
// threads are arguments. The loop is not among them: without it nobody asks.
#pragma once

#include "base/time.hpp"

#include <set>
#include <string>
#include <vector>

namespace durability::daemon {

class Watchdog {
  public:
    // `interval`: when nothing was said for so long, the daemon is ended.
    explicit Watchdog(Duration interval) : half_(interval / 2) {}

    struct Step {
        bool ping{false};               // say that all is well, and ask the threads again
        std::vector<std::string> late;  // threads that are late and were not reported
        MonoTime next{};                // when to look again
    };
    // `silent`: threads that have not come round since they were asked. Late ones are looked at
    // more often, so that the daemon is well as soon as they are.
    [[nodiscard]] Step look(const std::vector<std::string>& silent, MonoTime now);

  private:
    Duration half_;
    std::set<std::string> reported_;
};

}  // namespace durability::daemon
