// The effective configuration as a YAML file, with the origin of each value beside it. Loading the
// text gives the same configuration again.
#pragma once

#include "config/loader.hpp"

#include <string>
#include <vector>

namespace durability::daemon {

[[nodiscard]] std::string effective_configuration(const config::Loaded& loaded);

// What the configuration itself does not show: a store directory that a restart of the machine
// empties. Looks at the file system, changes nothing; warnings only.
[[nodiscard]] std::vector<config::Problem> check_surroundings(const config::Loaded& loaded);

}  // namespace durability::daemon
