// Appending: duplicates, the retention rule, frames, marks.
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

namespace durability::store {
namespace {

// Arrival numbers are set aside in blocks, so that they go on above the greatest ever used whatever
// was lost with the files that held it.
constexpr std::uint64_t arrival_block = 1U << 20U;

std::string_view reason_of(Admission admission) {
    switch (admission) {
        case Admission::admitted:
            return "";
        case Admission::instances_exhausted:
            return "max_instances";
        case Admission::samples_per_instance_exhausted:
            return "max_samples_per_instance";
        case Admission::samples_exhausted:
            return "max_samples";
        case Admission::bytes_exhausted:
            return "max_bytes";
    }
    return "?";
}

}  // namespace

Event StoreCore::event_of(EventKind kind, Fields fields) const {
    Event event;
    event.kind = kind;
    event.fields = std::move(fields);
    event.wall = wall.time_since_epoch();
    return event;
}

void StoreCore::report(Out& out, EventKind kind, Fields fields) const {
    out.push_back(StoreEvent{event_of(kind, std::move(fields))});
}

void StoreCore::reserve_arrivals(std::size_t count) {
    // Early, so that the disk has half a block's time to take the record.
    if (next_arrival + count + arrival_block / 2 <= arrival_ceiling) return;
    arrival_ceiling = next_arrival + count + arrival_block;
    Buffer key{'a'};
    Buffer value(8);
    for (unsigned i = 0; i < 8; ++i) {
        value[i] = static_cast<std::uint8_t>(arrival_ceiling >> (8 * i));
    }
    // A disk that refuses this refuses the samples too, and they are what is reported. Until it
    // works again the numbers are only as safe as the frames that hold them.
    std::ignore = records.set(RecordKind::store, std::move(key), std::move(value));
}

void StoreCore::append(const AppendBatch& batch, Out& out) {
    reserve_arrivals(batch.entries().size());
    std::vector<GroupHandle> with_rejects;
    for (const AppendBatch::Entry& entry : batch.entries()) {
        if (entry.group >= groups.size()) continue;
        Group& group = *groups[entry.group];
        if (!entry.mark_only) {
            store_sample(group, entry, out);
            if (group.rejected_in_batch == 1) with_rejects.push_back(entry.group);
        }
        note_mark(group, entry.transport_writer, entry.transport_number);
    }
    flush_batch(out);
    std::sort(with_rejects.begin(), with_rejects.end());
    with_rejects.erase(std::unique(with_rejects.begin(), with_rejects.end()), with_rejects.end());
    for (const GroupHandle handle : with_rejects) {
        Group& group = *groups[handle];
        report(out,
               EventKind::SampleRejected,
               {{"topic", group.meta.key.topic},
                {"count", std::to_string(group.rejected_in_batch)},
                {"limit", std::string(group.reject_reason)}});
        group.rejected_in_batch = 0;
    }
}

void StoreCore::note_mark(Group& group, const Guid& writer, SequenceNumber number) {
    // Samples of one writer come in rows; beyond a few writers a second mark for one is cheaper
    // than searching for the first.
    constexpr std::ptrdiff_t reach = 16;
    auto mark = group.waiting.rbegin();
    const auto end = mark + std::min(reach, std::ssize(group.waiting));
    for (; mark != end; ++mark) {
        if (mark->transport_writer != writer) continue;
        mark->through = std::max(mark->through, number);
        return;
    }
    if (group.waiting.empty()) waiting_groups.push_back(group.handle);
    group.waiting.push_back({group.handle, writer, number});
}

bool StoreCore::take_disk_room(std::uint64_t size) {
    if (size > disk_room) look_at_disk();
    if (size > disk_room) return false;
    disk_room -= size;
    return true;
}

Error StoreCore::no_disk_room() const {
    return {Errc::io,
            ENOSPC,
            fmt::format("write to {}: no more than limits.reserve_disk ({} bytes) is free",
                        options.disk_directory,
                        options.limits.reserve_disk)};
}

std::uint64_t StoreCore::free_disk_room() const {
    const auto free = files.free_bytes(options.disk_directory);
    // What is not to be had is left to the writes to find out.
    if (!free) return unlimited;
    return *free - std::min(*free, options.limits.reserve_disk);
}

void StoreCore::look_at_disk() {
    // Others write to the file system too, so the answer is good for a part of it only; at least
    // for the largest sample, where there is room for it.
    constexpr std::uint64_t until_next_look = 16U << 20U;
    disk_room =
        std::min(free_disk_room(), std::max(until_next_look, 2 * options.limits.sample_size));
}

void StoreCore::store_sample(Group& group, const AppendBatch::Entry& entry, Out& out) {
    const SampleId& id_of_sample = entry.meta.id;
    if (id_of_sample.number.value < 1 || id_of_sample.number > max_sequence_number) return;
    const WriterIndex index = obtain_writer(group, id_of_sample.writer);
    const auto reject = [&group, &id_of_sample, index](std::string_view reason) {
        // It was decided upon, so it is not asked for again.
        group.writers[index].known.insert(id_of_sample.number);
        ++group.rejected;
        ++group.rejected_in_batch;
        group.reject_reason = reason;
    };
    if (group.writers[index].known.contains(id_of_sample.number)) {
        ++group.duplicates;
        return;
    }
    if (entry.payload.size() > options.limits.sample_size) return reject("sample_size");

    const bool keyed = group.meta.key.keyed;
    SampleMeta meta = entry.meta;
    meta.key = key_of(group, meta, entry.payload);
    const std::uint8_t flags = sample_flags(meta);
    SampleIndex::Entry indexed;
    indexed.arrival = next_arrival;
    indexed.number = meta.id.number;
    indexed.source_timestamp = meta.source_timestamp;
    indexed.payload_size = static_cast<std::uint32_t>(entry.payload.size());
    indexed.writer = static_cast<std::uint16_t>(index);
    indexed.flags = flags;
    History& history = history_of(group, group.writers[index]);
    const InstanceKey* const key = usable(history.index, meta.key);
    if (keyed && key == nullptr) report_unresolved(group, meta, out);
    if (total_samples >= options.limits.total_samples &&
        !replaces(history.index, keyed, group.meta.contract, indexed, key)) {
        return reject("total_samples");
    }
    const std::uint64_t size = sample_frame_size(flags, entry.payload.size());
    const std::uint64_t byte_limit =
        group.on_disk() ? options.limits.total_bytes_disk : options.limits.total_bytes_memory;
    if (size > byte_limit || bytes_counter(group) > byte_limit - size) {
        consider_all();  // dead bytes are given back before their time
        return reject(group.on_disk() ? "total_bytes_disk" : "total_bytes_memory");
    }

    const LogId id = active_log(group, index, out);
    Log& log = *logs[id];
    if (group.on_disk() && !take_disk_room(size)) {
        // As if the write had failed: it waits in memory, and is not acknowledged.
        log.file.on_sync_failed();
        degrade(group, no_disk_room(), out);
    }
    touch_batch(id);
    Buffer& frames = log.file.batch();
    indexed.log = id;
    indexed.offset8 = static_cast<std::uint32_t>(log.file.end() / 8);
    const Admission admission =
        retain(history.index, keyed, group.meta.contract, indexed, key, Refusal::allowed, evicted);
    if (admission != Admission::admitted) return reject(reason_of(admission));

    // Nothing below can refuse the sample.
    encode_sample(meta, next_arrival++, entry.received, entry.payload, frames);
    wall = std::max(wall, entry.received);
    newest_this_run = std::max(newest_this_run, entry.received);
    history.note_received(indexed.arrival, entry.received, group.meta.contract.max_age, true);
    if (meta.lifecycle != Lifecycle::data && key != nullptr) {
        history.note_ending(*key, indexed.arrival, entry.received, true);
    }
    SourceWriter& writer = group.writers[index];
    writer.known.insert(meta.id.number);
    if (is_unregister(flags))
        writer.last_unregister = std::max(writer.last_unregister, meta.id.number);
    ++writer.retained;
    writer.payload_bytes += entry.payload.size();
    ++log.live_frames;
    log.live_bytes += size;
    log.sample_bytes += size;
    ++total_samples;
    ++group.appended;
    if (!evicted.empty()) account_evicted(group);
}

void StoreCore::account_evicted(Group& group) {
    for (const SampleIndex::Entry& entry : evicted) {
        Log& log = *logs[entry.log];
        SourceWriter& writer = group.writers[log.writer];
        --writer.retained;
        writer.payload_bytes -= entry.payload_size;
        --log.live_frames;
        log.live_bytes -= sample_frame_size(entry.flags, entry.payload_size);
        if (!log.due) consider(entry.log);
    }
    total_samples -= evicted.size();
    group.evicted += evicted.size();
    evicted.clear();
}

void StoreCore::flush_batch(Out& out) {
    for (const LogId id : batch_logs) {
        Log& log = *logs[id];
        Group& group = *groups[log.group];
        log.in_batch = false;
        Status ready = log.file.failed() ? Status{} : ensure_open(log);
        if (!ready) log.file.on_sync_failed();
        const std::uint64_t before = log.file.size();
        Status done{};
        change_pending(log, [&] { done = log.file.write_batch(); });
        bytes_counter(group) += log.file.size() - before;
        if (!ready) done = ready;
        if (!done) degrade(group, done.error(), out);
        mark_dirty(id);
        tell_backlog(group, out);
    }
    batch_logs.clear();
    report_failures(out);
}

void StoreCore::tell_backlog(Group& group, Out& out) {
    if (group.backlog_told || group.unsafe_bytes == 0) return;
    if (unsafe_bytes <= options.limits.uncommitted_bytes) return;
    group.backlog_told = true;
    told_groups.push_back(group.handle);
    out.push_back(GroupBacklog{group.handle, true});
}

void StoreCore::end_backlog(Out& out) {
    if (told_groups.empty() || unsafe_bytes > options.limits.uncommitted_bytes / 2) return;
    for (const GroupHandle handle : std::exchange(told_groups, {})) {
        groups[handle]->backlog_told = false;
        out.push_back(GroupBacklog{handle, false});
    }
}

}  // namespace durability::store
