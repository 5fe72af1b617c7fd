// The rows of the performance table, one function each; main.cpp has the list.
#pragma once

#include "report.hpp"
#include "settings.hpp"

namespace durability::bench {

// A Cyclone DDS writer flat out, a stock reader against the daemon: samples acknowledged a second.
[[nodiscard]] Lines ingest(const Settings& settings);
// Late readers whose writer has gone, against the same vendor's own living writer.
[[nodiscard]] Lines late_join_cyclone(const Settings& settings);
[[nodiscard]] Lines late_join_fastdds(const Settings& settings);
// From process start to serving again, against reading and checksumming the same bytes.
[[nodiscard]] Lines recovery(const Settings& settings);
// Resident memory for each retained sample and of an idle daemon, against a stock writer.
[[nodiscard]] Lines memory(const Settings& settings);
// One sample at a time, each acknowledged, against fdatasync of an append.
[[nodiscard]] Lines latency(const Settings& settings);

}  // namespace durability::bench
