#include "daemon/watchdog.hpp"

#include <algorithm>

namespace durability::daemon {
namespace {

constexpr Duration least_wait = std::chrono::milliseconds{10};

}  // namespace

Watchdog::Step Watchdog::look(const std::vector<std::string>& silent, MonoTime now) {
    Step step;
    if (silent.empty()) {
        reported_.clear();
        step.ping = true;
        step.next = after(now, std::max(half_, least_wait));
        return step;
    }
    for (const std::string& thread : silent) {
        if (reported_.insert(thread).second) step.late.push_back(thread);
    }
    step.next = after(now, std::max(half_ / 16, least_wait));
    return step;
}

}  // namespace durability::daemon
