#include "store/store.hpp"

#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {

struct SyncJob::Impl {
    struct Item {
        LogId log{0};
        std::uint64_t serial{0};
        std::shared_ptr<File> file;
        std::uint64_t length{0};
        SequenceNumber through;  // of the log's writer
        Status outcome{};
    };
    std::vector<Item> items;
    std::shared_ptr<File> records;
    std::uint64_t records_size{0};
    Status records_outcome{};
    std::vector<std::pair<GroupHandle, std::vector<Committed::Mark>>> marks;
};

SyncJob::SyncJob() = default;
SyncJob::SyncJob(SyncJob&&) noexcept = default;
SyncJob& SyncJob::operator=(SyncJob&&) noexcept = default;
SyncJob::~SyncJob() = default;
bool SyncJob::empty() const {
    return impl_ == nullptr;
}

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
    return std::unique_ptr<Store>(new Store(std::move(impl)));
}

std::vector<OpenedGroup> Store::groups() const {
    std::vector<OpenedGroup> result;
    result.reserve(impl_->core.groups.size());
    for (const auto& group : impl_->core.groups)
        result.push_back(impl_->core.describe(*group));
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

bool Store::degraded() const {
    return std::any_of(impl_->core.groups.begin(), impl_->core.groups.end(), [](const auto& group) {
        return group->degraded;
    });
}

void Store::retry(std::vector<Completion>& out) {
    for (const auto& group : impl_->core.groups) {
        if (group->degraded) impl_->core.heal(*group, out);
    }
}

bool Store::work_due() const {
    return impl_->core.rewrite || !impl_->core.due_logs.empty();
}
void Store::do_slice(std::vector<Completion>& out) {
    impl_->core.compact_slice(out);
}
void Store::idle(std::vector<Completion>& out) {
    impl_->core.vouch_for_touched(out);
}
Status Store::close(std::vector<Completion>& out) {
    return impl_->core.close(out);
}

namespace {

// One command, one answer.
struct Executor {
    StoreCore& core;
    StoreCore::Out& out;

    void operator()(OpenGroup& command) {
        auto opened = core.open_group(command.meta, out);
        out.push_back(GroupOpened{command.ticket, std::move(opened)});
    }
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
        // Else the table has the value now; a sync repairs a file that did not take it.
        if (command.sync && !refused) done = core.records.sync();
        out.push_back(RecordSaved{command.ticket, std::move(done)});
    }
    void operator()(EraseRecord& command) {
        // What a failure leaves behind is erased by the rewrite that every later change then tries.
        std::ignore = core.records.erase(command.kind, command.key);
    }
    void operator()(Sweep& command) { core.sweep(command, out); }
    void operator()(PurgeSamples& command) {
        auto answer = core.purge(command, out);
        out.push_back(std::move(answer));
    }
    void operator()(CompactGroup& command) { out.push_back(core.compact(command)); }
    void operator()(QueryStatus& command) {
        out.push_back(StatusReport{command.ticket, core.status()});
    }
};

}  // namespace

void Store::execute(Command command, std::vector<Completion>& out) {
    std::visit(Executor{impl_->core, out}, command);
}

SyncJob Store::begin_sync(std::vector<Completion>& out, bool interval_due) {
    StoreCore& core = impl_->core;
    core.report_failures(out);
    const SyncPolicy policy = core.options.sync;
    auto job = std::make_unique<SyncJob::Impl>();
    std::vector<bool> in_job(core.groups.size(), false);
    if (policy == SyncPolicy::commit || interval_due) {
        for (const LogId id : std::exchange(core.dirty_logs, {})) {
            Log& log = *core.logs[id];
            log.dirty = false;
            if (!log.file.needs_sync()) continue;
            Group& group = *core.groups[log.group];
            if (auto opened = core.ensure_open(log); !opened) {
                log.file.on_sync_failed();
                core.degrade(group, opened.error(), out);
                continue;
            }
            in_job[log.group] = true;
            const SequenceNumber through = group.writers[log.writer].known.greatest();
            job->items.push_back({id, log.serial, log.file.file, log.file.size(), through, {}});
        }
        if ((job->records = core.records.file_to_sync())) job->records_size = core.records.size();
    }
    core.report_failures(out);

    Committed committed;
    for (const GroupHandle handle : std::exchange(core.waiting_groups, {})) {
        Group& group = *core.groups[handle];
        if (group.waiting.empty()) continue;
        if (group.degraded) continue;  // heal() puts it on the list again
        auto marks = std::exchange(group.waiting, {});
        if (in_job[handle] && policy == SyncPolicy::commit) {
            job->marks.emplace_back(handle, std::move(marks));
        } else {
            committed.marks.insert(committed.marks.end(), marks.begin(), marks.end());
        }
    }
    if (!committed.marks.empty()) {
        committed.last_arrival = core.next_arrival - 1;
        out.push_back(std::move(committed));
    }
    SyncJob result;
    if (!job->items.empty() || job->records) result.impl_ = std::move(job);
    return result;
}

void Store::run(SyncJob& job) {
    if (!job.impl_) return;
    for (SyncJob::Impl::Item& item : job.impl_->items)
        item.outcome = item.file->sync();
    if (job.impl_->records) job.impl_->records_outcome = job.impl_->records->sync();
}

void Store::end_sync(SyncJob job, std::vector<Completion>& out) {
    if (!job.impl_) return;
    StoreCore& core = impl_->core;
    for (SyncJob::Impl::Item& item : job.impl_->items) {
        ++core.syncs;
        if (!item.outcome) ++core.failed_syncs;
        // A log that was removed, rewritten or replaced meanwhile was synced in doing so.
        if (item.log >= core.logs.size() || !core.logs[item.log]) continue;
        Log& log = *core.logs[item.log];
        if (log.serial != item.serial) continue;
        if (item.outcome) {
            log.file.on_synced(item.length);
            SequenceNumber& synced = core.groups[log.group]->writers[log.writer].synced;
            synced = std::max(synced, item.through);
        } else {
            log.file.on_sync_failed();
            core.degrade(*core.groups[log.group], item.outcome.error(), out);
        }
    }
    if (job.impl_->records) {
        if (job.impl_->records_outcome) {
            core.records.on_synced(job.impl_->records_size);
        } else {
            core.records.on_sync_failed();
        }
    }
    Committed committed;
    for (auto& [handle, marks] : job.impl_->marks) {
        Group& group = *core.groups[handle];
        if (group.degraded) {
            // They come before what waits already.
            marks.insert(marks.end(), group.waiting.begin(), group.waiting.end());
            group.waiting = std::move(marks);
        } else {
            committed.marks.insert(committed.marks.end(), marks.begin(), marks.end());
        }
    }
    if (committed.marks.empty()) return;
    committed.last_arrival = core.next_arrival - 1;
    out.push_back(std::move(committed));
}

StoreStatus StoreCore::status() const {
    StoreStatus result;
    for (const auto& group : groups) {
        GroupStatus& one = result.groups.emplace_back();
        one.handle = group->handle;
        one.meta = group->meta;
        for (const auto& history : group->histories) {
            one.retained += history->index.size();
            one.instances += history->index.instance_count();
        }
        for (const SourceWriter& writer : group->writers) {
            if (!writer.in_use) continue;
            one.writers.push_back({writer.guid,
                                   writer.retained,
                                   writer.payload_bytes,
                                   writer.known.greatest(),
                                   group->on_disk() ? writer.synced : writer.known.greatest(),
                                   writer.retired,
                                   writer.expires});
            one.payload_bytes += writer.payload_bytes;
            for (const LogId id : writer.logs) {
                one.disk_bytes += logs[id]->file.size();
                one.dead_bytes += logs[id]->dead_bytes();
                if (logs[id]->due || (rewrite && rewrite->log == id)) ++one.compacting;
            }
        }
        one.appended = group->appended;
        one.duplicates = group->duplicates;
        one.evicted = group->evicted;
        one.rejected = group->rejected;
        one.degraded = group->degraded;
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
