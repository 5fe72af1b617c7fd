// Under a service manager: the unit's own command lines, readiness, status, reload, watchdog, end.
#include "house.hpp"

#include "control/client.hpp"
#include "support/notify_socket.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <sys/ptrace.h>
#include <sys/wait.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// What the unit says after "Key=", in words.
std::vector<std::string> unit_setting(const std::string& key) {
    std::ifstream unit(std::string(SOURCE_DIRECTORY) + "/systemd/durabilityd.service");
    REQUIRE(unit.good());
    std::vector<std::string> words;
    for (std::string line; std::getline(unit, line);) {
        if (!line.starts_with(key + "=")) continue;
        std::istringstream rest(line.substr(key.size() + 1));
        for (std::string word; rest >> word;)
            words.push_back(word);
    }
    return words;
}

// The unit's command line with another program of the same name, and more words.
Launch launch_of(const std::string& key,
                 const std::string& program,
                 const std::vector<std::string>& more) {
    std::vector<std::string> words = unit_setting(key);
    REQUIRE_FALSE(words.empty());
    CHECK(std::filesystem::path(words.front()).filename() ==
          std::filesystem::path(program).filename());
    words.front() = program;
    words.insert(words.end(), more.begin(), more.end());
    return Launch{words.front(), {words.begin() + 1, words.end()}, {}};
}

// The daemon as the unit starts it. A watchdog is for one process, which knows itself by its id.
class Service {
  public:
    explicit Service(std::chrono::microseconds watchdog = {}) : manager(house.path("notify")) {
        house.write("d.yaml", "");
        Launch launch = launch_of("ExecStart",
                                  DURABILITYD_BINARY,
                                  {"--state-dir",
                                   house.path("state"),
                                   "--runtime-dir",
                                   house.path("run"),
                                   "--config",
                                   house.path("d.yaml")});
        launch.arguments.insert(launch.arguments.begin(), launch.program);
        launch.arguments.insert(launch.arguments.begin(),
                                {"-c", "export WATCHDOG_PID=$$; exec \"$0\" \"$@\""});
        launch.program = "sh";
        launch.environment = {manager.environment()};
        if (watchdog.count() > 0)
            launch.environment.push_back("WATCHDOG_USEC=" + std::to_string(watchdog.count()));
        daemon = std::make_unique<Process>(launch);
        if (manager.wait("READY=1", patience).empty()) FAIL(daemon->output());
    }

    // ExecReload= of the unit; gives its status and what it printed.
    std::pair<int, std::string> reload() const {
        Process tool(launch_of(
            "ExecReload", DURABILITYCTL_BINARY, {"--socket", house.path("run/control.sock")}));
        const int status = exit_of(tool);
        return {status, tool.output()};
    }

    House house;
    NotifySocket manager;
    std::unique_ptr<Process> daemon;
};

// One thread of a process stands still from construction to destruction.
class Standstill {
  public:
    Standstill(pid_t process, const std::string& thread) {
        const std::string tasks = "/proc/" + std::to_string(process) + "/task";
        for (const auto& task : std::filesystem::directory_iterator(tasks)) {
            std::ifstream comm(task.path() / "comm");
            std::string name;
            std::getline(comm, name);
            if (name == thread) thread_ = std::stoi(task.path().filename().string());
        }
        if (thread_ == 0) throw std::runtime_error("no thread " + thread);
        if (::ptrace(PTRACE_SEIZE, thread_, nullptr, nullptr) != 0) return;
        held_ = true;
        ::ptrace(PTRACE_INTERRUPT, thread_, nullptr, nullptr);
        int status = 0;
        ::waitpid(thread_, &status, __WALL);
    }
    ~Standstill() { end(); }
    Standstill(const Standstill&) = delete;
    Standstill& operator=(const Standstill&) = delete;
    [[nodiscard]] bool held() const { return held_; }
    void end() {
        if (std::exchange(held_, false)) ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr);
    }

  private:
    pid_t thread_{0};
    bool held_{false};
};

}  // namespace

TEST_CASE("the unit's command lines start, reload and end the daemon") {
    Service service;
    CHECK(service.manager.wait("STATUS=0 topics, 0 writers, ", patience).find("samples/s") !=
          std::string::npos);

    auto [status, output] = service.reload();
    CHECK(status == 0);
    CHECK_THAT(output, Contains("nothing has changed"));
    const auto reloading = service.manager.wait("RELOADING=1", patience);
    CHECK_THAT(reloading, Contains("MONOTONIC_USEC="));
    CHECK_FALSE(service.manager.wait("READY=1", patience).empty());

    service.house.write("d.yaml",
                        "topics:\n"
                        "  - { topic: map, type: Map, keyed: no, serve: transient_local }\n"
                        "log: { level: debug }\n"
                        "network_lease: 20s\n");
    std::tie(status, output) = service.reload();
    CHECK(status == 0);
    CHECK_THAT(output,
               Contains("log.level: debug, was info\n") &&
                   Contains("topics: 1 in force; 1 added, 0 removed, 0 changed\n") &&
                   Contains("map (domain 0): served from now on\n") &&
                   Contains("network_lease: 20s needs a restart; in force is 30s\n"));
    CHECK_FALSE(service.manager.wait("RELOADING=1", patience).empty());
    CHECK_FALSE(service.manager.wait("READY=1", patience).empty());
    CHECK_FALSE(service.manager.wait("STATUS=1 topic, 0 writers, ", patience).empty());

    service.house.write("d.yaml", "log: { level: loud }\nstore:\n  sink: commit\n");
    std::tie(status, output) = service.reload();
    CHECK(status == 78);
    const auto file = service.house.path("d.yaml");
    CHECK_THAT(output,
               Contains(file + ":1:15: error: log.level: ") && Contains(file + ":3:3: error: "));
    CHECK_FALSE(service.manager.wait("RELOADING=1", patience).empty());
    CHECK_FALSE(service.manager.wait("READY=1", patience).empty());

    // As if it had not been tried: the good one is in force, and the next good one works.
    service.house.write("d.yaml", "log: { level: debug }\n");
    std::tie(status, output) = service.reload();
    CHECK(status == 0);
    CHECK_THAT(output,
               Contains("topics: 0 in force; 0 added, 1 removed, 0 changed\n") &&
                   Contains("map (domain 0): not served any more; what is stored is kept\n") &&
                   !Contains("log.level"));

    service.daemon->kill(SIGTERM);
    CHECK_FALSE(service.manager.wait("STOPPING=1", patience).empty());
    CHECK(exit_of(*service.daemon) == 0);
    for (const std::string& message : service.manager.messages())
        CHECK_THAT(message, !Contains("WATCHDOG=1"));
}

TEST_CASE("the watchdog hears of a daemon whose threads all move, and of no other") {
    constexpr auto interval = 1'000ms;
    Service service(interval);
    for (int i = 0; i < 4; ++i)
        CHECK_FALSE(service.manager.wait("WATCHDOG=1", patience).empty());
    for (const std::string thread : {"durab-store", "durab-cleanup"}) {
        INFO(thread);
        const std::size_t from = service.daemon->line_count();
        Standstill standstill(service.daemon->pid(), thread);
        if (!standstill.held()) {
            WARN("SKIPPED: a process may not trace another here");
            break;
        }
        const auto late = service.daemon->wait_line("event=WatchdogLate", patience, from);
        REQUIRE(late.has_value());
        CHECK_THAT(*late, Contains(thread));
        service.manager.drain();
        CHECK(service.manager.wait("WATCHDOG=1", 2 * interval).empty());
        // The loop goes on meanwhile.
        CHECK(control::ask(service.house.path("run/control.sock"),
                           control::Request{control::Command::events})
                  .has_value());
        standstill.end();
        CHECK_FALSE(service.manager.wait("WATCHDOG=1", patience).empty());
        const auto lines = service.daemon->lines();
        CHECK(std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(from),
                            lines.end(),
                            [](const std::string& line) {
                                return line.find("event=WatchdogLate") != std::string::npos;
                            }) == 1);
    }
    service.daemon->kill(SIGTERM);
    CHECK(exit_of(*service.daemon) == 0);
}

TEST_CASE("SIGHUP reloads; what is wrong is an event and in the log") {
    const House house;
    const auto file = house.write("d.yaml", "");
    const auto daemon = house.serving({"--config", file});
    house.write("d.yaml", "stoer: {}\nshutdown: maybe\n");
    daemon->kill(SIGHUP);
    const auto rejected = daemon->wait_line("event=ConfigRejected", patience);
    REQUIRE(rejected.has_value());
    CHECK_THAT(*rejected, Contains("errors=2") && Contains(file + ":1:1: "));
    CHECK(daemon->wait_line(file + ":2:11: error: shutdown: ", patience).has_value());
    // Whoever is asked next does not know of it.
    house.write("d.yaml", "shutdown: goodbye\ndomains: [3]\n");
    daemon->kill(SIGHUP);
    const auto reloaded = daemon->wait_line("event=ConfigReloaded", patience);
    REQUIRE(reloaded.has_value());
    CHECK_THAT(*reloaded, Contains("options=1") && Contains("restart=domains"));
    const auto events =
        control::ask(house.path("run/control.sock"), control::Request{control::Command::events});
    REQUIRE(events.has_value());
    CHECK(std::count_if(events->events.begin(), events->events.end(), [](const auto& event) {
              return event.line.find("event=ConfigRe") != std::string::npos;
          }) == 2);
    // Options of the command line stay above the file.
    CHECK(std::filesystem::exists(house.path("run/control.sock")));
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("rules that are dropped in beside the file are found by a reload") {
    const House house;
    const auto file = house.write("d.yaml", "");
    const auto daemon = house.serving({"--config", file});
    std::filesystem::create_directory(house.path("conf.d"));
    house.write("conf.d/robot.yaml", "topics:\n  - { topic: map, type: Map, keyed: yes }\n");
    const auto reply =
        control::ask(house.path("run/control.sock"), control::Request{control::Command::reload});
    REQUIRE(reply.has_value());
    CHECK(reply->reload.accepted);
    CHECK(reply->reload.files.size() == 2);
    CHECK(reply->reload.rules_added == 1);
    REQUIRE(reply->reload.topics.size() == 1);
    CHECK(reply->reload.topics[0].topic == "map");
    // The same rule twice is an error that names both places, and the daemon goes on.
    house.write("d.yaml", "topics:\n  - { topic: map, type: Map, keyed: yes }\n");
    const auto refused =
        control::ask(house.path("run/control.sock"), control::Request{control::Command::reload});
    REQUIRE(refused.has_value());
    CHECK_FALSE(refused->reload.accepted);
    REQUIRE_FALSE(refused->reload.problems.empty());
    CHECK_THAT(refused->reload.problems[0].file, Contains("robot.yaml"));
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}
