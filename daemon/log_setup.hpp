// Diagnostics for people who look for a cause; what operators act on are events (event_sink.hpp).
// Thread-safe after log_to_stderr().
#pragma once

#include "durability/config.hpp"

#include <string_view>

namespace durability::daemon {

// Lines go to stderr; with a journal behind it each begins with its priority, as sd-daemon(3) says.
void log_to_stderr(LogLevel level, bool journal);
// From now on; thread-safe.
void set_log_level(LogLevel level);
void log(LogLevel level, std::string_view line);

}  // namespace durability::daemon
