// Where a command gets its facts from: a running daemon, or a store that is read without one.
#pragma once

#include "durabilityctl/command.hpp"

#include "control/client.hpp"

namespace durability::ctl {

// The control socket to ask: --socket, else that of the default configuration.
[[nodiscard]] std::string socket_path(const Arguments& arguments);

// The directory of the store to read: --state-dir, else what a running daemon says, else that of
// the default configuration.
[[nodiscard]] std::string store_directory(const Arguments& arguments);

// Asks the daemon. When none answers, the error also says what can be done.
[[nodiscard]] Result<control::Reply> ask_daemon(const Arguments& arguments,
                                                const control::Request& request);

// The same for whoever asks again and again: with little patience, and without advice.
[[nodiscard]] Result<control::Reply> ask_again(const Arguments& arguments,
                                               const control::Request& request);

// Topics and writers of the store in --state-dir; else the daemon's answer.
[[nodiscard]] Result<control::Reply> snapshot(const Arguments& arguments, control::Command command);

}  // namespace durability::ctl
