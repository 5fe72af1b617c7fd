// What happens a second, from two looks at the counters of a daemon. Pure.
#pragma once

#include "model/status.hpp"

#include <optional>
#include <string>

namespace durability::ctl {

// Seconds between the two looks by the daemon's own clock; nothing when they are of two runs of it,
// or one and the same.
[[nodiscard]] std::optional<double> seconds_between(const ServiceStatus& before,
                                                    const ServiceStatus& now);

// "12.5", "1.2e+06"; "-" where it is not known.
[[nodiscard]] std::string rate_text(std::optional<double> per_second);

// `after` and `before` are counters that do not go back.
[[nodiscard]] inline double per_second(std::uint64_t before, std::uint64_t after, double seconds) {
    return after < before ? 0.0 : static_cast<double>(after - before) / seconds;
}

}  // namespace durability::ctl
