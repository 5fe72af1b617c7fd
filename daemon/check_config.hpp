// The effective configuration as a YAML file, with the origin of each value beside it. Loading the
// text gives the same configuration again.
#pragma once

#include "config/loader.hpp"

#include <string>

namespace durability::daemon {

[[nodiscard]] std::string effective_configuration(const config::Loaded& loaded);

}  // namespace durability::daemon
