// A group whose files do not take what is written: degraded, tried again, healed.
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace durability::store {

void StoreCore::degrade(Group& group, const Error& error, Out& out) {
    group.healing = false;
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
        if (logs[id]->doomed) continue;
        LogFile& file = logs[id]->file;
        Status done{};
        if (file.failed()) {
            done = fail(Errc::unavailable, file.path() + ": waits to be written again");
        } else if (file.needs_sync()) {
            done = ensure_open(*logs[id]);
            if (done) {
                ++syncs;
                change_pending(*logs[id], [&] { done = file.sync_now(); });
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

bool StoreCore::folder_in_place(const Group& group) const {
    const auto& lease = group.on_disk() ? disk_lease : memory_lease;
    return !lease || lease->is_in_place();
}

void StoreCore::check_folders(Out& out) {
    for (const StorageKind storage : {StorageKind::disk, StorageKind::memory}) {
        const bool disk = storage == StorageKind::disk;
        const auto& lease = disk ? disk_lease : memory_lease;
        if (!lease || lease->is_in_place()) continue;
        const std::string& folder = disk ? options.disk_directory : options.memory_directory;
        const Error error{
            Errc::io,
            0,
            fmt::format("{} was moved, removed or replaced while in use: put it back, "
                        "or restart the daemon to begin with what is there now",
                        folder)};
        for (const auto& group : groups) {
            if (group->meta.storage == storage) degrade(*group, error, out);
        }
    }
}

void StoreCore::heal(Group& group, Out& out) {
    if (group.healing || !folder_in_place(group)) return;
    flush_batch(out);
    if (group.on_disk() && group.unsafe_bytes > free_disk_room()) return;
    for (WriterIndex index = 0; index < group.writers.size(); ++index) {
        if (!group.writers[index].in_use) continue;
        // A refusal leaves everything as it is; the next attempt begins here again.
        if (auto moved = move_pending(group, index); !moved) return;
    }
    if (group.on_disk()) {
        group.healing = true;
        return;
    }
    if (group.has_work) {
        const Chore chore = make_chore(group);
        const Status outcome = carry_out(files, chore.steps);
        chore.done(outcome, out);
        if (!outcome) return;
    }
    healed(group, out);
}

void StoreCore::healed(Group& group, Out& out) {
    group.degraded = group.healing = false;
    report(out,
           EventKind::StoreRecovered,
           {{"topic", group.meta.key.topic}, {"folder", group.folder}});
    // Marks that waited for this are committed by the next begin_sync().
    if (!group.waiting.empty() || !group.reports.empty()) waiting_groups.push_back(group.handle);
}

void StoreCore::on_slow_disk(bool stuck, Out& out) {
    for (const std::uint64_t ticket : std::exchange(record_tickets, {})) {
        out.push_back(RecordSaved{
            ticket, fail(Errc::unavailable, records.path() + ": the disk has not answered yet")});
    }
    if (!stuck || disk_stuck) return;
    disk_stuck = true;
    report(out,
           EventKind::StoreDegraded,
           {{"folder", options.disk_directory}, {"reason", "the disk does not answer"}});
}

void StoreCore::on_disk_answered(Out& out) {
    if (!std::exchange(disk_stuck, false)) return;
    report(out, EventKind::StoreRecovered, {{"folder", options.disk_directory}});
}

std::vector<StoreCore::UnsafeFrame> StoreCore::unsafe_frames(const std::vector<LogId>& of) const {
    std::vector<UnsafeFrame> frames;
    for (const LogId id : of) {
        if (logs[id]->doomed) continue;
        for (const LogFile::Pending& part : logs[id]->file.pending()) {
            ByteView rest = part.bytes;
            std::uint64_t lead = 0;
            FrameHeader header;
            while (rest.size() >= lead + frame_header_size &&
                   decode_frame_header(rest.data() + lead, header)) {
                const std::uint64_t size = lead + frame_size(header.payload_length);
                if (header.kind == FrameKind::set) {
                    lead = size;
                    continue;
                }
                SampleFrame sample;
                const ByteView body = rest.subspan(lead + frame_header_size, header.payload_length);
                if (header.kind == FrameKind::sample && decode_sample(header.flags, body, sample))
                    frames.push_back({sample.arrival, rest.first(size), lead});
                rest = rest.subspan(size);
                lead = 0;
            }
        }
    }
    std::ranges::stable_sort(frames, {}, &UnsafeFrame::arrival);
    // Not std::ranges::unique: clang 14 cannot compile what libstdc++ 12 returns from it.
    const auto twice = std::unique(frames.begin(), frames.end(), [](const auto& a, const auto& b) {
        return a.arrival == b.arrival;
    });
    frames.erase(twice, frames.end());
    return frames;
}

Status StoreCore::move_pending(Group& group, WriterIndex index) {
    // One new segment for everything, because its marks speak for all of the writer's numbers.
    std::vector<LogId> failed;
    for (const LogId id : group.writers[index].logs) {
        if (logs[id]->file.failed() && !logs[id]->doomed) failed.push_back(id);
    }
    if (failed.empty()) return {};
    // What stands in a younger segment and is safe there stays there, so that the segments of a
    // writer stay in arrival order.
    Places places;
    for (const LogId id : group.writers[index].logs) {
        const Log& log = *logs[id];
        if (log.file.failed() || log.doomed) continue;
        for (const auto& [arrival, offset] : log.copies) {
            if (offset < log.file.safe()) places.emplace(arrival, Place{id, offset});
        }
    }
    std::vector<UnsafeFrame> frames = unsafe_frames(failed);
    std::erase_if(frames, [&](const UnsafeFrame& frame) { return places.contains(frame.arrival); });
    std::uint64_t offset = 0;
    const auto made = create_log(group, index, frames, offset);
    if (!made) return tl::unexpected(made.error());

    // Nothing below can fail: the frames are written to the new file, the index follows.
    for (const UnsafeFrame& frame : frames) {
        places.emplace(frame.arrival, Place{*made, offset + frame.lead});
        offset += frame.bytes.size();
        logs[*made]->sample_bytes += frame.bytes.size() - frame.lead;
    }
    relocate(group, failed, places);
    for (const LogId id : failed) {
        Log& source = *logs[id];
        bytes_counter(group) -= source.file.size() - source.file.safe();
        // A file that can be opened again is cut; one that cannot stays as it is.
        if (source.file.exists()) std::ignore = ensure_open(source);
        change_pending(source, [&] { source.file.give_up_pending(); });
        source.serial = next_serial++;  // a sync that is under way is about what was given up
        source.in_job = false;
        // Of one that was never synced nothing is left.
        if (source.file.safe() == 0) std::ignore = remove_log_file(id);
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
        for (WriterIndex index = 0; index < group->writers.size(); ++index) {
            if (auto done = sync_writer(*group, index, out); !done && result) result = done;
        }
    }
    // Every log, not only those touched: one more look costs nothing compared with the sync.
    touched_logs.clear();
    for (LogId id = 0; id < logs.size(); ++id) {
        if (!logs[id] || logs[id]->unreadable || logs[id]->doomed) continue;
        logs[id]->touched = true;
        touched_logs.push_back(id);
    }
    vouch_for_touched(out);
    if (auto done = records.sync(); !done && result) result = done;
    return result;
}

void StoreCore::relocate(Group& group, const std::vector<LogId>& from, const Places& places) {
    if (places.empty()) return;
    Arrival first = max_arrival;
    for (const auto& [arrival, place] : places)
        first = std::min(first, arrival);
    for (const auto& history : group.histories) {
        SampleIndex& samples = history->index;
        for (auto at = samples.lower_bound(first); at != samples.end_position(); ++at) {
            SampleIndex::Entry& entry = samples.at(at);
            if (entry.dead || std::ranges::find(from, entry.log) == from.end()) continue;
            Log& source = *logs[entry.log];
            if (entry.offset() < source.file.pending_begin()) continue;
            const auto place = places.find(entry.arrival);
            if (place == places.end()) continue;
            Log& target = *logs[place->second.log];
            entry.log = place->second.log;
            entry.offset8 = static_cast<std::uint32_t>(place->second.offset / 8);
            const std::uint64_t size = sample_frame_size(entry.flags, entry.payload_size);
            source.live_bytes -= size;
            source.sample_bytes -= size;
            --source.live_frames;
            target.live_bytes += size;
            ++target.live_frames;
        }
    }
}

}  // namespace durability::store
