// durabilityctl stop [--goodbye]
#include "durabilityctl/source.hpp"

namespace durability::ctl {

Outcome run_stop(const Arguments& arguments) {
    const auto reply =
        ask_daemon(arguments, control::Request{control::Command::stop, arguments.goodbye});
    if (!reply) return tl::unexpected(reply.error());
    return 0;
}

}  // namespace durability::ctl
