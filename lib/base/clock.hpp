// The only place that reads a clock. Used by shells (net, runtime, daemon, tools), never by
// machines.
#pragma once

#include "base/time.hpp"

namespace durability {

// Thread-safe; both clocks of one moment.
[[nodiscard]] Now system_now();

}  // namespace durability
