// durabilityctl events [--follow] [--since TIME] [--event NAME] [--topic TOPIC]
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace durability::ctl {
namespace {

using Event = control::Reply::EventText;

constexpr auto again_after = std::chrono::seconds{1};

bool is_wanted(const Event& event, const Arguments& arguments) {
    if (arguments.since_ns && event.wall_ns < *arguments.since_ns) return false;
    if (!arguments.event.empty() && event.name != arguments.event) return false;
    return arguments.topic.empty() || event.topic == arguments.topic;
}

// False when nobody reads it any more.
bool show(const std::vector<Event>& events, const Arguments& arguments) {
    for (const Event& event : events) {
        if (!is_wanted(event, arguments)) continue;
        // The lines were made safe where they were written (to_line()).
        print(arguments.json ? event.json + "\n"
                             : event_text(event.wall_ns, event.severity, event.line) + "\n");
    }
    return flush();
}

// Whoever read us has gone, though there is nothing to write at the moment.
bool is_unread() {
    pollfd output{STDOUT_FILENO, 0, 0};
    return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

// Everything that was shown has left: there is nothing to be put in order.
void end_quietly(int /*signal*/) {
    ::_exit(0);
}

void prepare_signals() {
    struct sigaction action {};
    ::sigemptyset(&action.sa_mask);
    action.sa_handler = end_quietly;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
        ::sigaction(signal, &action, nullptr);
}

// What is newer, again and again, over restarts of the daemon.
Outcome follow(const Arguments& arguments, const control::Reply& first) {
    prepare_signals();
    if (!show(first.events, arguments)) return 0;
    control::Request request{control::Command::events};
    request.after = first.newest;
    request.run = first.run;
    bool lost = false;
    while (!is_unread()) {
        const auto reply = ask_again(arguments, request);
        if (!reply) {
            if (!lost) print_error(reply.error().text() + "; waiting for it to come back");
            lost = true;
            std::this_thread::sleep_for(again_after);
            continue;
        }
        lost = false;
        const bool restarted = reply->run != request.run;
        if (restarted) print_error("the daemon was started again; these are the events since then");
        const std::uint64_t expected = restarted ? 1 : *request.after + 1;
        if (!reply->events.empty() && reply->events.front().number > expected) {
            print_error(fmt::format("{} events in between are no longer kept",
                                    reply->events.front().number - expected));
        }
        if (!show(reply->events, arguments)) return 0;
        request.run = reply->run;
        if (restarted || reply->newest > *request.after) {
            request.after = reply->newest;
        } else {
            // Also when others wait as well and took our place.
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
    }
    return 0;
}

}  // namespace

Outcome run_events(const Arguments& arguments) {
    const auto reply = ask_daemon(arguments, control::Request{control::Command::events});
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.follow) return follow(arguments, *reply);
    if (arguments.json) {
        std::string rows;
        for (const Event& event : reply->events) {
            if (is_wanted(event, arguments)) rows += (rows.empty() ? "" : ",") + event.json;
        }
        print(fmt::format("{{\"run\":\"{}\",\"events\":[{}]}}\n", reply->run, rows));
        return 0;
    }
    show(reply->events, arguments);
    return 0;
}

}  // namespace durability::ctl
