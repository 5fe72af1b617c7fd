// What a fake daemon says in the tests of durabilityctl: a little of everything, always the same.
#pragma once

#include "control/protocol.hpp"

#include <string>

namespace durability::test {

[[nodiscard]] ServiceStatus sample_status();
// The line of the reply to any question.
[[nodiscard]] std::string sample_answer(const control::Request& request);

}  // namespace durability::test
