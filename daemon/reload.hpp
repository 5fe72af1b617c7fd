// A reload of the configuration, all or nothing: the same sources as at the start are read again,
// and judged against what is in force (surface.md: SIGHUP; cases R11.4). Reads files; the caller
// applies what is accepted.
#pragma once

#include "config/difference.hpp"
#include "config/loader.hpp"
#include "durability/event.hpp"
#include "model/reload.hpp"

#include <optional>

namespace durability::daemon {

struct ReloadPlan {
    ReloadVerdict verdict;  // without the topics; accepted, unless a file is wrong
    // In force when the plan is carried out: what needs a restart is as before. Nothing when it is
    // refused.
    std::optional<config::Loaded> loaded;
};

// On the loop: bounded by what the loader reads, 1 MiB a file and 1,000 rule files.
[[nodiscard]] ReloadPlan plan_reload(const config::Loaded& running, const config::Sources& sources);

// ConfigReloaded or ConfigRejected.
[[nodiscard]] Event reload_event(const ReloadVerdict& verdict);

}  // namespace durability::daemon
