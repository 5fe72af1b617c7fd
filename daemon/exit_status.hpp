// How the program ends; the words of durabilityd(8). Errors of the library map to these by
// exit_status().
#pragma once

namespace durability::daemon {

inline constexpr int exit_ok = 0;              // ended as asked
inline constexpr int exit_usage = 64;          // bad command line
inline constexpr int exit_internal = 70;       // internal error
inline constexpr int exit_configuration = 78;  // configuration error

}  // namespace durability::daemon
