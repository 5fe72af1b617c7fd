#include "daemon/supervision.hpp"

#include "base/clock.hpp"
#include "daemon/notify.hpp"

#include <chrono>
#include <utility>

namespace durability::daemon {
namespace {

constexpr auto status_interval = std::chrono::seconds{1};

}  // namespace

Supervision::Supervision(runtime::Runtime& runtime)
    : runtime_(runtime), status_timer_(runtime.context()), watchdog_timer_(runtime.context()) {
    if (const auto interval = watchdog_interval()) {
        watchdog_.emplace(*interval);
        look_after_threads();
    }
    show_status();
    arm_status();
}

Supervision::~Supervision() {
    close();
    *alive_ = false;
}

void Supervision::close() {
    closed_ = true;
    status_timer_.cancel();
    watchdog_timer_.cancel();
}

void Supervision::note_activity() {
    if (!status_armed_) arm_status();
}

void Supervision::note_progress() const {
    if (watchdog_ && !closed_) notify_watchdog();
}

void Supervision::show_status() {
    shown_activity_ = runtime_.activity();
    runtime_.summary([this, alive = alive_](const runtime::Summary& summary) {
        if (!*alive || closed_) return;
        if (const auto line = status_.update(summary, system_now().mono)) notify_status(*line);
    });
}

// While anything happens, and once more after it: then the rate is down to 0.
void Supervision::arm_status() {
    if (closed_) return;
    status_armed_ = true;
    status_timer_.expires_after(status_interval);
    status_timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive || closed_) return;
        status_armed_ = false;
        const bool is_idle = shown_activity_ == runtime_.activity() && !status_.shows_rate();
        if (is_idle) return;
        show_status();
        arm_status();
    });
}

void Supervision::look_after_threads() {
    const MonoTime now = system_now().mono;
    const Watchdog::Step step = watchdog_->look(runtime_.silent_threads(), now);
    for (const std::string& thread : step.late) {
        Event event;
        event.kind = EventKind::WatchdogLate;
        event.fields = {{"thread", thread}};
        runtime_.report(std::move(event));
    }
    if (step.ping) {
        notify_watchdog();
        runtime_.ask_pulses();
    }
    watchdog_timer_.expires_after(step.next - now);
    watchdog_timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
        if (!error && *alive && !closed_) look_after_threads();
    });
}

}  // namespace durability::daemon
