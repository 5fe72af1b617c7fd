// The tables of writers and logs, and the bound on open files.
#include "store/group_meta.hpp"
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {

Safety StoreCore::safety_for(const Group& group) const {
    if (!group.on_disk()) return Safety::written;
    return options.sync == SyncPolicy::none ? Safety::none : Safety::synced;
}

SourceWriter* StoreCore::find_writer(Group& group, const Guid& guid) {
    const auto found = group.by_guid.find(guid);
    return found == group.by_guid.end() ? nullptr : &group.writers[found->second];
}

WriterIndex StoreCore::obtain_writer(Group& group, const Guid& guid) {
    if (group.last_writer < group.writers.size()) {
        const SourceWriter& last = group.writers[group.last_writer];
        if (last.in_use && last.guid == guid) return group.last_writer;
    }
    const auto [at, added] = group.by_guid.try_emplace(guid, 0);
    if (added) {
        if (group.free_writers.empty()) {
            at->second = static_cast<WriterIndex>(group.writers.size());
            group.writers.emplace_back();
        } else {
            at->second = group.free_writers.back();
            group.free_writers.pop_back();
        }
        SourceWriter& writer = group.writers[at->second];
        const std::uint32_t own_history = writer.history;
        writer = SourceWriter{};
        writer.guid = guid;
        if (const auto taken = group.taken_segments.find(guid); taken != group.taken_segments.end())
            writer.next_segment = taken->second;
        if (group.meta.contract.scope == ContractScope::writer) {
            // A free place keeps its (empty) history; a new place gets a new one.
            if (at->second < group.histories.size()) {
                writer.history = own_history;
            } else {
                writer.history = static_cast<std::uint32_t>(group.histories.size());
                group.histories.push_back(std::make_unique<History>(group.meta.key.keyed));
            }
        }
    }
    group.last_writer = at->second;
    return at->second;
}

void StoreCore::forget_writer(Group& group, WriterIndex index) {
    SourceWriter& writer = group.writers[index];
    if (writer.retired) --retired_writers;
    group.by_guid.erase(writer.guid);
    const std::uint32_t history = writer.history;
    writer = SourceWriter{};
    writer.history = history;
    writer.in_use = false;
    group.free_writers.push_back(index);
}

History& StoreCore::history_of(Group& group, const SourceWriter& writer) {
    return *group.histories[writer.history];
}

LogId StoreCore::add_log(std::unique_ptr<Log> log) {
    if (!free_logs.empty()) {
        const LogId id = free_logs.back();
        free_logs.pop_back();
        logs[id] = std::move(log);
        return id;
    }
    logs.push_back(std::move(log));
    return static_cast<LogId>(logs.size() - 1);
}

void StoreCore::release_log(LogId id) {
    std::erase(open_logs, id);
    std::erase(batch_logs, id);
    std::erase(touched_logs, id);
    std::erase(dirty_logs, id);
    std::erase(due_logs, id);
    std::erase(settling_logs, id);
    std::erase(groups[logs[id]->group]->writers[logs[id]->writer].logs, id);
    if (rewrite && rewrite->log == id) abandon_rewrite();
    groups[logs[id]->group]->unsafe_bytes -= logs[id]->file.pending_bytes();
    unsafe_bytes -= logs[id]->file.pending_bytes();
    logs[id].reset();
    free_logs.push_back(id);
}

Status StoreCore::remove_log_file(LogId id) {
    Log& log = *logs[id];
    if (log.file.exists()) {
        auto done = files.remove(log.file.path());
        if (!done && done.error().code != Errc::not_found) return done;
        bytes_counter(*groups[log.group]) -= log.file.size();
    }
    release_log(id);
    return {};
}

void StoreCore::make_room_for_open_file() {
    const std::size_t most = std::max<std::size_t>(8, options.limits.open_files);
    while (open_logs.size() >= most / 2) {
        // Clean ones first: one that is not synced has to stay open until it is, or a failure could
        // go unnoticed.
        const auto victim =
            std::min_element(open_logs.begin(), open_logs.end(), [this](LogId a, LogId b) {
                const LogFile& first = logs[a]->file;
                const LogFile& second = logs[b]->file;
                return std::pair(first.waits_for_sync(), first.last_used) <
                       std::pair(second.waits_for_sync(), second.last_used);
            });
        Log& log = *logs[*victim];
        LogFile& file = log.file;
        if (file.waits_for_sync()) {
            if (open_logs.size() < most) return;  // the next job syncs it
            change_pending(log, [&] {
                if (auto done = file.sync_now(); !done)
                    failures.emplace_back(log.group, std::move(done.error()));
            });
        }
        file.file.reset();
        open_logs.erase(victim);
    }
}

Status StoreCore::ensure_open(Log& log) {
    log.file.last_used = ++use_counter;
    if (log.file.file) return {};
    if (!log.file.exists()) return fail(Errc::internal, "open " + log.file.path() + ": never made");
    make_room_for_open_file();
    if (rewrite && logs[rewrite->log].get() == &log) {
        // Its name may lead to the new file already.
        log.file.file = rewrite->source;
    } else {
        auto file =
            files.open(log.file.path(), read_only ? OpenMode::read_only : OpenMode::read_write);
        if (!file) return tl::unexpected(std::move(file.error()));
        log.file.file = std::move(*file);
    }
    const SourceWriter& writer = groups[log.group]->writers[log.writer];
    for (const LogId id : writer.logs) {
        if (logs[id].get() == &log) open_logs.push_back(id);
    }
    return {};
}

void StoreCore::touch_batch(LogId id) {
    Log& log = *logs[id];
    if (log.in_batch) return;
    log.in_batch = true;
    batch_logs.push_back(id);
    if (log.touched) return;
    log.touched = true;
    touched_logs.push_back(id);
}

void StoreCore::mark_dirty(LogId id) {
    Log& log = *logs[id];
    if (log.dirty || !log.file.waits_for_sync()) return;
    log.dirty = true;
    dirty_logs.push_back(id);
}

void StoreCore::seal(SourceWriter& writer) {
    writer.has_active = false;
}

LogId StoreCore::active_log(Group& group, WriterIndex index, Out& out) {
    SourceWriter& writer = group.writers[index];
    if (writer.has_active) {
        const LogId id = writer.logs.back();
        const LogFile& file = logs[id]->file;
        if (file.failed() || file.end() < options.segment_bytes) return id;
        seal(writer);
        consider(id);
    }
    if (!group.degraded) {
        // The next segment's marks must not be on disk before the samples they speak about: what is
        // not yet safe stands in both, and counts once (LOG-FORMAT.md, section 6).
        const std::vector<UnsafeFrame> unsafe = unsafe_frames(writer.logs);
        std::uint64_t offset = 0;
        auto made = create_log(group, index, unsafe, offset);
        if (made) {
            Log& log = *logs[*made];
            for (const UnsafeFrame& frame : unsafe) {
                log.copies.emplace_back(frame.arrival, offset + frame.lead);
                log.sample_bytes += frame.bytes.size() - frame.lead;
                offset += frame.bytes.size();
            }
            return *made;
        }
        degrade(group, made.error(), out);
    }
    // What arrives waits in memory until the group is healed.
    LogFile file(group.folder, {writer.guid, writer.next_segment++}, safety_for(group));
    file.fail_from_start();
    const LogId id =
        add_log(std::make_unique<Log>(std::move(file), group.handle, index, next_serial++));
    writer.logs.push_back(id);
    writer.has_active = true;
    return id;
}

Buffer StoreCore::log_front(const Group& group, const Guid& writer, std::uint32_t segment) {
    Buffer front;
    FileHeader header;
    header.writer = writer;
    header.group = group.hash;
    header.segment = segment;
    encode_file_header(header, front);
    encode_group_frame(group.meta, front);
    return front;
}

Result<LogId> StoreCore::create_log(Group& group,
                                    WriterIndex index,
                                    const std::vector<UnsafeFrame>& content,
                                    std::uint64_t& content_offset) {
    SourceWriter& writer = group.writers[index];
    LogFile file(group.folder, {writer.guid, writer.next_segment}, safety_for(group));
    const Buffer front = log_front(group, writer.guid, writer.next_segment);
    content_offset = front.size();
    // Behind the content: whoever reads that a number is known has read the sample too.
    Buffer frames;
    for (const UnsafeFrame& frame : content)
        frames.insert(frames.end(), frame.bytes.begin(), frame.bytes.end());
    encode_marks(writer.known, frames);
    // An older segment may say otherwise.
    if (writer.retired || writer.leaving)
        encode_expiry({writer.retired, writer.expires, writer.delay}, frames);

    make_room_for_open_file();
    auto handle = files.open(file.path(), OpenMode::create);
    if (!handle) return tl::unexpected(std::move(handle.error()));
    const std::uint64_t size = front.size() + frames.size();
    Status done = (*handle)->write(0, front);
    if (done) done = (*handle)->write(front.size(), frames);
    if (!done) {
        std::ignore = files.remove(file.path());
        return tl::unexpected(std::move(done.error()));
    }

    // Nothing below can fail. Older segments are only given up by work that first syncs this one,
    // because it says what they knew.
    file.adopt_written(front.size(), std::move(frames));
    file.file = std::move(*handle);
    file.last_used = ++use_counter;
    const LogId id =
        add_log(std::make_unique<Log>(std::move(file), group.handle, index, next_serial++));
    ++writer.next_segment;
    writer.logs.push_back(id);
    writer.has_active = true;
    open_logs.push_back(id);
    bytes_counter(group) += size;
    group.unsafe_bytes += logs[id]->file.pending_bytes();
    unsafe_bytes += logs[id]->file.pending_bytes();
    mark_dirty(id);
    note_new_name(group);
    return id;
}

void StoreCore::note_new_name(Group& group) {
    if (!group.on_disk() || group.folder_dirty) return;
    group.folder_dirty = true;
    dirty_folders.push_back(group.handle);
}

}  // namespace durability::store
