#pragma once

#include <string_view>

namespace durability {

// "0.1.0"; set by CMake.
[[nodiscard]] std::string_view version();
// Whether this build can set the scheduling of its threads (Config::threads): the CMake option
// DURABILITYD_RT.
[[nodiscard]] bool has_realtime();
// The version of the log format this build writes (lib/store/LOG-FORMAT.md).
inline constexpr unsigned store_format_version = 1;

}  // namespace durability
