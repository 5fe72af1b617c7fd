// durabilityctl top
#include "durabilityctl/refresh.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/terminal.hpp"
#include "durabilityctl/top_view.hpp"

#include <string>
#include <utility>

namespace durability::ctl {

Outcome run_top(const Arguments& arguments) {
    if (!Terminal::is_there()) {
        return fail(Errc::invalid_argument,
                    "top needs a terminal; for programs: durabilityctl status --json");
    }
    const control::Request request{control::Command::topics};
    // Before the screen is taken over: what is wrong is said where it stays.
    auto first = ask_daemon(arguments, request);
    if (!first) return tl::unexpected(first.error());
    auto terminal = Terminal::open();
    if (!terminal) return tl::unexpected(terminal.error());
    Terminal& screen = **terminal;
    ServiceStatus now = std::move(first->status);
    ServiceStatus before = now;
    TopOrder order = TopOrder::rate;
    std::string trouble;
    Refresh refresh;
    while (!screen.ended()) {
        screen.draw(top_lines(before, now, order, screen.size().rows, trouble));
        if (const auto key = screen.key(refresh.left())) {
            if (is_quit(*key)) break;
            order = order_by_key(*key, order);
        }
        if (!refresh.due()) continue;
        auto reply = ask_again(arguments, request);
        trouble = reply ? std::string() : reply.error().text();
        if (!reply) continue;
        before = std::exchange(now, std::move(reply->status));
    }
    return 0;
}

}  // namespace durability::ctl
