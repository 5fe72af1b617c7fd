// A running service: the only place where machines, sockets, disk and threads meet.
//
// Threads (style-and-layout, section 6): the caller runs context() on one thread, the loop;
// everything below that is not said to be otherwise is called on that thread. The store has threads
// of its own.
#pragma once

#include "durability/config.hpp"
#include "durability/error.hpp"
#include "durability/event.hpp"
#include "model/explanation.hpp"
#include "model/reload.hpp"
#include "model/shown_topic.hpp"
#include "model/status.hpp"
#include "runtime/store_requests.hpp"
#include "runtime/summary.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace durability::service {
class DomainService;
struct TypeGiven;
}  // namespace durability::service

namespace durability::runtime {

struct RuntimeHooks {
    // Every event, already rate-limited, in order; called on the loop thread (during start: the
    // caller's).
    std::function<void(const Event&)> on_event;
    // One line about what goes on ("recovering 12 of 340 logs"); when it changes.
    std::function<void(std::string_view)> on_status;
    // Called while start() makes progress that may take longer than a service manager waits.
    std::function<void()> extend_startup;
    // After anything was stored, or came, or went; only after start().
    std::function<void()> on_activity;
    // The service cannot go on; it is to be stopped. Only after start().
    std::function<void(const Error&)> on_failure;
};

class Runtime {
  public:
    // Takes the leases, recovers the stores, binds the sockets, announces both participants of each
    // domain. Errors: in_use (lease held, names directory and pid), version, io, permission (path
    // named), unavailable (port or interface named).
    static Result<std::unique_ptr<Runtime>> start(Config config, RuntimeHooks hooks);

    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    // Stops as stop() does if that was not done.
    ~Runtime();

    [[nodiscard]] boost::asio::io_context& context();
    // Called on the loop when the stores have answered, or after a second with their last known
    // figures.
    void status(std::function<void(ServiceStatus)> done);
    // The latest 256 events, oldest first.
    [[nodiscard]] std::vector<Event> events() const;

    // Reports what happened outside: it is among events(), and on_event is called. Repeats of one
    // `subject` are held back and counted; without one the event is not held back.
    void report(Event event, std::string_view subject = {});

    // What an operator asks for; `done` is called on the loop when the stores have answered, which
    // a stuck disk can put off without end. Without a domain: all of them. Errors: not_found (no
    // such domain or topic), unavailable (a topic is degraded), io.
    void purge(std::optional<std::uint32_t> domain,
               const PurgeRequest& request,
               std::function<void(Result<PurgeOutcome>)> done);
    // Begins it, of all topics when none is named; status() says how far it is.
    void compact(std::optional<std::uint32_t> domain,
                 const std::string& topic,
                 std::function<void(Result<CompactionOutcome>)> done);

    void instances(std::optional<std::uint32_t> domain,
                   const std::string& topic,
                   std::function<void(Result<InstanceList>)> done);

    // Why the writers and readers of the topic are served or not. An unknown topic is an error that
    // names those it may have been meant for.
    void explain(std::optional<std::uint32_t> domain,
                 const std::string& topic,
                 std::function<void(Result<Explanation>)> done);

    // --- for a program that serves topics by itself (durability/service.hpp)
    // See service::DomainService.
    void describe_type(const std::string& topic, const service::TypeGiven& given);
    // Called when the groups of the topic are open in all domains; see DomainRuntime::when_open().
    void when_open(const std::string& topic, std::function<void(Status)> done);
    // The service of each domain, to be looked at.
    [[nodiscard]] std::vector<const service::DomainService*> services() const;

    // In force.
    [[nodiscard]] const Config& config() const;
    // Another configuration: what needs a restart must be as before. Errors, and nothing has
    // changed: unavailable (a domain begins anew just now). Returns the topics that are served
    // otherwise than before.
    Result<std::vector<TopicEffect>> reload(const Config& config);

    // Wakes the threads that have come round since they were last asked, and asks them again.
    void ask_pulses();
    // Those that have not come round since: "durab-store of domain 0". The sync thread is not one
    // of them: it may wait for the disk.
    [[nodiscard]] std::vector<std::string> silent_threads() const;

    // Differs from the last time when anything was stored, or came, or went.
    [[nodiscard]] std::uint64_t activity() const;
    // Called on the loop when the stores have answered; never while one does not.
    void summary(std::function<void(const Summary&)> done);
    // The effective contract of the topic's groups, and where each value comes from. An unknown
    // topic is an error as with explain().
    void show(std::optional<std::uint32_t> domain,
              const std::string& topic,
              std::function<void(Result<Shown>)> done);

    // Stops accepting, commits what was received, says good-bye where the configuration (or
    // `goodbye`) asks for it, releases the lease, and lets context().run() return. Bounded: a stuck
    // disk delays it by at most 5 s. Further calls do nothing.
    void stop();
    void stop_goodbye();

  private:
    struct Impl;
    explicit Runtime(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace durability::runtime
