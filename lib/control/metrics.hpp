// Figures for a monitoring system, in its text format. Values in, text out; not thread-safe where a
// CounterMemory is shared.
#pragma once

#include "model/status.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace durability::control {

enum class MetricsFormat : std::uint8_t {
    openmetrics,  // OpenMetrics 1.0, which ends with "# EOF"
    prometheus  // the text format 0.0.4 of Prometheus, as node_exporter's textfile collector reads
};

// A counter must not go back while the process lives. One that does in the snapshots, because its
// domain began anew, goes on from where it was.
class CounterMemory {
  public:
    static constexpr std::size_t most = 200'000;  // counters; others are shown as they are
    // `current` and all that it counted before it began anew.
    [[nodiscard]] std::uint64_t value(const std::string& counter, std::uint64_t current);

  private:
    struct Known {
        std::uint64_t before{0};
        std::uint64_t last{0};
    };
    std::unordered_map<std::string, Known> known_;
};

// Names and meanings: METRICS in durabilityctl(1). Topics are labels, writers and readers are not:
// there is no bound to them over time.
[[nodiscard]] std::string metrics_text(const ServiceStatus& status,
                                       CounterMemory& counters,
                                       MetricsFormat format);

}  // namespace durability::control
