// A running daemon: the runtime plus signals, the service manager and the control socket.
#pragma once

#include "config/loader.hpp"

namespace durability::daemon {

// Runs until it is told to stop; gives the exit status. Start order: signals, runtime (leases,
// stores, sockets, participants), control socket, "ready". Stop order is the reverse.
[[nodiscard]] int run(const config::Loaded& loaded);

}  // namespace durability::daemon
