#pragma once

#include <string_view>

namespace durability {

// "0.1.0"; set by CMake.
[[nodiscard]] std::string_view version();
// The version of the log format this build writes (lib/store/LOG-FORMAT.md).
inline constexpr unsigned store_format_version = 1;

}  // namespace durability
