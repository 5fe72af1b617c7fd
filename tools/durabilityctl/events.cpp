// durabilityctl events
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

namespace durability::ctl {

Outcome run_events(const Arguments& arguments) {
    const auto reply = ask_daemon(arguments, control::Request{control::Command::events, false});
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    // The lines were made safe where they were written (to_line()).
    for (const auto& event : reply->events)
        print(local_time(event.wall_ns) + "  " + event.line + "\n");
    return 0;
}

}  // namespace durability::ctl
