#include "sim/sim_daemon.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace durability::test {

SimDaemon::SimDaemon(FaultyFileSystem& files, Config config, DaemonAddresses addresses, Now now)
    : rate_(config.replay.max_rate), now_(now) {
    store::StoreOptions options;
    options.disk_directory = "/disk/0";
    options.load_later = true;
    options.memory_directory = "/run/0";
    options.sync = config.store.sync;
    options.limits = config.limits;
    std::vector<store::Completion> recovered;
    auto store = store::Store::open(files, options, now.wall, recovered);
    if (!store) FAIL("the store does not open: " << store.error().text());
    store_ = std::move(*store);

    service::DomainOptions domain;
    domain.config = std::move(config);
    domain.host_name = "simulated";
    domain.announce_to = {addresses.group};
    domain.groups = store_->groups();
    for (const store::RecordKind kind : {store::RecordKind::identity,
                                         store::RecordKind::peer,
                                         store::RecordKind::frontier,
                                         store::RecordKind::counter}) {
        auto records = store_->records(kind);
        std::move(records.begin(), records.end(), std::back_inserter(domain.records));
    }
    for (std::size_t side = 0; side < service::side_count; ++side) {
        const auto port = static_cast<std::uint16_t>(addresses.locators[side].port);
        domain.sides[side].identity = {addresses.prefixes[side], port, port};
        domain.sides[side].metatraffic = {addresses.locators[side]};
        domain.sides[side].user = {addresses.locators[side]};
    }
    service_ = std::make_unique<service::DomainService>(std::move(domain), events_, rate_);
    service_->start(now);
}

void SimDaemon::take_commands(Now now) {
    while (store::Command* command = service_->front_command()) {
        waiting_.push_back({after(now.mono, store_delay), std::move(*command)});
        service_->pop_command();
    }
}

void SimDaemon::begin_sync(Now now, std::vector<store::Completion>& out) {
    if (syncing_) return;
    store::SyncJob job = store_->begin_sync(out);
    if (job.empty()) return;
    syncing_ = Syncing{after(now.mono, sync_delay), std::move(job)};
}

void SimDaemon::run_store(Now now) {
    std::vector<store::Completion> out;
    bool executed = false;
    while (!waiting_.empty() && waiting_.front().due <= now.mono) {
        store_->execute(std::move(waiting_.front().command), out);
        waiting_.pop_front();
        executed = true;
    }
    while (store_->work_due() && load_due_ <= now.mono) {
        store_->do_slice(out);
        if (load_delay > Duration::zero()) load_due_ = after(now.mono, load_delay);
    }
    if (executed) {
        store_->settle(out);
        begin_sync(now, out);
    }
    if (syncing_ && syncing_->due <= now.mono && !disk_hangs) {
        store::SyncJob job = std::move(syncing_->job);
        syncing_.reset();
        store::Store::run(job);
        store_->end_sync(std::move(job), out);
        begin_sync(now, out);
    }
    for (store::Completion& completion : out)
        service_->complete(std::move(completion), now);
}

void SimDaemon::turn(Now now) {
    now_ = now;
    run_store(now);
    service_->turn(now);
    take_commands(now);
}

MonoTime SimDaemon::next_deadline() const {
    MonoTime due = service_->next_deadline();
    if (!waiting_.empty()) due = std::min(due, waiting_.front().due);
    if (syncing_ && !disk_hangs) due = std::min(due, syncing_->due);
    if (store_->work_due()) due = std::min(due, load_due_);
    return due;
}

std::vector<TopicEffect> SimDaemon::reload(const Config& config, Now now) {
    if (rate_.rate() != config.replay.max_rate) rate_.set_rate(config.replay.max_rate);
    auto effects = service_->reload(config, now);
    turn(now);
    return effects;
}

void SimDaemon::stop(Now now, bool goodbye) {
    service_->turn(now);
    take_commands(now);
    if (goodbye) service_->goodbye();
    std::vector<store::Completion> out;
    while (store_->work_due())
        store_->do_slice(out);
    for (Waiting& waiting : waiting_)
        store_->execute(std::move(waiting.command), out);
    waiting_.clear();
    if (syncing_) {
        store::Store::run(syncing_->job);
        store_->end_sync(std::move(syncing_->job), out);
        syncing_.reset();
    }
    REQUIRE(store_->close(out).has_value());
}

std::size_t SimDaemon::events_of(EventKind kind) const {
    const auto latest = events_.latest();
    return static_cast<std::size_t>(std::ranges::count(latest, kind, &Event::kind));
}

}  // namespace durability::test
