// A domain that runs: another configuration, its pulse, and what it does in a few figures.
#include "base/clock.hpp"
#include "runtime/domain_runtime.hpp"

#include <utility>

namespace durability::runtime {

std::vector<TopicEffect> DomainRuntime::reload(const Config& config) {
    auto effects = service_->reload(config, system_now());
    turn();
    return effects;
}

void DomainRuntime::ask_pulse() {
    if (store_) store_->ask_pulse();
}

bool DomainRuntime::has_pulse() const {
    return !store_ || store_->has_pulse();
}

void DomainRuntime::summary(std::function<void(Summary)> done) {
    requests_.totals([this, done = std::move(done)](const Result<store::StoreStatus>& totals) {
        if (!totals) return;
        Summary summary;
        for (const auto& [key, group] : service_->groups().all()) {
            if (group->state != service::ServedGroup::State::open) continue;
            ++summary.topics;
            summary.writers += group->writers.size();
        }
        summary.retired = totals->retired_writers;
        summary.writers += summary.retired;
        summary.bytes = totals->disk_bytes + totals->memory_bytes;
        summary.samples = service_->samples_taken();
        done(summary);
    });
}

}  // namespace durability::runtime
