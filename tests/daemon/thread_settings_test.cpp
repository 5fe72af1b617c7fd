// Threads with a scheduling of their own, in builds with DURABILITYD_RT; refused in others.
#include "runtime/thread_settings.hpp"

#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

using namespace durability;
using namespace durability::runtime;

namespace {

struct Seen {
    int policy{-1};
    int priority{-1};
    int cpus{0};
};

// How a thread is scheduled after it has been given its settings.
Seen in_thread(const ThreadScheduler& scheduler, ThreadRole role) {
    Seen seen;
    std::thread([&] {
        scheduler.apply(role);
        sched_param parameters{};
        sched_getparam(0, &parameters);
        seen.policy = sched_getscheduler(0);
        seen.priority = parameters.sched_priority;
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        sched_getaffinity(0, sizeof cpus, &cpus);
        seen.cpus = CPU_COUNT(&cpus);
    }).join();
    return seen;
}

// Whether this process may use real-time priorities at all.
bool may_be_realtime() {
    bool may = false;
    std::thread([&] {
        sched_param parameters{};
        parameters.sched_priority = 1;
        may = sched_setscheduler(0, SCHED_RR, &parameters) == 0;
    }).join();
    return may;
}

std::uint32_t some_cpu() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    std::uint32_t cpu = 0;
    while (cpu + 1 < CPU_SETSIZE && !CPU_ISSET(cpu, &cpus))
        ++cpu;
    return cpu;
}

ThreadSettings rr(std::uint64_t priority) {
    ThreadSettings settings;
    settings.policy = ThreadPolicy::rr;
    settings.priority = priority;
    return settings;
}

}  // namespace

TEST_CASE("settings that this build cannot make are an error that names the option of the build") {
    Config::Threads threads;
    CHECK(check_thread_settings(threads));
    threads.sync.cpus = {0};
    const Status checked = check_thread_settings(threads);
    REQUIRE(checked.has_value() == has_realtime());
    if (!has_realtime()) {
        CHECK(checked.error().code == Errc::unsupported);
        CHECK_THAT(checked.error().detail, Catch::Contains("feature missing"));
        CHECK_THAT(checked.error().detail, Catch::Contains("DURABILITYD_RT"));
    }
}

TEST_CASE("what is asked for is told in words") {
    ThreadSettings settings = rr(7);
    settings.cpus = {0, 3};
    CHECK(describe_scheduling(settings) == "policy rr, priority 7");
    CHECK(describe_cpus(settings) == "processors 0, 3");
    CHECK(describe_scheduling(ThreadSettings{}).empty());
}

TEST_CASE("a thread runs with the policy, priority and processors that are set for it") {
    if (!has_realtime()) return;
    Config::Threads threads;
    threads.store = rr(3);
    threads.sync.cpus = {some_cpu()};
    std::vector<ThreadScheduler::Refusal> refused;
    const ThreadScheduler scheduler(
        threads, [&](const ThreadScheduler::Refusal& refusal) { refused.push_back(refusal); });
    CHECK(in_thread(scheduler, ThreadRole::sync).cpus == 1);
    CHECK(refused.empty());
    const Seen store = in_thread(scheduler, ThreadRole::store);
    if (may_be_realtime()) {
        CHECK(refused.empty());
        CHECK(store.policy == SCHED_RR);
        CHECK(store.priority == 3);
    } else {
        REQUIRE(refused.size() == 1);
        CHECK(refused[0].thread == ThreadRole::store);
        CHECK(refused[0].wanted == "policy rr, priority 3");
        CHECK(refused[0].reason == EPERM);
        CHECK(store.policy == SCHED_OTHER);
    }
}

TEST_CASE("a thread does not inherit what its maker was given") {
    if (!has_realtime()) return;
    Config::Threads threads;
    if (may_be_realtime()) threads.loop = rr(2);
    threads.loop.cpus = {some_cpu()};
    const ThreadScheduler scheduler(threads, [](const ThreadScheduler::Refusal&) {});
    cpu_set_t all;
    CPU_ZERO(&all);
    sched_getaffinity(0, sizeof all, &all);
    Seen made;
    std::thread([&] {
        scheduler.apply(ThreadRole::loop);
        made = in_thread(scheduler, ThreadRole::cleanup);
    }).join();
    CHECK(made.policy == SCHED_OTHER);
    CHECK(made.cpus == CPU_COUNT(&all));
}

TEST_CASE("processors that do not exist are refused and told") {
    if (!has_realtime()) return;
    Config::Threads threads;
    threads.cleanup.cpus = {1'023};
    std::vector<ThreadScheduler::Refusal> refused;
    const ThreadScheduler scheduler(
        threads, [&](const ThreadScheduler::Refusal& refusal) { refused.push_back(refusal); });
    CHECK(in_thread(scheduler, ThreadRole::cleanup).policy == SCHED_OTHER);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].wanted == "processors 1023");
    CHECK(refused[0].reason == EINVAL);
}
