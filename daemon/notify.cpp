#include "daemon/notify.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <tuple>

namespace durability::daemon {
namespace {

// A manager that cannot be told is not worth failing for: it will notice by its own time-outs.
void tell(const std::string& state) {
    std::ignore = ::sd_notify(0, state.c_str());
}

}  // namespace

void notify_ready() {
    tell("READY=1");
}
void notify_stopping() {
    tell("STOPPING=1");
}
void notify_status(std::string_view line) {
    tell(fmt::format("STATUS={}", line));
}
void notify_extend_startup(std::chrono::seconds more) {
    tell(fmt::format("EXTEND_TIMEOUT_USEC={}", std::chrono::microseconds(more).count()));
}

}  // namespace durability::daemon
