// Programs that go on: `top` and `status --watch` on a terminal, `events --follow` on a pipe.
#include "control/protocol.hpp"
#include "support/fake_daemon.hpp"
#include "support/process.hpp"
#include "support/pseudo_terminal.hpp"
#include "tools/sample_daemon.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <tuple>

#include <unistd.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr auto patience = 30s;

// One that is the same when its daemon comes back.
std::string socket_name(const std::string& what) {
    const auto folder = std::filesystem::temp_directory_path();
    return (folder / ("durability-" + what + "-" + std::to_string(::getpid()))).string();
}

// Each look finds it a second later, with ten samples more.
class BusyDaemon {
  public:
    std::string operator()(const control::Request& request) {
        if (request.command != control::Command::topics &&
            request.command != control::Command::status)
            return sample_answer(request);
        const std::lock_guard lock(mutex_);
        status_.uptime += 1s;
        status_.domains[0].topics[0].stored += 10;
        return control::encode_reply(control::encode_data(request.command, status_));
    }

  private:
    std::mutex mutex_;
    ServiceStatus status_ = sample_status();
};

// Events in the way of a daemon that is asked again and again.
class EventfulDaemon {
  public:
    std::string operator()(const control::Request& request) {
        ++asked;
        std::vector<Event> events;
        const std::string name = std::to_string(run.load());
        const std::uint64_t after =
            request.after && (request.run.empty() || request.run == name) ? *request.after : 0;
        for (std::uint64_t i = std::max(after + 1, oldest.load()); i <= newest; ++i) {
            Event& event = events.emplace_back();
            event.kind = i % 2 == 0 ? EventKind::SampleLost : EventKind::SampleRejected;
            event.number = i;
            event.fields = {{"topic", "rt/map"}, {"count", std::to_string(i)}};
        }
        return control::encode_reply(control::encode_data(events, name));
    }
    std::atomic<std::uint64_t> newest{2};
    std::atomic<std::uint64_t> oldest{1};
    std::atomic<int> run{17};
    std::atomic<int> asked{0};
};

}  // namespace

TEST_CASE("top shows rates, sorts, follows the size of the screen and leaves it as it was") {
    BusyDaemon busy;
    const FakeDaemon daemon([&](const control::Request& request) { return busy(request); });
    TerminalProcess top(
        DURABILITYCTL_BINARY, {"top", "--socket", daemon.socket()}, {"TZ=UTC"}, 100, 20);
    REQUIRE(top.wait_for(" 10.0 ", patience));
    CHECK(top.screen().alternate());
    CHECK(top.screen().cursor_hidden());
    CHECK(top.screen().complaint().empty());
    const auto lines = top.screen().lines();
    CHECK_THAT(lines[0], Contains("durabilityd 1.2.3, pid 4711, up ") && Contains("by rate"));
    CHECK_THAT(lines[1], Contains("2 topics, 10 samples, 128.0 KiB in files; stored 10.0/s"));
    CHECK_THAT(lines[1], Contains("1 degraded"));
    CHECK(lines[3] ==
          "DOMAIN  STORED/S  REPLAYED/S  SAMPLES   PAYLOAD     FILES  WRITERS  READERS"
          "  STATE     TOPIC");
    CHECK(lines[4] ==
          "     0      10.0         0.0        5  19.5 KiB  64.0 KiB        2        1"
          "  ok        rt/map");
    // Cut at the edge, and the name's own sequence is only text.
    CHECK(lines[5] ==
          "     0       0.0         0.0        5  19.5 KiB  64.0 KiB        2        1"
          "  degraded  rt/odd \\");
    CHECK(lines[6].empty());
    CHECK(top.screen().coloured());

    top.type("b");
    CHECK(top.wait_for("by bytes", patience));
    top.type("w");
    CHECK(top.wait_for("by writers", patience));
    top.resize(60, 4);
    CHECK(top.wait_for("DOMAIN  STORED/S  REPLAYED/S  SAMPLES   PAYLOAD     FILES  W\n", patience));
    CHECK(top.screen().lines().size() == 4);
    CHECK(top.screen().complaint().empty());
    CHECK_FALSE(top.echoes());
    top.type("q");
    CHECK(top.wait(patience) == 0);
    CHECK_FALSE(top.screen().alternate());
    CHECK_FALSE(top.screen().cursor_hidden());
}

TEST_CASE("top ends by Ctrl-C and by SIGTERM, and leaves the terminal in order") {
    const FakeDaemon daemon(sample_answer);
    for (const bool by_key : {true, false}) {
        TerminalProcess top(
            DURABILITYCTL_BINARY, {"top", "--socket", daemon.socket()}, {"NO_COLOR=1"}, 80, 10);
        REQUIRE(top.wait_for("rt/map", patience));
        CHECK_FALSE(top.screen().coloured());
        if (by_key) {
            top.type("\x03");
        } else {
            top.signal(SIGTERM);
        }
        CHECK(top.wait(patience) == 0);
        CHECK_FALSE(top.screen().alternate());
        CHECK_FALSE(top.screen().cursor_hidden());
    }
}

TEST_CASE("top says that the daemon has gone, and goes on when it is back") {
    const std::string socket = socket_name("top");
    auto daemon = std::make_unique<FakeDaemon>(sample_answer, socket);
    TerminalProcess top(DURABILITYCTL_BINARY, {"top", "--socket", socket}, {}, 100, 10);
    REQUIRE(top.wait_for("rt/map", patience));
    daemon.reset();
    CHECK(top.wait_for("no daemon listens there", patience));
    daemon = std::make_unique<FakeDaemon>(sample_answer, socket);
    bool gone = false;
    for (int i = 0; i < 30 && !gone; ++i) {
        std::ignore = top.wait_for("never on the screen", 1s);
        gone = top.screen().text().find("no daemon listens") == std::string::npos;
    }
    CHECK(gone);
    top.type("q");
    CHECK(top.wait(patience) == 0);
}

TEST_CASE("top without a daemon says so where it stays") {
    TerminalProcess top(DURABILITYCTL_BINARY, {"top", "--socket", "/nonexistent"}, {}, 200, 10);
    CHECK(top.wait(patience) == 69);
    CHECK_FALSE(top.screen().alternate());
    CHECK_THAT(top.screen().text(), Contains("is durabilityd running?"));
}

TEST_CASE("status is drawn again every second") {
    BusyDaemon busy;
    const FakeDaemon daemon([&](const control::Request& request) { return busy(request); });
    TerminalProcess status(DURABILITYCTL_BINARY,
                           {"status", "--watch", "--utc", "--socket", daemon.socket()},
                           {},
                           120,
                           30);
    CHECK(status.wait_for("10.0 stored and 0.0 replayed a second\n", patience));
    CHECK_THAT(status.screen().text(),
               Contains("latest events:") &&
                   Contains("2023-11-14 22:13:22.000 +0000  event=ServedFromDiscovery") &&
                   Contains("q quits"));
    CHECK(status.screen().complaint().empty());
    status.type("q");
    CHECK(status.wait(patience) == 0);
}

TEST_CASE("events that follow come once, over a restart of the daemon, until somebody ends it") {
    EventfulDaemon eventful;
    const std::string socket = socket_name("follow");
    auto answer = [&](const control::Request& request) { return eventful(request); };
    auto daemon = std::make_unique<FakeDaemon>(answer, socket);
    Process follow({DURABILITYCTL_BINARY, {"events", "--follow", "--socket", socket}, {}});
    REQUIRE(follow.wait_line("count=2", patience));
    eventful.newest = 4;
    REQUIRE(follow.wait_line("count=4", patience));
    // More than are kept came in between.
    eventful.oldest = 8;
    eventful.newest = 9;
    REQUIRE(follow.wait_line("count=9", patience));
    CHECK_THAT(follow.output(), Contains("3 events in between are no longer kept"));
    daemon.reset();
    REQUIRE(follow.wait_line("waiting for it to come back", patience));
    eventful.run = 18;
    eventful.oldest = 1;
    eventful.newest = 3;
    const std::size_t before = follow.line_count();
    daemon = std::make_unique<FakeDaemon>(answer, socket);
    REQUIRE(follow.wait_line("the daemon was started again", patience, before));
    REQUIRE(follow.wait_line("count=3", patience, before));
    const auto lines = follow.lines();
    const auto times = [&](const std::string& text) {
        return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
    };
    CHECK(times("count=1") == 2);
    CHECK(times("count=4") == 1);
    CHECK(times("count=9") == 1);
    CHECK(times("waiting for it") == 1);
    follow.kill(SIGINT);
    const auto ended = follow.wait(patience);
    REQUIRE(ended.has_value());
    CHECK(ended->status == 0);
    CHECK(ended->signal == 0);
}

TEST_CASE("events that follow are selected as others are, one JSON object a line") {
    EventfulDaemon eventful;
    const FakeDaemon daemon([&](const control::Request& request) { return eventful(request); });
    Process follow({DURABILITYCTL_BINARY,
                    {"events",
                     "--follow",
                     "--json",
                     "--event",
                     "SampleLost",
                     "--topic",
                     "rt/map",
                     "--socket",
                     daemon.socket()},
                    {}});
    eventful.newest = 6;
    REQUIRE(follow.wait_line("\"count\":\"6\"", patience));
    const auto lines = follow.lines();
    CHECK(lines.size() == 3);
    for (const std::string& line : lines)
        CHECK_THAT(line, Catch::StartsWith("{\"number\":") && Contains("SampleLost"));
    follow.kill(SIGTERM);
    CHECK(follow.wait(patience)->status == 0);
}

TEST_CASE("events that follow stop when nobody reads them, also when none come") {
    EventfulDaemon eventful;
    const FakeDaemon daemon([&](const control::Request& request) { return eventful(request); });
    Process shell({"/bin/sh",
                   {"-c",
                    std::string("'") + DURABILITYCTL_BINARY + "' events --follow --socket '" +
                        daemon.socket() + "' | head -n 1"},
                   {}});
    const auto ended = shell.wait(patience);
    REQUIRE(ended.has_value());
    CHECK(ended->status == 0);
    CHECK(shell.lines().size() == 1);
    // The shell waited for both of them.
}
