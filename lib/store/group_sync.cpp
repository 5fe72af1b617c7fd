// A group whose files do not take what is written: degraded, tried again, healed.
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {

void StoreCore::degrade(Group& group, const Error& error, Out& out) {
    if (group.degraded) return;
    group.degraded = true;
    report(out,
           EventKind::StoreDegraded,
           {{"topic", group.meta.key.topic}, {"folder", group.folder}, {"reason", error.text()}});
}

void StoreCore::report_failures(Out& out) {
    for (const auto& [handle, error] : failures)
        degrade(*groups[handle], error, out);
    failures.clear();
}

Status StoreCore::sync_writer(Group& group, WriterIndex index, Out& out) {
    if (!group.on_disk()) return {};
    flush_batch(out);
    for (const LogId id : group.writers[index].logs) {
        LogFile& file = logs[id]->file;
        Status done{};
        if (file.failed()) {
            done = fail(Errc::unavailable, file.path() + ": waits to be written again");
        } else if (file.needs_sync()) {
            done = ensure_open(*logs[id]);
            if (done) {
                ++syncs;
                done = file.sync_now();
                if (!done) ++failed_syncs;
            } else {
                file.on_sync_failed();
            }
        }
        if (!done) {
            degrade(group, done.error(), out);
            return done;
        }
    }
    if (options.sync != SyncPolicy::none) {
        SourceWriter& writer = group.writers[index];
        writer.synced = std::max(writer.synced, writer.known.greatest());
    }
    return {};
}

Status StoreCore::sync_group(Group& group, Out& out) {
    for (WriterIndex index = 0; index < group.writers.size(); ++index) {
        if (auto done = sync_writer(group, index, out); !done) return done;
    }
    return {};
}

void StoreCore::heal(Group& group, Out& out) {
    flush_batch(out);
    for (WriterIndex index = 0; index < group.writers.size(); ++index) {
        if (!group.writers[index].in_use) continue;
        // A refusal leaves everything as it is; the next attempt begins here again.
        if (auto moved = move_pending(group, index); !moved) return;
    }
    group.degraded = false;
    report(out,
           EventKind::StoreRecovered,
           {{"topic", group.meta.key.topic}, {"folder", group.folder}});
    // Marks that waited for this are committed by the next begin_sync().
    if (!group.waiting.empty()) waiting_groups.push_back(group.handle);
}

Status StoreCore::move_pending(Group& group, WriterIndex index) {
    // One new segment for everything, because its marks speak for all of the writer's numbers.
    std::vector<LogId> failed;
    std::vector<ByteView> content;
    std::uint64_t bytes = 0;
    for (const LogId id : group.writers[index].logs) {
        if (!logs[id]->file.failed()) continue;
        failed.push_back(id);
        for (const LogFile::Pending& part : logs[id]->file.pending()) {
            content.emplace_back(part.bytes);
            bytes += part.bytes.size();
        }
    }
    if (failed.empty()) return {};
    std::uint64_t begin = 0;
    const auto made = create_log(group, index, content, begin);
    if (!made) return tl::unexpected(made.error());

    // Nothing below can fail: the frames are in the new file, the index follows.
    group.writers[index].synced = group.writers[index].known.greatest();
    bytes_counter(group) -= bytes;
    for (const LogId id : failed) {
        Log& source = *logs[id];
        const std::uint64_t moved = source.file.size() - source.file.safe();
        relocate(group, id, source.file.safe(), *made, begin);
        begin += moved;
        // A file that can be opened again is cut; one that cannot stays as it is.
        if (source.file.exists()) std::ignore = ensure_open(source);
        source.file.give_up_pending();
        source.serial = next_serial++;  // a sync that is under way is about what was given up
        if (!source.file.exists()) release_log(id);
    }
    return {};
}

void StoreCore::vouch_for_touched(Out& out) {
    for (const LogId id : std::exchange(touched_logs, {})) {
        Log& log = *logs[id];
        log.touched = false;
        if (!log.file.add_commit_frame()) continue;
        log.in_batch = true;
        batch_logs.push_back(id);
    }
    flush_batch(out);
}

Status StoreCore::close(Out& out) {
    if (rewrite) abandon_rewrite();
    flush_batch(out);
    Status result{};
    for (const auto& group : groups) {
        if (group->degraded) heal(*group, out);
        if (auto done = sync_group(*group, out); !done && result) result = done;
    }
    // Every log, not only those touched: one more look costs nothing compared with the sync.
    touched_logs.clear();
    for (LogId id = 0; id < logs.size(); ++id) {
        if (!logs[id] || logs[id]->unreadable) continue;
        logs[id]->touched = true;
        touched_logs.push_back(id);
    }
    vouch_for_touched(out);
    if (auto done = records.sync(); !done && result) result = done;
    return result;
}

void StoreCore::relocate(
    Group& group, LogId from, std::uint64_t from_begin, LogId to, std::uint64_t to_begin) {
    Log& source = *logs[from];
    Log& target = *logs[to];
    for (const auto& history : group.histories) {
        SampleIndex& samples = history->index;
        for (auto at = samples.begin_position(); at != samples.end_position(); ++at) {
            SampleIndex::Entry& entry = samples.at(at);
            if (entry.dead || entry.log != from || entry.offset() < from_begin) continue;
            entry.log = to;
            entry.offset8 =
                static_cast<std::uint32_t>((entry.offset() - from_begin + to_begin) / 8);
            const std::uint64_t size = sample_frame_size(entry.flags, entry.payload_size);
            source.live_bytes -= size;
            source.sample_bytes -= size;
            --source.live_frames;
            target.live_bytes += size;
            target.sample_bytes += size;
            ++target.live_frames;
        }
    }
}

}  // namespace durability::store
