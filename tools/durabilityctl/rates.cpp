#include "durabilityctl/rates.hpp"

#include <fmt/format.h>

namespace durability::ctl {

std::optional<double> seconds_between(const ServiceStatus& before, const ServiceStatus& now) {
    if (before.pid != now.pid || before.started != now.started || now.uptime <= before.uptime)
        return std::nullopt;
    return std::chrono::duration<double>(now.uptime - before.uptime).count();
}

std::string rate_text(std::optional<double> per_second) {
    if (!per_second) return "-";
    return *per_second < 1e7 ? fmt::format("{:.1f}", *per_second)
                             : fmt::format("{:.2e}", *per_second);
}

}  // namespace durability::ctl
