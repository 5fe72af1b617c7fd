// One question to a running daemon over its control socket. Blocking, bounded in time and size;
// used by durabilityctl. The only file outside lib/net with sockets, because they are local and not
// the network's.
#pragma once

#include "base/time.hpp"
#include "control/protocol.hpp"

#include <string>

namespace durability::control {

// The line of the reply. Errors are those of the way there and back: unavailable (no daemon answers
// at `socket_path`), permission, io (time-out included).
[[nodiscard]] Result<std::string> exchange(const std::string& socket_path,
                                           const Request& request,
                                           Duration timeout);

// The same, decoded. Errors: unavailable (no daemon answers at `socket_path`), permission, io
// (time-out included), version, or what the daemon answered.
[[nodiscard]] Result<Reply> ask(const std::string& socket_path,
                                const Request& request,
                                Duration timeout = std::chrono::seconds{10});

}  // namespace durability::control
