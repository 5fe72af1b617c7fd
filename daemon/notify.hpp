// What the service manager is told (sd_notify(3)). Without one, every call does nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace durability::daemon {

void notify_ready();
// A reload begins; notify_ready() ends it.
void notify_reloading();
void notify_stopping();
void notify_status(std::string_view line);
// Within which time notify_watchdog() has to be called; nothing where nobody waits for it.
[[nodiscard]] std::optional<std::chrono::nanoseconds> watchdog_interval();
void notify_watchdog();
// Asks for more start-up time, counted from now.
void notify_extend_startup(std::chrono::seconds more);

}  // namespace durability::daemon
