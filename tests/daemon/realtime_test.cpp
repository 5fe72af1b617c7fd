// The threads of the real daemon as the configuration schedules them: builds with DURABILITYD_RT.
#include "house.hpp"

#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <set>

#include <sched.h>

using namespace durability;
using namespace durability::test;

namespace {

struct Scheduled {
    int policy{-1};
    int priority{-1};
    friend bool operator==(const Scheduled&, const Scheduled&) = default;
};

// By the names of the threads.
std::map<std::string, Scheduled> threads_of(pid_t process) {
    std::map<std::string, Scheduled> found;
    const std::string tasks = "/proc/" + std::to_string(process) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        const pid_t thread = std::stoi(task.path().filename().string());
        sched_param parameters{};
        if (::sched_getparam(thread, &parameters) != 0) continue;
        found[name] = {::sched_getscheduler(thread), parameters.sched_priority};
    }
    return found;
}

constexpr const char* some_threads =
    "threads:\n"
    "  loop: { policy: rr, priority: 4 }\n"
    "  store: { policy: fifo, priority: 3 }\n"
    "  sync: { policy: fifo, priority: 2 }\n";

bool may_be_realtime() {
    sched_param parameters{};
    if (::sched_getparam(0, &parameters) != 0) return false;
    const int before = ::sched_getscheduler(0);
    sched_param wanted{};
    wanted.sched_priority = 1;
    const bool may = ::sched_setscheduler(0, SCHED_RR, &wanted) == 0;
    if (may) ::sched_setscheduler(0, before, &parameters);
    return may;
}

}  // namespace

TEST_CASE("a build without real-time settings refuses them with 78, at their place") {
    if (has_realtime()) return;
    const House house;
    const auto daemon = house.launch({"--config", house.write("d.yaml", some_threads)});
    CHECK(exit_of(*daemon) == 78);
    CHECK_THAT(daemon->output(), Catch::Contains("d.yaml:1:1"));
    CHECK_THAT(daemon->output(), Catch::Contains("feature missing"));
}

TEST_CASE("every thread of the daemon has the policy and priority that are set for it") {
    if (!has_realtime() || !may_be_realtime()) return;
    const House house;
    const auto daemon = house.serving({"--config", house.write("d.yaml", some_threads)});
    // A thread is there before it has given itself what it should have.
    const std::map<std::string, Scheduled> wanted{{"durabilityd", {SCHED_RR, 4}},
                                                  {"durab-store", {SCHED_FIFO, 3}},
                                                  {"durab-sync", {SCHED_FIFO, 2}},
                                                  {"durab-cleanup", {SCHED_OTHER, 0}}};
    const auto until = std::chrono::steady_clock::now() + patience;
    std::map<std::string, Scheduled> found = threads_of(daemon->pid());
    while (found != wanted && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
        found = threads_of(daemon->pid());
    }
    for (const auto& [name, scheduled] : wanted) {
        CAPTURE(name);
        CHECK(found[name].policy == scheduled.policy);
        CHECK(found[name].priority == scheduled.priority);
    }
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE(
    "what the kernel refuses a thread is an event that names the cure, and the daemon serves") {
    if (!has_realtime()) return;
    const House house;
    const auto daemon = house.serving(
        {"--config", house.write("d.yaml", "threads: { cleanup: { cpus: [1023] } }\n")});
    const auto event = daemon->wait_line("event=ThreadSettingRefused", patience);
    REQUIRE(event.has_value());
    CHECK_THAT(*event, Catch::Contains("thread=cleanup"));
    CHECK_THAT(*event, Catch::Contains("processors 1023"));
    CHECK_THAT(*event, Catch::Contains("LimitRTPRIO"));
    CHECK_THAT(*event, Catch::Contains("realtime.conf"));
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("--version says whether thread settings are built in") {
    Process program({DURABILITYD_BINARY, {"--version"}, {}});
    CHECK(exit_of(program) == 0);
    CHECK_THAT(program.output(),
               Catch::Contains(has_realtime() ? "real-time thread settings: built in"
                                              : "real-time thread settings: not built in"));
}
