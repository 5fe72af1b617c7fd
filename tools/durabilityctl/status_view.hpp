// What `durabilityctl status` shows. Pure.
#pragma once

#include "control/protocol.hpp"
#include "model/status.hpp"

#include <string>
#include <vector>

namespace durability::ctl {

// `before`: an earlier snapshot of the same run, for rates of now; else rates are averages since
// the start. `events`: the latest ones, of which five are shown.
[[nodiscard]] std::string status_text(const ServiceStatus* before,
                                      const ServiceStatus& now,
                                      const std::vector<control::Reply::EventText>& events);

}  // namespace durability::ctl
