// What the service manager is told (sd_notify(3)). Without one, every call does nothing.
#pragma once

#include <chrono>
#include <string_view>

namespace durability::daemon {

void notify_ready();
void notify_stopping();
void notify_status(std::string_view line);
// Asks for more start-up time, counted from now.
void notify_extend_startup(std::chrono::seconds more);

}  // namespace durability::daemon
