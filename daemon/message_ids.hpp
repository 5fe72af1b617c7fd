// A random 128-bit id for each kind of event, the same in every release: what `journalctl
// MESSAGE_ID=` and catalogs go by. A new kind gets a new one (`systemd-id128 new`) and a row in
// durabilityd-events(7).
#pragma once

#include "durability/event.hpp"

#include <string_view>

namespace durability::daemon {

// 32 lower-case hexadecimal digits.
[[nodiscard]] std::string_view message_id(EventKind kind);

}  // namespace durability::daemon
