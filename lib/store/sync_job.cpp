// What waits for the disk, gathered into a job, and what follows from its outcome.
#include "store/sync_job.hpp"

#include "store/store_core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace durability::store {

SyncJob::SyncJob() = default;
SyncJob::SyncJob(SyncJob&&) noexcept = default;
SyncJob& SyncJob::operator=(SyncJob&&) noexcept = default;
SyncJob::~SyncJob() = default;
bool SyncJob::empty() const {
    return impl_ == nullptr;
}

// --- what need not wait ---

void StoreCore::commit(std::vector<Committed::Mark> marks,
                       std::vector<Event> reports,
                       Committed& committed,
                       Out& out) {
    for (Event& event : reports)
        out.push_back(StoreEvent{std::move(event)});
    committed.marks.insert(committed.marks.end(), marks.begin(), marks.end());
}

void StoreCore::give(Committed committed, Out& out) const {
    if (committed.marks.empty()) return;
    committed.last_arrival = next_arrival - 1;
    out.push_back(std::move(committed));
}

void StoreCore::settle(Out& out) {
    report_failures(out);
    std::vector<GroupHandle> disk_work;
    for (const GroupHandle handle : std::exchange(groups_with_work, {})) {
        Group& group = *groups[handle];
        if (!group.has_work) continue;
        if (group.on_disk() || group.degraded) {
            disk_work.push_back(handle);
            continue;
        }
        const Chore chore = make_chore(group);
        chore.done(carry_out(files, chore.steps), out);
    }
    groups_with_work.insert(groups_with_work.end(), disk_work.begin(), disk_work.end());
    end_backlog(out);

    Committed committed;
    std::vector<GroupHandle> patient;
    for (const GroupHandle handle : std::exchange(waiting_groups, {})) {
        Group& group = *groups[handle];
        if (group.degraded) continue;  // healed() puts it on the list again
        if (group.on_disk() && options.sync == SyncPolicy::commit) {
            patient.push_back(handle);
            continue;
        }
        commit(std::exchange(group.waiting, {}), std::exchange(group.reports, {}), committed, out);
    }
    waiting_groups = std::move(patient);
    give(std::move(committed), out);
}

// --- the job ---

namespace {

// Gathers one job.
class Gatherer {
  public:
    Gatherer(StoreCore& core, StoreCore::Out& out)
        : core_(core),
          out_(out),
          job_(std::make_unique<SyncJob::Impl>()),
          in_job_(core.groups.size()) {
        job_->files = &core.files;
    }

    void take_work() {
        std::vector<GroupHandle> later;
        for (const GroupHandle handle : std::exchange(core_.groups_with_work, {})) {
            Group& group = *core_.groups[handle];
            if (!group.has_work) continue;
            if (group.degraded) {
                later.push_back(handle);
                continue;
            }
            add_files_of(group);
            if (group.degraded) {  // one could not be opened
                later.push_back(handle);
                continue;
            }
            job_->chores.push_back(core_.make_chore(group));
        }
        core_.groups_with_work.insert(core_.groups_with_work.end(), later.begin(), later.end());
    }
    void take_slice() {
        if (!core_.rewrite || core_.rewrite->stage != Rewrite::Stage::syncing) return;
        Chore chore;
        chore.steps.emplace_back(Chore::Sync{core_.rewrite->target});
        chore.done = [&core = core_](const Status& outcome, StoreCore::Out&) {
            if (!core.rewrite || core.rewrite->stage != Rewrite::Stage::syncing) return;
            core.rewrite->stage = Rewrite::Stage::copying;
            if (!outcome) core.abandon_rewrite();
        };
        job_->chores.push_back(std::move(chore));
    }
    void take_healing() {
        for (const auto& group : core_.groups) {
            if (!group->healing) continue;
            add_files_of(*group);
            if (!group->healing) continue;  // a file could not be opened
            if (group->has_work) job_->chores.push_back(core_.make_chore(*group));
            job_->healing.push_back(group->handle);
        }
    }
    void take_dirty() {
        for (const LogId id : std::exchange(core_.dirty_logs, {})) {
            Log& log = *core_.logs[id];
            log.dirty = false;
            add_file(id);
        }
    }
    void take_folders(bool all) {
        std::vector<GroupHandle> later;
        for (const GroupHandle handle : std::exchange(core_.dirty_folders, {})) {
            Group& group = *core_.groups[handle];
            if ((!all && !in_job_[handle]) || (group.degraded && !group.healing)) {
                later.push_back(handle);
                continue;
            }
            group.folder_dirty = false;
            in_job_[handle] = true;
            job_->folders.push_back({handle, group.folder});
        }
        core_.dirty_folders.insert(core_.dirty_folders.end(), later.begin(), later.end());
    }
    void take_records() {
        if (core_.records.on_hold()) {
            const std::vector<std::uint64_t> tickets = core_.record_tickets;
            const Status refused =
                fail(Errc::io, core_.records.path() + ": waits to be written again");
            return answer_records(core_, tickets, refused, out_);
        }
        if (core_.records.rewrite_due()) {
            Chore chore;
            add_replacement(chore.steps,
                            core_.options.disk_directory,
                            layout::records,
                            core_.records.begin_rewrite(),
                            true);
            chore.steps.emplace_back(Chore::SyncDirectory{core_.options.disk_directory});
            chore.done = [&core = core_, tickets = core_.record_tickets](const Status& outcome,
                                                                         StoreCore::Out& out) {
                core.records.end_rewrite(outcome);
                answer_records(core, tickets, outcome, out);
            };
            job_->chores.push_back(std::move(chore));
            return;
        }
        job_->records = core_.records.file_to_sync();
        if (job_->records) job_->records_size = core_.records.size();
        job_->record_tickets = core_.record_tickets;
        // Nothing has changed since it was synced.
        if (!job_->records) answer_records(core_, job_->record_tickets, {}, out_);
    }
    // Marks of groups that do not wait for this job are committed.
    void take_marks() {
        Committed committed;
        for (const GroupHandle handle : std::exchange(core_.waiting_groups, {})) {
            Group& group = *core_.groups[handle];
            if (group.degraded) continue;  // healed() puts it on the list again
            if (in_job_[handle]) {
                job_->marks.emplace_back(handle, std::exchange(group.waiting, {}));
                job_->reports.emplace_back(handle, std::exchange(group.reports, {}));
                continue;
            }
            StoreCore::commit(std::exchange(group.waiting, {}),
                              std::exchange(group.reports, {}),
                              committed,
                              out_);
        }
        core_.give(std::move(committed), out_);
    }
    [[nodiscard]] std::unique_ptr<SyncJob::Impl> job() { return std::move(job_); }

    static void answer_records(StoreCore& core,
                               const std::vector<std::uint64_t>& tickets,
                               const Status& outcome,
                               StoreCore::Out& out) {
        for (const std::uint64_t ticket : tickets) {
            // on_slow_disk() may have answered already.
            if (std::erase(core.record_tickets, ticket) > 0)
                out.push_back(RecordSaved{ticket, outcome});
        }
    }

  private:
    void add_files_of(Group& group) {
        in_job_[group.handle] = true;
        for (const SourceWriter& writer : group.writers) {
            for (const LogId id : writer.logs)
                add_file(id);
        }
    }
    void add_file(LogId id) {
        Log& log = *core_.logs[id];
        if (log.in_job || log.doomed || !log.file.needs_sync()) return;
        Group& group = *core_.groups[log.group];
        if (log.file.safety() == Safety::written) return;
        if (auto opened = core_.ensure_open(log); !opened) {
            log.file.on_sync_failed();
            core_.degrade(group, opened.error(), out_);
            return;
        }
        log.in_job = true;
        in_job_[log.group] = true;
        const SequenceNumber through = group.writers[log.writer].known.greatest();
        job_->items.push_back(
            {id, log.serial, log.group, log.file.file, log.file.size(), through, {}});
    }

    StoreCore& core_;
    StoreCore::Out& out_;
    std::unique_ptr<SyncJob::Impl> job_;
    std::vector<bool> in_job_;
};

}  // namespace

std::unique_ptr<SyncJob::Impl> StoreCore::begin_sync(Out& out, bool interval_due) {
    check_folders(out);
    settle(out);
    const bool all = options.sync == SyncPolicy::commit || interval_due;
    Gatherer gatherer(*this, out);
    gatherer.take_work();
    gatherer.take_slice();
    gatherer.take_healing();
    if (all) gatherer.take_dirty();
    gatherer.take_folders(all);
    if (all || !record_tickets.empty()) gatherer.take_records();
    report_failures(out);
    gatherer.take_marks();
    auto job = gatherer.job();
    if (!job->is_empty()) return job;
    // Nothing of theirs has to be synced.
    for (const GroupHandle handle : job->healing)
        healed(*groups[handle], out);
    if (!job->healing.empty()) Gatherer(*this, out).take_marks();
    return nullptr;
}

void StoreCore::run(SyncJob::Impl& work) {
    for (SyncJob::Impl::Item& item : work.items) {
        item.outcome = item.file->sync();
        if (!item.outcome) work.failed.try_emplace(item.group, item.outcome.error());
    }
    for (const SyncJob::Impl::Folder& folder : work.folders) {
        if (auto done = work.files->sync_directory(folder.path); !done) {
            work.failed.try_emplace(folder.group, std::move(done.error()));
            work.lost_folders.insert(folder.group);
        }
    }
    if (work.records) work.records_outcome = work.records->sync();
    for (Chore& chore : work.chores) {
        const auto failed = chore.group ? work.failed.find(*chore.group) : work.failed.end();
        chore.outcome = failed != work.failed.end() ? Status(tl::unexpected(failed->second))
                                                    : carry_out(*work.files, chore.steps);
    }
}

void StoreCore::end_sync(SyncJob::Impl& work, Out& out) {
    on_disk_answered(out);
    for (const SyncJob::Impl::Item& item : work.items) {
        ++syncs;
        if (!item.outcome) ++failed_syncs;
        // A log that was removed or replaced meanwhile is no longer what this is about.
        if (item.log >= logs.size() || !logs[item.log]) continue;
        Log& log = *logs[item.log];
        log.in_job = false;
        if (log.serial != item.serial) continue;
        // A file whose name may be lost is as good as not synced.
        const bool nameless = !log.file.is_named() && work.lost_folders.contains(item.group);
        if (!item.outcome || nameless) {
            log.file.on_sync_failed();
            continue;
        }
        change_pending(log, [&] { log.file.on_synced(item.length); });
        log.file.set_named();
        // The job had everything of the group that was not safe when it began.
        if (!work.failed.contains(item.group)) log.copies = {};
        SequenceNumber& synced = groups[log.group]->writers[log.writer].synced;
        synced = std::max(synced, item.through);
    }
    for (const auto& [handle, error] : work.failed)
        degrade(*groups[handle], error, out);
    for (const GroupHandle handle : work.lost_folders)
        note_new_name(*groups[handle]);
    if (work.records) {
        if (work.records_outcome) {
            records.on_synced(work.records_size);
            Gatherer::answer_records(*this, work.record_tickets, {}, out);
        } else {
            // Answered when a new file has taken it, or has not.
            records.on_sync_failed();
        }
    }
    for (const Chore& chore : work.chores)
        chore.done(chore.outcome, out);
    for (const GroupHandle handle : work.healing) {
        Group& group = *groups[handle];
        if (group.healing) healed(group, out);
    }
    end_backlog(out);

    Committed committed;
    for (std::size_t i = 0; i < work.marks.size(); ++i) {
        Group& group = *groups[work.marks[i].first];
        auto& marks = work.marks[i].second;
        auto& reports = work.reports[i].second;
        if (group.degraded) {
            // They come before what waits already.
            std::move(group.waiting.begin(), group.waiting.end(), std::back_inserter(marks));
            group.waiting = std::move(marks);
            std::move(group.reports.begin(), group.reports.end(), std::back_inserter(reports));
            group.reports = std::move(reports);
            continue;
        }
        commit(std::move(marks), std::move(reports), committed, out);
    }
    give(std::move(committed), out);
}

}  // namespace durability::store
