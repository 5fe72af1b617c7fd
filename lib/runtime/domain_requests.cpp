// What an operator asks of a domain.
#include "types/topic_keys.hpp"

#include "base/clock.hpp"
#include "runtime/domain_runtime.hpp"
#include "service/key_finders.hpp"

#include <utility>

namespace durability::runtime {
namespace {

constexpr auto status_patience = std::chrono::seconds{1};

}  // namespace

void DomainRuntime::with_store_status(std::function<void()> done) {
    // Whichever comes first, the answer or the end of patience.
    struct Waiting {
        Waiting(boost::asio::io_context& context, std::function<void()> when_done)
            : timer(context), done(std::move(when_done)) {}
        boost::asio::steady_timer timer;
        std::function<void()> done;
        void finish() {
            timer.cancel();
            if (auto call = std::exchange(done, nullptr)) call();
        }
    };
    auto waiting = std::make_shared<Waiting>(context_, std::move(done));
    waiting->timer.expires_after(status_patience);
    waiting->timer.async_wait([waiting, alive = alive_](const boost::system::error_code& error) {
        if (!error && *alive) waiting->finish();
    });
    requests_.status([this, waiting](Result<store::StoreStatus> status) {
        if (status) last_status_ = *std::move(status);
        waiting->finish();
    });
}

void DomainRuntime::status(std::function<void(DomainStatus)> done) {
    with_store_status([this, done = std::move(done)] {
        DomainStatus status = service_->status(last_status_, system_now());
        status.datagrams_sent = datagrams_sent_;
        status.sync_times = store_->sync_times();
        status.queue_depth = store_->queue_depth();
        done(std::move(status));
    });
}

void DomainRuntime::show(std::string topic, std::function<void(Result<Shown>)> done) {
    with_store_status([this, topic = std::move(topic), done = std::move(done)] {
        Shown shown;
        shown.topics.push_back(service_->show(topic, last_status_));
        if (shown.topics.front().groups.empty()) shown.near = service_->topics_like(topic);
        done(std::move(shown));
    });
}

void DomainRuntime::explain(std::string topic, std::function<void(Result<Explanation>)> done) {
    with_store_status([this, topic = std::move(topic), done = std::move(done)] {
        Explanation explanation;
        explanation.topics.push_back(service_->explain(topic, last_status_, system_now()));
        if (explanation.topics.front().is_unknown())
            explanation.near = service_->topics_like(topic);
        done(std::move(explanation));
    });
}

void DomainRuntime::purge(PurgeRequest request, StoreRequests::PurgeDone done) {
    requests_.purge(std::move(request), std::move(done));
}

void DomainRuntime::instances(std::string topic, StoreRequests::InstancesDone done) {
    const auto plan_keys = [this](const GroupMeta& meta) -> std::optional<types::KeyPlan> {
        auto plan = types::plan_keys(meta, service::key_layout(service_->config(), meta.key));
        if (!plan) return std::nullopt;
        return *plan;
    };
    const auto named = [domain = domain_, done = std::move(done)](Result<InstanceList> list) {
        if (list) {
            for (InstanceStatus& instance : list->instances)
                instance.domain = domain;
        }
        done(std::move(list));
    };
    requests_.instances(std::move(topic), plan_keys, named);
}

void DomainRuntime::compact(std::string topic, StoreRequests::CompactDone done) {
    requests_.compact(std::move(topic), std::move(done));
}

}  // namespace durability::runtime
