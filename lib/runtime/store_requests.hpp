// Questions to one domain's store that are answered later: what an operator asks for. Commands go
// in, completions come back, each question ends in one call. Belongs to the loop; whoever asks
// bounds how long he waits.
#pragma once

#include "types/key_plan.hpp"

#include "durability/error.hpp"
#include "model/sample.hpp"
#include "model/status.hpp"
#include "store/commands.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace durability::runtime {

struct PurgeRequest {
    std::string topic;
    std::optional<Guid> writer;
    std::optional<KeyHash> instance;
};

class StoreRequests {
  public:
    // A store that does not answer is not asked more questions than this.
    static constexpr std::size_t max_waiting = 64;
    using Submit = std::function<bool(store::Command&)>;
    using StatusDone = std::function<void(Result<store::StoreStatus>)>;
    using PurgeDone = std::function<void(Result<PurgeOutcome>)>;
    using InstancesDone = std::function<void(Result<InstanceList>)>;
    // How keys of a topic are read; nothing where they cannot be.
    using PlanKeys = std::function<std::optional<types::KeyPlan>(const GroupMeta&)>;
    // What one answer holds at most.
    static constexpr std::size_t max_instances = 10'000;
    using CompactDone = std::function<void(Result<CompactionOutcome>)>;

    explicit StoreRequests(Submit submit) : submit_(std::move(submit)) {}

    // Errors: unavailable (stopped, or it answers nothing).
    void status(StatusDone done);
    // The sums alone, without groups and writers.
    void totals(StatusDone done);
    // Every group of that topic; none is no error here. When a group refuses, the others are purged
    // all the same, and the error says so.
    void purge(PurgeRequest request, PurgeDone done);
    // Every group of that topic, all when it is empty.
    void compact(std::string topic, CompactDone done);

    // Of every group of that topic.
    void instances(std::string topic, PlanKeys plan_keys, InstancesDone done);

    // True when the completion belonged to one of these questions.
    bool complete(store::Completion& completion);

  private:
    void ask_status(bool totals_only, StatusDone done);
    using Answered = std::function<void(store::Completion&)>;
    // False, and nothing is called later, when the store takes no more.
    bool ask(std::uint64_t ticket, store::Command command, Answered answered);

    Submit submit_;
    std::map<std::uint64_t, Answered> waiting_;  // by ticket
    std::uint64_t last_ticket_{0};
};

}  // namespace durability::runtime
