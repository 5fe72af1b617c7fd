#include "runtime/thread_settings.hpp"

#include "durability/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <utility>

#include <sched.h>

namespace durability::runtime {
namespace {

bool any_set(const Config::Threads& all) {
    return !all.loop.empty() || !all.store.empty() || !all.sync.empty() || !all.cleanup.empty();
}

std::string_view name(ThreadPolicy policy) {
    switch (policy) {
        case ThreadPolicy::other:
            return "other";
        case ThreadPolicy::fifo:
            return "fifo";
        case ThreadPolicy::rr:
            return "rr";
    }
    return "?";
}

}  // namespace

std::string_view name(ThreadRole role) {
    switch (role) {
        case ThreadRole::loop:
            return "loop";
        case ThreadRole::store:
            return "store";
        case ThreadRole::sync:
            return "sync";
        case ThreadRole::cleanup:
            return "cleanup";
    }
    return "?";
}

Status check_thread_settings(const Config::Threads& settings) {
    if (has_realtime() || !any_set(settings)) return {};
    return fail(Errc::unsupported,
                "threads: feature missing: real-time thread settings need a build with the CMake "
                "option DURABILITYD_RT");
}

std::string describe_scheduling(const ThreadSettings& settings) {
    if (!settings.policy) return {};
    if (!settings.priority) return fmt::format("policy {}", name(*settings.policy));
    return fmt::format("policy {}, priority {}", name(*settings.policy), *settings.priority);
}

std::string describe_cpus(const ThreadSettings& settings) {
    return settings.cpus.empty() ? std::string()
                                 : fmt::format("processors {}", fmt::join(settings.cpus, ", "));
}

#ifdef DURABILITYD_RT

namespace {

const ThreadSettings& settings_of(const Config::Threads& all, ThreadRole role) {
    switch (role) {
        case ThreadRole::loop:
            return all.loop;
        case ThreadRole::store:
            return all.store;
        case ThreadRole::sync:
            return all.sync;
        case ThreadRole::cleanup:
            return all.cleanup;
    }
    return all.loop;
}

struct Scheduling {
    int policy{SCHED_OTHER};
    int priority{0};
};

int to_system(ThreadPolicy policy) {
    switch (policy) {
        case ThreadPolicy::other:
            return SCHED_OTHER;
        case ThreadPolicy::fifo:
            return SCHED_FIFO;
        case ThreadPolicy::rr:
            return SCHED_RR;
    }
    return SCHED_OTHER;
}

// Of the calling thread, here and below: that is what pid 0 means (sched_setscheduler(2)).
Scheduling current_scheduling() {
    Scheduling now;
    sched_param parameters{};
    if (::sched_getparam(0, &parameters) == 0) now.priority = parameters.sched_priority;
    if (const int policy = ::sched_getscheduler(0); policy >= 0) now.policy = policy;
    return now;
}

int set_scheduling(const Scheduling& wanted) {
    const Scheduling now = current_scheduling();
    if (now.policy == wanted.policy && now.priority == wanted.priority) return 0;
    sched_param parameters{};
    parameters.sched_priority = wanted.priority;
    return ::sched_setscheduler(0, wanted.policy, &parameters) == 0 ? 0 : errno;
}

}  // namespace

struct ThreadScheduler::Start {
    Scheduling scheduling;
    cpu_set_t cpus{};
    bool cpus_known{false};
};

ThreadScheduler::ThreadScheduler(const Config::Threads& settings,
                                 std::function<void(const Refusal&)> refused)
    : settings_(settings), refused_(std::move(refused)) {
    auto start = std::make_unique<Start>();
    start->scheduling = current_scheduling();
    start->cpus_known = ::sched_getaffinity(0, sizeof start->cpus, &start->cpus) == 0;
    start_ = std::move(start);
}

void ThreadScheduler::apply(ThreadRole role) const {
    if (!any_set(settings_)) return;
    const ThreadSettings& wanted = settings_of(settings_, role);
    if (wanted.cpus.empty()) {
        // Taking back what was inherited; where that fails nothing was asked for.
        if (start_->cpus_known)
            std::ignore = ::sched_setaffinity(0, sizeof start_->cpus, &start_->cpus);
    } else {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        for (const std::uint32_t cpu : wanted.cpus) {
            if (cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
        }
        if (::sched_setaffinity(0, sizeof cpus, &cpus) != 0)
            refused_({role, describe_cpus(wanted), errno});
    }
    if (!wanted.policy) {
        std::ignore = set_scheduling(start_->scheduling);
        return;
    }
    const Scheduling scheduling{to_system(*wanted.policy),
                                static_cast<int>(wanted.priority.value_or(0))};
    if (const int reason = set_scheduling(scheduling); reason != 0)
        refused_({role, describe_scheduling(wanted), reason});
}

#else

struct ThreadScheduler::Start {};

ThreadScheduler::ThreadScheduler(const Config::Threads& settings,
                                 std::function<void(const Refusal&)> refused)
    : settings_(settings), refused_(std::move(refused)) {}

void ThreadScheduler::apply(ThreadRole /*role*/) const {}

#endif

ThreadScheduler::~ThreadScheduler() = default;

}  // namespace durability::runtime
