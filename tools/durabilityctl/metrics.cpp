// durabilityctl metrics [--format openmetrics|prometheus]
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

namespace durability::ctl {

Outcome run_metrics(const Arguments& arguments) {
    control::Request request{control::Command::metrics};
    request.prometheus = arguments.prometheus;
    const auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    print(reply->text);
    return 0;
}

}  // namespace durability::ctl
