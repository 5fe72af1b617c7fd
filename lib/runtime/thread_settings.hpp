// Scheduling policy, priority and processors of the service's threads (Config::threads). In builds
// without DURABILITYD_RT nothing can be set, and check_thread_settings() says so.
#pragma once

#include "durability/config.hpp"
#include "durability/error.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace durability::runtime {

enum class ThreadRole : std::uint8_t {
    loop,
    store,
    sync,
    cleanup
};
[[nodiscard]] std::string_view name(ThreadRole role);  // as in the configuration

// Error: unsupported ("feature missing"), when something is set and this build cannot do it.
[[nodiscard]] Status check_thread_settings(const Config::Threads& settings);

// "policy rr, priority 10" or "processors 2, 3": what is asked for, for people.
[[nodiscard]] std::string describe_scheduling(const ThreadSettings& settings);
[[nodiscard]] std::string describe_cpus(const ThreadSettings& settings);

class ThreadScheduler {
  public:
    struct Refusal {
        ThreadRole thread{};
        std::string wanted;
        int reason{0};  // errno
    };
    // `refused` is called on the thread that was not given what it wants; it goes on as it was.
    ThreadScheduler(const Config::Threads& settings, std::function<void(const Refusal&)> refused);
    ThreadScheduler(const ThreadScheduler&) = delete;
    ThreadScheduler& operator=(const ThreadScheduler&) = delete;
    ~ThreadScheduler();

    // To be called by each thread for itself, when it starts. What is not set for it stays as it
    // was when this was made: a thread does not inherit what its maker was given. Thread-safe.
    void apply(ThreadRole role) const;

  private:
    struct Start;  // how the maker of this was scheduled
    Config::Threads settings_;
    std::function<void(const Refusal&)> refused_;
    std::unique_ptr<const Start> start_;
};

}  // namespace durability::runtime
