#include "runtime/store_requests.hpp"

#include "types/topic_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace durability::runtime {
namespace {

tl::unexpected<Error> no_answer() {
    return fail(Errc::unavailable, "the store takes no questions at the moment");
}

// One question to several groups: the sum of the answers, or the first refusal.
template <class Outcome>
struct Joined {
    explicit Joined(std::function<void(Result<Outcome>)> when_done) : done(std::move(when_done)) {}

    void refuse(const Error& error) {
        if (!first_error) first_error = error;
    }
    void leave() {
        if (--open > 0) return;
        if (!first_error) return done(sum);
        done(tl::unexpected(*first_error));
    }

    std::function<void(Result<Outcome>)> done;
    Outcome sum;
    std::optional<Error> first_error;
    std::size_t open{1};  // whoever hands out the questions counts as one of them
};

}  // namespace

bool StoreRequests::ask(std::uint64_t ticket, store::Command command, Answered answered) {
    if (waiting_.size() >= max_waiting || !submit_(command)) return false;
    waiting_.emplace(ticket, std::move(answered));
    return true;
}

bool StoreRequests::complete(store::Completion& completion) {
    std::uint64_t ticket = 0;
    if (const auto* status = std::get_if<store::StatusReport>(&completion)) {
        ticket = status->ticket;
    } else if (const auto* purged = std::get_if<store::SamplesPurged>(&completion)) {
        ticket = purged->ticket;
    } else if (const auto* begun = std::get_if<store::CompactionBegun>(&completion)) {
        ticket = begun->ticket;
    } else if (const auto* listed = std::get_if<store::InstancesListed>(&completion)) {
        ticket = listed->ticket;
    } else {
        return false;
    }
    auto found = waiting_.extract(ticket);
    if (found) found.mapped()(completion);
    return true;
}

void StoreRequests::ask_status(bool totals_only, StatusDone done) {
    const std::uint64_t ticket = ++last_ticket_;
    const bool asked =
        ask(ticket, store::QueryStatus{ticket, totals_only}, [done](store::Completion& completion) {
            done(std::move(std::get<store::StatusReport>(completion).status));
        });
    if (!asked) done(no_answer());
}

void StoreRequests::status(StatusDone done) {
    ask_status(false, std::move(done));
}

void StoreRequests::totals(StatusDone done) {
    ask_status(true, std::move(done));
}

void StoreRequests::purge(PurgeRequest request, PurgeDone done) {
    status([this, request = std::move(request), done = std::move(done)](
               const Result<store::StoreStatus>& status) {
        if (!status) return done(tl::unexpected(status.error()));
        auto joined = std::make_shared<Joined<PurgeOutcome>>(done);
        for (const store::GroupStatus& group : status->groups) {
            if (group.meta.key.topic != request.topic) continue;
            ++joined->sum.groups;
            joined->sum.keyed = joined->sum.keyed || group.meta.key.keyed;
            joined->sum.writer_known =
                joined->sum.writer_known ||
                std::ranges::any_of(group.writers, [&](const store::WriterStatus& writer) {
                    return writer.source_writer == request.writer;
                });
            ++joined->open;
            const std::uint64_t ticket = ++last_ticket_;
            const auto answered = [joined](store::Completion& completion) {
                const auto& samples = std::get<store::SamplesPurged>(completion).samples;
                if (samples) joined->sum.samples += *samples;
                if (!samples) joined->refuse(samples.error());
                joined->leave();
            };
            if (!ask(ticket,
                     store::PurgeSamples{ticket, group.handle, request.writer, request.instance},
                     answered)) {
                joined->refuse(no_answer().value());
                joined->leave();
            }
        }
        joined->leave();
    });
}

void StoreRequests::compact(std::string topic, CompactDone done) {
    status([this, topic = std::move(topic), done = std::move(done)](
               const Result<store::StoreStatus>& status) {
        if (!status) return done(tl::unexpected(status.error()));
        auto joined = std::make_shared<Joined<CompactionOutcome>>(done);
        for (const store::GroupStatus& group : status->groups) {
            if (!topic.empty() && group.meta.key.topic != topic) continue;
            ++joined->sum.groups;
            joined->sum.disk_bytes += group.disk_bytes;
            joined->sum.dead_bytes += group.dead_bytes;
            // Most groups have nothing to give back, and there may be thousands.
            if (group.dead_bytes == 0 && group.compacting == 0) continue;
            ++joined->open;
            const std::uint64_t ticket = ++last_ticket_;
            const auto answered = [joined](store::Completion& completion) {
                const auto& logs = std::get<store::CompactionBegun>(completion).logs;
                if (logs) joined->sum.files += *logs;
                if (!logs) joined->refuse(logs.error());
                joined->leave();
            };
            if (!ask(ticket, store::CompactGroup{ticket, group.handle}, answered)) {
                joined->refuse(no_answer().value());
                joined->leave();
            }
        }
        joined->leave();
    });
}

namespace {

InstanceList list_of(const GroupMeta& meta,
                     const store::InstancesListed& listed,
                     const std::optional<types::KeyPlan>& plan) {
    InstanceList list;
    list.total = listed.total;
    for (const store::ListedInstance& instance : *listed.instances) {
        std::string key;
        if (plan && instance.key) {
            key =
                types::readable_key(*plan, *instance.key, instance.payload_kind, instance.payload);
        }
        list.instances.push_back(store::instance_status(meta, instance, std::move(key)));
    }
    return list;
}

}  // namespace

void StoreRequests::instances(std::string topic, PlanKeys plan_keys, InstancesDone done) {
    // Of large samples a key need not be read.
    constexpr std::size_t largest_payload = 64U << 10U;
    status([this, topic = std::move(topic), plan_keys, done = std::move(done)](
               const Result<store::StoreStatus>& status) {
        if (!status) return done(tl::unexpected(status.error()));
        auto joined = std::make_shared<Joined<InstanceList>>(done);
        for (const store::GroupStatus& group : status->groups) {
            if (group.meta.key.topic != topic) continue;
            ++joined->sum.groups;
            if (!group.meta.key.keyed) continue;
            joined->sum.keyed = true;
            ++joined->open;
            const std::uint64_t ticket = ++last_ticket_;
            const auto plan = plan_keys(group.meta);
            const auto answered = [joined, meta = group.meta, plan](store::Completion& completion) {
                const auto& listed = std::get<store::InstancesListed>(completion);
                if (listed.instances) joined->sum += list_of(meta, listed, plan);
                if (!listed.instances) joined->refuse(listed.instances.error());
                joined->leave();
            };
            if (!ask(ticket,
                     store::ListInstances{
                         ticket, group.handle, max_instances, plan ? largest_payload : 0},
                     answered)) {
                joined->refuse(no_answer().value());
                joined->leave();
            }
        }
        joined->leave();
    });
}

}  // namespace durability::runtime
