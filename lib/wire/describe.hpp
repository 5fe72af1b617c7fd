// One line of text for each submessage, for traces and tools. Foreign text does not occur in it.
#pragma once

#include "wire/submessage.hpp"

#include <string>

namespace durability::wire {

// "HEARTBEAT 000003c2 -> 000003c7 1..5 count 3 final": from the sender to the receiver.
// Thread-safe; allocates.
[[nodiscard]] std::string describe(const Submessage& submessage);

}  // namespace durability::wire
