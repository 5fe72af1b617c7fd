#include "daemon/notify.hpp"

#include "base/clock.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <tuple>

namespace durability::daemon {
namespace {

// A manager that cannot be told is not worth failing for: it will notice by its own time-outs.
void tell(const std::string& state) {
    std::ignore = ::sd_notify(0, state.c_str());
}

}  // namespace

void notify_ready() {
    tell("READY=1");
}
void notify_reloading() {
    // The time is what a manager of version 253 or later tells this reload from another one by.
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(system_now().mono.time_since_epoch());
    tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.count()));
}
void notify_stopping() {
    tell("STOPPING=1");
}
void notify_status(std::string_view line) {
    tell(fmt::format("STATUS={}", line));
}
std::optional<std::chrono::nanoseconds> watchdog_interval() {
    std::uint64_t microseconds = 0;
    // Neither may it be 0 nor anything that no clock reaches.
    constexpr std::uint64_t longest = 86'400ULL * 1'000'000 * 365;
    if (::sd_watchdog_enabled(0, &microseconds) <= 0 || microseconds == 0 || microseconds > longest)
        return std::nullopt;
    return std::chrono::microseconds(microseconds);
}
void notify_watchdog() {
    tell("WATCHDOG=1");
}
void notify_extend_startup(std::chrono::seconds more) {
    tell(fmt::format("EXTEND_TIMEOUT_USEC={}", std::chrono::microseconds(more).count()));
}

}  // namespace durability::daemon
