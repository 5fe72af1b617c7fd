// durabilityctl status [--watch]
#include "durabilityctl/output.hpp"
#include "durabilityctl/refresh.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/status_view.hpp"
#include "durabilityctl/terminal.hpp"

#include <optional>
#include <utility>

namespace durability::ctl {
namespace {

const control::Request the_status{control::Command::status};
const control::Request the_events{control::Command::events};

Outcome watch(const Arguments& arguments, control::Reply first) {
    auto terminal = Terminal::open();
    if (!terminal) return tl::unexpected(terminal.error());
    Terminal& screen = **terminal;
    ServiceStatus now = std::move(first.status);
    std::optional<ServiceStatus> before;
    std::vector<control::Reply::EventText> events;
    std::string trouble;
    Refresh refresh;
    bool look_at_events = true;
    while (!screen.ended()) {
        if (std::exchange(look_at_events, false)) {
            if (auto latest = ask_again(arguments, the_events)) events = std::move(latest->events);
        }
        std::string text = status_text(before ? &*before : nullptr, now, events);
        if (!trouble.empty()) text = coloured(trouble, Colour::red) + "\n" + text;
        screen.draw(lines_of(text + "\nq quits\n"));
        if (const auto key = screen.key(refresh.left()); key && is_quit(*key)) break;
        if (!refresh.due()) continue;
        auto reply = ask_again(arguments, the_status);
        trouble = reply ? std::string() : reply.error().text();
        if (!reply) continue;
        before = std::exchange(now, std::move(reply->status));
        look_at_events = true;
    }
    return 0;
}

}  // namespace

Outcome run_status(const Arguments& arguments) {
    if (arguments.watch && !Terminal::is_there()) {
        return fail(Errc::invalid_argument,
                    "--watch needs a terminal; for programs: durabilityctl status --json");
    }
    auto reply = ask_daemon(arguments, the_status);
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.watch) return watch(arguments, *std::move(reply));
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    const auto latest = ask_again(arguments, the_events);
    print(status_text(nullptr,
                      reply->status,
                      latest ? latest->events : std::vector<control::Reply::EventText>{}));
    return 0;
}

}  // namespace durability::ctl
