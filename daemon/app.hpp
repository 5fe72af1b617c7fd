// A running daemon: the runtime plus signals, the service manager and the control socket.
#pragma once

#include "config/loader.hpp"
#include "daemon/options.hpp"

namespace durability::daemon {

// Runs until it is told to stop; gives the exit status. Start order: signals, runtime (leases,
// stores, sockets, participants), control socket, "ready". Stop order is the reverse. `options`:
// what a reload reads again.
[[nodiscard]] int run(const Options& options, const config::Loaded& loaded);

}  // namespace durability::daemon
