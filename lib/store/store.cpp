#include "store/store.hpp"

#include "store/catalog.hpp"
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {

struct Store::Impl {
    Impl(FileSystem& files, StoreOptions options) : core(files, std::move(options)) {}
    StoreCore core;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(FileSystem& files,
                                           StoreOptions options,
                                           WallTime now,
                                           std::vector<Completion>& out,
                                           const Progress& progress) {
    // Offsets are kept in units of eight bytes in 32 bits; half of that leaves room for the last
    // batch.
    options.segment_bytes =
        std::clamp<std::uint64_t>(options.segment_bytes, 4U << 10U, 16ULL << 30U);
    if (options.disk_directory.empty() || options.memory_directory.empty() ||
        options.disk_directory == options.memory_directory) {
        return fail(Errc::invalid_argument, "open store: the disk and memory folders must differ");
    }
    auto impl = std::make_unique<Impl>(files, std::move(options));
    StoreCore& core = impl->core;
    core.wall = now;
    if (auto done = core.take_leases(); !done) return tl::unexpected(std::move(done.error()));
    if (auto done = core.recover(progress, out); !done)
        return tl::unexpected(std::move(done.error()));
    // On disk before the first of them is given out.
    core.reserve_arrivals(0);
    if (auto done = core.records.sync(); !done) return tl::unexpected(std::move(done.error()));
    return std::unique_ptr<Store>(new Store(std::move(impl)));
}

std::vector<OpenedGroup> Store::groups() const {
    std::vector<OpenedGroup> result;
    result.reserve(impl_->core.groups.size());
    for (const auto& group : impl_->core.groups) {
        if (group->on_record) result.push_back(impl_->core.describe(*group));
    }
    return result;
}

std::vector<Record> Store::records(RecordKind kind) const {
    std::vector<Record> result;
    for (const auto& [key, value] : impl_->core.records.table()) {
        if (key.first == kind) result.push_back({key.first, key.second, value});
    }
    return result;
}

StoreStatus Store::status() const {
    return impl_->core.status();
}

void Store::settle(std::vector<Completion>& out) {
    impl_->core.settle(out);
}

SyncJob Store::begin_sync(std::vector<Completion>& out, bool interval_due) {
    SyncJob job;
    job.impl_ = impl_->core.begin_sync(out, interval_due);
    return job;
}

void Store::run(SyncJob& job) {
    if (job.impl_) StoreCore::run(*job.impl_);
}

void Store::end_sync(SyncJob job, std::vector<Completion>& out) {
    if (job.impl_) impl_->core.end_sync(*job.impl_, out);
}

bool Store::degraded() const {
    return impl_->core.records.on_hold() ||
           std::any_of(impl_->core.groups.begin(), impl_->core.groups.end(), [](const auto& group) {
               return group->degraded;
           });
}

void Store::retry(std::vector<Completion>& out) {
    impl_->core.records.try_again();
    for (const auto& group : impl_->core.groups) {
        if (group->degraded) impl_->core.heal(*group, out);
    }
}

bool Store::work_due() const {
    return impl_->core.work_due();
}
void Store::do_slice(std::vector<Completion>& out) {
    impl_->core.compact_slice(out);
}
void Store::idle(std::vector<Completion>& out) {
    impl_->core.vouch_for_touched(out);
}
void Store::on_slow_disk(bool report, std::vector<Completion>& out) {
    impl_->core.on_slow_disk(report, out);
}
Status Store::close(std::vector<Completion>& out) {
    impl_->core.flush_batch(out);
    retry(out);
    // A job may leave work for the next.
    constexpr int most_rounds = 4;
    for (int round = 0; round < most_rounds; ++round) {
        SyncJob job = begin_sync(out, true);
        if (job.empty()) break;
        run(job);
        end_sync(std::move(job), out);
    }
    return impl_->core.close(out);
}

namespace {

// One command, one answer.
struct Executor {
    StoreCore& core;
    StoreCore::Out& out;

    void operator()(OpenGroup& command) { core.open_group(command, out); }
    void operator()(SetGroupType& command) { core.set_group_type(command, out); }
    void operator()(Append& command) { core.append(command.batch, out); }
    void operator()(ListSamples& command) { out.push_back(core.list(command)); }
    void operator()(ReadSamples& command) {
        auto answer = core.read(command, out);
        out.push_back(std::move(answer));
    }
    void operator()(WriterGone& command) { core.writer_gone(command, out); }
    void operator()(WriterBack& command) { core.writer_back(command, out); }
    void operator()(WriterRestarted& command) { core.writer_restarted(command, out); }
    void operator()(SaveRecord& command) {
        Status done =
            core.records.set(command.kind, std::move(command.key), std::move(command.value));
        const bool refused = !done && done.error().code == Errc::invalid_argument;
        // Else the table has the value now; the next job sees to the file, whatever it took.
        if (command.sync && !refused) {
            core.record_tickets.push_back(command.ticket);
            return;
        }
        out.push_back(RecordSaved{command.ticket, std::move(done)});
    }
    void operator()(EraseRecord& command) {
        // What a failure leaves behind is erased by the rewrite that every later change then tries.
        std::ignore = core.records.erase(command.kind, command.key);
    }
    void operator()(Sweep& command) { core.sweep(command, out); }
    void operator()(PurgeSamples& command) { core.purge(command, out); }
    void operator()(CompactGroup& command) { out.push_back(core.compact(command)); }
    void operator()(ListInstances& command) {
        auto answer = core.list_instances(command, out);
        out.push_back(std::move(answer));
    }
    void operator()(Reconfigure& command) { core.reconfigure(command, out); }
    void operator()(QueryStatus& command) {
        out.push_back(StatusReport{command.ticket, core.status(command.totals_only)});
    }
};

}  // namespace

void Store::execute(Command command, std::vector<Completion>& out) {
    std::visit(Executor{impl_->core, out}, command);
}

StoreStatus StoreCore::status(bool totals_only) const {
    StoreStatus result;
    for (const auto& group : groups) {
        if (totals_only) break;
        if (!group->on_record || !group->loaded) continue;
        GroupStatus& one = result.groups.emplace_back();
        one.handle = group->handle;
        one.meta = group->meta;
        for (const auto& history : group->histories) {
            one.retained += history->index.size();
            one.instances += history->index.instance_count();
        }
        for (const SourceWriter& writer : group->writers) {
            if (!writer.in_use) continue;
            for (const LogId id : writer.logs) {
                const Log& log = *logs[id];
                one.disk_bytes += log.file.size();
                one.dead_bytes += log.dead_bytes();
                if (log.due || log.doomed || (rewrite && rewrite->log == id)) ++one.compacting;
            }
            if (is_leaving(writer)) continue;
            one.writers.push_back({writer.guid,
                                   writer.retained,
                                   writer.payload_bytes,
                                   writer.known.greatest(),
                                   group->on_disk() ? writer.synced : writer.known.greatest(),
                                   writer.retired,
                                   writer.expires});
            one.payload_bytes += writer.payload_bytes;
        }
        one.appended = group->appended;
        one.duplicates = group->duplicates;
        one.evicted = group->evicted;
        one.rejected = group->rejected;
        for (const auto& [limit, samples] : group->refused)
            one.refused.push_back({std::string(limit), samples});
        one.degraded = group->degraded || (disk_stuck && group->on_disk());
    }
    result.retained = total_samples;
    result.disk_bytes = disk_bytes + records.size();
    result.memory_bytes = memory_bytes;
    result.records = records.table().size();
    result.retired_writers = retired_writers;
    result.open_files = open_logs.size();
    result.syncs = syncs;
    result.failed_syncs = failed_syncs;
    result.compactions = compactions;
    result.last_arrival = next_arrival - 1;
    return result;
}

}  // namespace durability::store
