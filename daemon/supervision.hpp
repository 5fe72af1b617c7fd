// What the service manager hears of a daemon that serves: its status line, at most once a second
// and only when it changed, and that it is well (watchdog.hpp). Nothing wakes an idle daemon but
// the watchdog, where the manager has set one. Loop thread.
#pragma once

#include "base/time.hpp"
#include "daemon/status_line.hpp"
#include "daemon/watchdog.hpp"
#include "net/asio.hpp"
#include "runtime/runtime.hpp"

#include <memory>
#include <optional>

namespace durability::daemon {

class Supervision {
  public:
    // `runtime` outlives this.
    explicit Supervision(runtime::Runtime& runtime);
    Supervision(const Supervision&) = delete;
    Supervision& operator=(const Supervision&) = delete;
    ~Supervision();

    // Something was stored, or came, or went.
    void note_activity();
    // The loop is busy with something long and makes progress: the watchdog is told.
    void note_progress() const;
    void close();

  private:
    void show_status();
    void arm_status();
    void look_after_threads();

    runtime::Runtime& runtime_;
    boost::asio::steady_timer status_timer_;
    boost::asio::steady_timer watchdog_timer_;
    StatusLine status_;
    std::optional<Watchdog> watchdog_;
    std::uint64_t shown_activity_{0};
    bool status_armed_{false};
    bool closed_{false};
    // Answers of the runtime may come when this is gone.
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
};

}  // namespace durability::daemon
