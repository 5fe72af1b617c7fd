// Writers that are gone, instances that have ended, samples whose time is over: slots, dates, what
// is due.
//
// Dates are wall-clock dates, because they outlive the process, and the wall clock of a robot may
// be wrong. So: a date this process computed is moved along when the clock is seen to step
// (Sweep::mono). A date found in a file counts only once the clock is plausible (not before the
// newest time stamp found in the store), is shortened to its delay when it lies further away, and
// is also reached when this process has run for the whole delay, so that nothing is kept for ever.
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace durability::store {
namespace {

// Smaller differences are the clocks being disciplined, not a step.
constexpr Duration step_threshold = std::chrono::seconds{2};

WallTime saturating_add(WallTime time, Duration delay) {
    if (delay == infinite_duration) return WallTime::max();
    if (delay > Duration::zero() && time > WallTime::max() - delay) return WallTime::max();
    if (delay < Duration::zero() && time < WallTime::min() - delay) return WallTime::min();
    return time + delay;
}

}  // namespace

void StoreCore::write_expiry(Group& group, WriterIndex index, Out& out) {
    const LogId id = active_log(group, index, out);
    const SourceWriter& writer = group.writers[index];
    touch_batch(id);
    encode_expiry({writer.retired, writer.expires, writer.delay}, logs[id]->file.batch());
}

void StoreCore::writer_gone(const WriterGone& command, Out& out) {
    wall = std::max(wall, command.now);
    if (command.group >= groups.size()) return;
    Group& group = *groups[command.group];
    SourceWriter* const found = find_writer(group, command.source_writer);
    if (found == nullptr || found->retired || is_leaving(*found)) return;
    const auto index = static_cast<WriterIndex>(found - group.writers.data());
    const Duration delay = group.meta.contract.cleanup_delay;
    if (delay <= Duration::zero()) return expire_writers(group, {index});
    if (found->logs.empty()) {
        // Nothing of it was ever stored: there is nothing to keep.
        return forget_writer(group, index);
    }
    if (retired_writers >= options.limits.retired_writers && !reclaim_retired_slot()) {
        report(out,
               EventKind::ResourceLimit,
               {{"limit", "retired_writers"},
                {"topic", group.meta.key.topic},
                {"writer", to_string(command.source_writer)},
                {"effect", "its history is kept without a date"}});
        return;
    }

    // Nothing below is refused. The marker is written before the writer leaves any table, which it
    // does when its date has come; that it is retired is said when the marker is on disk.
    SourceWriter& writer = group.writers[index];
    writer.retired = true;
    writer.expiry_this_run = true;
    writer.delay = delay;
    writer.expires = saturating_add(command.now, delay);
    write_expiry(group, index, out);
    flush_batch(out);
    ++retired_writers;
    const std::string delay_text = delay == infinite_duration
                                       ? std::string("infinite")
                                       : fmt::format("{}ms", delay / std::chrono::milliseconds{1});
    Event event = event_of(EventKind::WriterRetired,
                           {{"topic", group.meta.key.topic},
                            {"writer", to_string(command.source_writer)},
                            {"retained", std::to_string(group.writers[index].retained)},
                            {"delay", delay_text}});
    if (group.waiting.empty() && group.reports.empty()) waiting_groups.push_back(group.handle);
    group.reports.push_back(std::move(event));
}

void StoreCore::writer_back(const WriterBack& command, Out& out) {
    if (command.group >= groups.size()) return;
    Group& group = *groups[command.group];
    SourceWriter* const writer = find_writer(group, command.source_writer);
    if (writer == nullptr || !writer->retired) return;
    writer->retired = false;
    writer->expires = WallTime::max();
    --retired_writers;
    write_expiry(group, static_cast<WriterIndex>(writer - group.writers.data()), out);
    flush_batch(out);
}

void StoreCore::writer_restarted(const WriterRestarted& command, Out& out) {
    if (command.group >= groups.size()) return;
    Group& group = *groups[command.group];
    SourceWriter* const writer = find_writer(group, command.source_writer);
    if (writer == nullptr) return;
    writer->known.clear();
    writer->synced = writer->last_unregister = {};
    const auto index = static_cast<WriterIndex>(writer - group.writers.data());
    const LogId id = active_log(group, index, out);
    touch_batch(id);
    encode_marks(group.writers[index].known, logs[id]->file.batch());
    flush_batch(out);
}

bool StoreCore::reclaim_retired_slot() {
    // A retired writer of which nothing is retained any more keeps only its numbers; it goes first.
    for (const auto& group : groups) {
        if (group->degraded) continue;
        for (WriterIndex index = 0; index < group->writers.size(); ++index) {
            const SourceWriter& writer = group->writers[index];
            if (!writer.in_use || !writer.retired || writer.retained != 0) continue;
            expire_writers(*group, {index});
            return retired_writers < options.limits.retired_writers;
        }
    }
    return false;
}

bool StoreCore::is_leaving(const SourceWriter& writer) const {
    return writer.leaving &&
           std::ranges::all_of(writer.logs, [this](LogId id) { return logs[id]->doomed; });
}

void StoreCore::expire_writers(Group& group, const std::vector<WriterIndex>& writers) {
    std::vector<bool> doomed(group.writers.size(), false);
    std::vector<bool> affected(group.histories.size(), false);
    for (const WriterIndex index : writers) {
        SourceWriter& writer = group.writers[index];
        doomed[index] = true;
        affected[writer.history] = affected[writer.history] || writer.retained > 0;
        group.work.expired.push_back({index, writer.guid, writer.retained});
        // Its slot is free at once. What it sends should it come back is new.
        if (writer.retired) --retired_writers;
        writer.retired = false;
        writer.leaving = true;
        writer.has_active = false;
        writer.known.clear();
        writer.synced = {};
    }
    for (std::size_t i = 0; i < affected.size(); ++i) {
        if (!affected[i]) continue;
        group.histories[i]->index.remove_if(
            [&](const SampleIndex::Entry& entry) { return doomed[logs[entry.log]->writer]; },
            [&](const SampleIndex::Entry& entry) { evicted.push_back(entry); });
    }
    account_evicted(group);
    // Without the list of what is retained, what these samples had replaced could come back.
    group.work.checkpoint = true;
    for (const WriterIndex index : writers) {
        const std::vector<LogId> all = group.writers[index].logs;
        for (const LogId id : all) {
            if (!logs[id]->doomed) doom(id);
        }
    }
    want_work(group);
}

void StoreCore::let_go(Group& group, const GroupWork::Expired& expired, Out& out) {
    SourceWriter& writer = group.writers[expired.writer];
    if (!writer.in_use || writer.guid != expired.guid || !writer.leaving) return;
    report(out,
           EventKind::WriterExpired,
           {{"topic", group.meta.key.topic},
            {"writer", to_string(writer.guid)},
            {"samples", std::to_string(expired.samples)}});
    if (writer.logs.empty()) {
        forget_writer(group, expired.writer);
    } else {
        // It came back meanwhile, and may have left once more.
        writer.leaving = is_leaving(writer);
    }
}

void StoreCore::follow_clock(const Sweep& command, Out& out) {
    if (command.mono == MonoTime{}) return;
    if (!clock.has_started) {
        clock.started = command.mono;
        clock.has_started = true;
    }
    const std::optional<Now> before = std::exchange(clock.last, Now{command.mono, command.now});
    if (!before) return;
    const WallTime expected = saturating_add(before->wall, command.mono - before->mono);
    const Duration step = command.now - expected;
    if (step > -step_threshold && step < step_threshold) return;

    const auto is_from_before = [&](WallTime time) {
        return step > Duration::zero() ? time <= expected : time > command.now;
    };
    const auto move_along = [&](auto& dated) {
        if (dated.this_run && is_from_before(dated.since))
            dated.since = saturating_add(dated.since, step);
    };
    if (is_from_before(newest_this_run)) newest_this_run = saturating_add(newest_this_run, step);
    for (const auto& group : groups) {
        for (const auto& history : group->histories) {
            std::ranges::for_each(history->endings, move_along);
            std::ranges::for_each(history->ages, move_along);
            move_along(history->newest);
        }
        for (WriterIndex index = 0; index < group->writers.size(); ++index) {
            SourceWriter& writer = group->writers[index];
            if (!writer.in_use || !writer.retired || !writer.expiry_this_run) continue;
            if (writer.delay == infinite_duration) continue;
            writer.expires = saturating_add(writer.expires, step);
            write_expiry(*group, index, out);
        }
    }
    flush_batch(out);
}

bool StoreCore::is_due(SourceWriter& writer, const Sweep& command) {
    if (!writer.in_use || !writer.retired || writer.delay == infinite_duration) return false;
    if (writer.expiry_this_run) return command.now >= writer.expires;
    if (plausible(command.now)) {
        writer.expires = std::min(writer.expires, saturating_add(command.now, writer.delay));
        if (command.now >= writer.expires) return true;
    }
    return clock.has_started && command.mono - clock.started >= writer.delay;
}

bool StoreCore::has_passed(WallTime since,
                           Duration delay,
                           bool this_run,
                           const Sweep& command) const {
    const bool reached = command.now >= saturating_add(since, delay);
    if (this_run) return reached;
    return (plausible(command.now) && reached) ||
           (clock.has_started && command.mono - clock.started >= delay);
}

bool StoreCore::purge_ended_instances(Group& group, History& history, const Sweep& command) {
    const Duration delay = group.meta.contract.cleanup_delay;
    SampleIndex& index = history.index;
    bool purged = false;
    const auto settled = [&](const History::Ending& ending) {
        const SampleIndex::InstanceId id = ending.instance;
        if (index.count_of(id) == 0) return true;
        const SampleIndex::Entry& newest = index.at(index.instance(id).newest);
        if (newest.arrival != ending.arrival) return true;  // it lives again, or ended once more
        if (delay == infinite_duration) return false;
        if (!has_passed(ending.since, delay, ending.this_run, command)) return false;
        const std::vector<SampleIndex::Entry> samples = samples_of(index, id);
        if (!is_disposed(samples) && holders_of(group, samples).is_held()) return false;
        for (std::uint64_t left = index.count_of(id); left > 0; --left) {
            evicted.push_back(index.pop_oldest_of(id));
        }
        purged = true;
        return true;
    };
    std::erase_if(history.endings, settled);
    return purged;
}

bool StoreCore::purge_lifespan(Group& group, History& history, WallTime now) {
    const Duration lifespan = to_duration(group.meta.qos.lifespan);
    if (lifespan == infinite_duration || !plausible(now)) return false;
    const std::size_t before = evicted.size();
    history.index.remove_if(
        [&](const SampleIndex::Entry& entry) {
            return entry.source_timestamp.valid() &&
                   saturating_add(to_wall_time(entry.source_timestamp), lifespan) <= now;
        },
        [&](const SampleIndex::Entry& entry) { evicted.push_back(entry); });
    return evicted.size() > before;
}

void History::note_received(Arrival arrival, WallTime received, Duration max_age, bool this_run) {
    // A sample is kept longer than its age by at most this part of it.
    constexpr int divisions = 64;
    if (max_age != infinite_duration && newest.arrival != 0) {
        const bool due = ages.empty() || received < ages.back().since ||
                         received - ages.back().since >= max_age / divisions;
        if (due) ages.push_back(newest);
    }
    newest = {arrival + 1, received, this_run};
}

bool StoreCore::purge_aged(Group& group, History& history, const Sweep& command) {
    const Duration max_age = group.meta.contract.max_age;
    if (max_age == infinite_duration) {
        history.ages.clear();
        return false;
    }
    const auto is_over = [&](const History::AgeMark& mark) {
        return has_passed(mark.since, max_age, mark.this_run, command);
    };
    Arrival bound = 0;
    while (!history.ages.empty() && is_over(history.ages.front())) {
        bound = history.ages.front().arrival;
        history.ages.pop_front();
    }
    if (history.newest.arrival != 0 && is_over(history.newest)) bound = history.newest.arrival;
    const std::size_t before = evicted.size();
    drop_before(history.index, bound, evicted);
    return evicted.size() > before;
}

void StoreCore::sweep(const Sweep& command, Out& out) {
    wall = command.now;
    follow_clock(command, out);
    look_at_disk();
    // Dates are judged by what all of the store says about the clock.
    if (!loading.empty()) return;
    for (const auto& owned : groups) {
        Group& group = *owned;
        if (group.degraded || !group.loaded) continue;
        std::vector<WriterIndex> due;
        for (WriterIndex index = 0; index < group.writers.size(); ++index) {
            if (is_due(group.writers[index], command)) due.push_back(index);
        }
        if (!due.empty()) expire_writers(group, due);
        bool purged = false;
        for (const auto& history : group.histories) {
            purged = purge_ended_instances(group, *history, command) || purged;
            purged = purge_lifespan(group, *history, command.now) || purged;
            purged = purge_aged(group, *history, command) || purged;
        }
        if (!purged) continue;
        // What has expired leaves the disk too, however little it is.
        for (const SampleIndex::Entry& entry : evicted)
            logs[entry.log]->wanted = true;
        account_evicted(group);
        group.work.checkpoint = true;
        want_work(group);
    }
    for (const LogId id : std::exchange(settling_logs, {})) {
        logs[id]->settling = false;
        consider(id);
    }
    consider_all();
}

}  // namespace durability::store
