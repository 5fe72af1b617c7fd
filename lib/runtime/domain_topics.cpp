// Topics that a program serves while the domain runs.
#include "base/clock.hpp"
#include "runtime/domain_runtime.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace durability::runtime {
namespace {

// Nothing while the store is still asked for one of the topic's groups.
std::optional<Status> outcome_of_open(const service::ServedGroups& groups,
                                      const std::string& topic) {
    Status outcome;
    for (const service::ServedGroup* group : groups.of_topic(topic)) {
        const bool open = group->state == service::ServedGroup::State::open;
        if (open ? group->contract_ticket != 0 : group->problem.empty()) return std::nullopt;
        const std::string& problem = open ? group->contract_problem : group->problem;
        if (!problem.empty()) outcome = fail(Errc::io, fmt::format("serve {}: {}", topic, problem));
    }
    return outcome;
}

}  // namespace

void DomainRuntime::describe_type(const std::string& topic, service::TypeGiven given) {
    if (stopped_) return;
    service_->describe_type(topic, std::move(given));
    turn();
}

void DomainRuntime::when_open(std::string topic, std::function<void(Status)> done) {
    waiting_for_open_.push_back({std::move(topic), std::move(done)});
    answer_open();
}

void DomainRuntime::answer_open() {
    // A call may bring another one that waits.
    for (WaitingForOpen& waiting : std::exchange(waiting_for_open_, {})) {
        auto outcome = outcome_of_open(service_->groups(), waiting.topic);
        if (!outcome && stopped_)
            outcome =
                fail(Errc::unavailable, fmt::format("serve {}: the service stops", waiting.topic));
        if (outcome) {
            waiting.done(std::move(*outcome));
        } else {
            waiting_for_open_.push_back(std::move(waiting));
        }
    }
}

}  // namespace durability::runtime
