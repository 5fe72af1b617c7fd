// Two kinds of time that must not be mixed up, both handed down from the shell that read the clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace durability {

using Duration = std::chrono::nanoseconds;

// Tags only: neither has a now(). Time is an argument everywhere (style-and-layout, section 5).
struct MonotonicTag {
    using duration = Duration;
    using rep = Duration::rep;
    using period = Duration::period;
};
struct WallTag {
    using duration = Duration;
    using rep = Duration::rep;
    using period = Duration::period;
};
// For timeouts, leases, heartbeats; never goes backwards, means nothing after a restart.
using MonoTime = std::chrono::time_point<MonotonicTag, Duration>;
// Nanoseconds since 1970-01-01 UTC; for dates that outlive the process; may jump.
using WallTime = std::chrono::time_point<WallTag, Duration>;

inline constexpr Duration infinite_duration = Duration::max();

// Read once per turn of the loop; a machine never asks for the time.
struct Now {
    MonoTime mono{};
    WallTime wall{};
};

// `time + delay` that stays at the end of time instead of wrapping.
[[nodiscard]] constexpr MonoTime after(MonoTime time, Duration delay) {
    if (delay == infinite_duration || time > MonoTime::max() - delay) return MonoTime::max();
    return time + delay;
}

}  // namespace durability
