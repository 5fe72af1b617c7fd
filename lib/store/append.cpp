// Appending: duplicates, the retention rule, frames, marks.
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <span>
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
    const std::span<const AppendBatch::Entry> entries(batch.entries());
    for (std::size_t i = 0; i < entries.size();) {
        const AppendBatch::Entry& entry = entries[i];
        const std::size_t count = std::max<std::size_t>(1, entry.joined);
        if (entry.group < groups.size()) {
            Group& group = *groups[entry.group];
            const bool had_rejects = group.rejected_in_batch > 0;
            if (count > 1) {
                store_set(group, entries.subspan(i, count), out);
            } else if (!entry.mark_only) {
                store_sample(group, entry, out);
            }
            if (!had_rejects && group.rejected_in_batch > 0) with_rejects.push_back(entry.group);
            note_mark(group, entry.transport_writer, entries[i + count - 1].transport_number);
        }
        i += count;
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

struct StoreCore::Incoming {
    const AppendBatch::Entry* entry{nullptr};
    SampleMeta meta;
    SampleIndex::Entry indexed;
    std::uint64_t size{0};  // of its frame
};

StoreCore::Incoming StoreCore::prepare(Group& group,
                                       WriterIndex index,
                                       const AppendBatch::Entry& entry,
                                       Out& out) {
    Incoming sample;
    sample.entry = &entry;
    sample.meta = entry.meta;
    sample.meta.key = key_of(group, entry.meta, entry.payload);
    const std::uint8_t flags = sample_flags(sample.meta);
    sample.indexed.arrival = next_arrival;
    sample.indexed.number = entry.meta.id.number;
    sample.indexed.source_timestamp = entry.meta.source_timestamp;
    sample.indexed.payload_size = static_cast<std::uint32_t>(entry.payload.size());
    sample.indexed.writer = static_cast<std::uint16_t>(index);
    sample.indexed.flags = flags;
    sample.size = sample_frame_size(flags, entry.payload.size());
    const SampleIndex& known = history_of(group, group.writers[index]).index;
    if (group.meta.key.keyed && usable(known, sample.meta.key) == nullptr)
        report_unresolved(group, sample.meta, out);
    return sample;
}

void StoreCore::reject(Group& group,
                       WriterIndex index,
                       SequenceNumber number,
                       std::string_view reason) {
    group.writers[index].known.insert(number);
    ++group.rejected;
    ++group.rejected_in_batch;
    group.reject_reason = reason;
    const auto known = std::ranges::find(
        group.refused, reason, &std::pair<std::string_view, std::uint64_t>::first);
    if (known != group.refused.end()) {
        ++known->second;
    } else {
        group.refused.emplace_back(reason, 1);
    }
}

std::string_view StoreCore::refusal_of_bytes(const Group& group, std::uint64_t size) {
    const std::uint64_t limit =
        group.on_disk() ? options.limits.total_bytes_disk : options.limits.total_bytes_memory;
    if (size <= limit && bytes_counter(group) <= limit - size) return "";
    consider_all();  // dead bytes are given back before their time
    return group.on_disk() ? "total_bytes_disk" : "total_bytes_memory";
}

LogId StoreCore::log_for(Group& group, WriterIndex index, std::uint64_t size, Out& out) {
    const LogId id = active_log(group, index, out);
    if (group.on_disk() && !take_disk_room(size)) {
        // As if the write had failed: it waits in memory, and is not acknowledged.
        logs[id]->file.on_sync_failed();
        degrade(group, no_disk_room(), out);
    }
    touch_batch(id);
    return id;
}

void StoreCore::store_sample(Group& group, const AppendBatch::Entry& entry, Out& out) {
    const SequenceNumber number = entry.meta.id.number;
    if (number.value < 1 || number > max_sequence_number) return;
    const WriterIndex index = obtain_writer(group, entry.meta.id.writer);
    if (group.writers[index].known.contains(number)) {
        ++group.duplicates;
        return;
    }
    if (entry.payload.size() > options.limits.sample_size)
        return reject(group, index, number, "sample_size");
    Incoming sample = prepare(group, index, entry, out);
    const SampleIndex& known = history_of(group, group.writers[index]).index;
    if (total_samples >= options.limits.total_samples &&
        !replaces(known,
                  group.meta.key.keyed,
                  group.meta.contract,
                  sample.indexed,
                  usable(known, sample.meta.key))) {
        return reject(group, index, number, "total_samples");
    }
    const std::string_view refusal = refusal_of_bytes(group, sample.size);
    if (!refusal.empty()) return reject(group, index, number, refusal);

    const LogId id = log_for(group, index, sample.size, out);
    const Admission admission = write_sample(group, id, sample, Refusal::allowed);
    if (admission != Admission::admitted) reject(group, index, number, reason_of(admission));
}

Admission StoreCore::write_sample(Group& group, LogId id, Incoming& sample, Refusal refusal) {
    Log& log = *logs[id];
    SourceWriter& writer = group.writers[log.writer];
    History& history = history_of(group, writer);
    const InstanceKey* const key = usable(history.index, sample.meta.key);
    Buffer& frames = log.file.batch();
    sample.indexed.arrival = next_arrival;
    sample.indexed.log = id;
    sample.indexed.offset8 = static_cast<std::uint32_t>(log.file.end() / 8);
    const Admission admission = retain(history.index,
                                       group.meta.key.keyed,
                                       group.meta.contract,
                                       sample.indexed,
                                       key,
                                       refusal,
                                       evicted);
    if (admission != Admission::admitted) return admission;

    // Nothing below can refuse the sample.
    const WallTime received = sample.entry->received;
    const SequenceNumber number = sample.meta.id.number;
    encode_sample(sample.meta, next_arrival++, received, sample.entry->payload, frames);
    wall = std::max(wall, received);
    newest_this_run = std::max(newest_this_run, received);
    history.note_received(sample.indexed.arrival, received, group.meta.contract.max_age, true);
    if (sample.meta.lifecycle != Lifecycle::data && key != nullptr) {
        history.note_ending(*key, sample.indexed.arrival, received, true);
    }
    writer.known.insert(number);
    if (is_unregister(sample.indexed.flags))
        writer.last_unregister = std::max(writer.last_unregister, number);
    ++writer.retained;
    writer.payload_bytes += sample.entry->payload.size();
    ++log.live_frames;
    log.live_bytes += sample.size;
    log.sample_bytes += sample.size;
    ++total_samples;
    ++group.appended;
    if (!evicted.empty()) account_evicted(group);
    return admission;
}

std::string_view StoreCore::refusal_of_set(Group& group,
                                           const std::vector<Incoming>& samples,
                                           std::uint64_t size) {
    const SampleIndex& known =
        history_of(group, group.writers[samples.front().indexed.writer]).index;
    std::vector<Arriving> arriving;
    std::uint64_t added = 0;
    for (const Incoming& sample : samples) {
        if (sample.entry->payload.size() > options.limits.sample_size) return "sample_size";
        const InstanceKey* const key = usable(known, sample.meta.key);
        if (!replaces(known, group.meta.key.keyed, group.meta.contract, sample.indexed, key))
            ++added;
        arriving.push_back({&sample.indexed, key});
    }
    if (added >
        options.limits.total_samples - std::min(total_samples, options.limits.total_samples))
        return "total_samples";
    const std::string_view refusal = refusal_of_bytes(group, size);
    if (!refusal.empty()) return refusal;
    return reason_of(admit_all(known, group.meta.key.keyed, group.meta.contract, arriving));
}

void StoreCore::store_set(Group& group, std::span<const AppendBatch::Entry> entries, Out& out) {
    const WriterIndex index = obtain_writer(group, entries.front().meta.id.writer);
    std::vector<Incoming> samples;
    std::uint64_t length = 0;
    for (const AppendBatch::Entry& entry : entries) {
        const SequenceNumber number = entry.meta.id.number;
        if (number.value < 1 || number > max_sequence_number) continue;
        const bool twice = !samples.empty() && number <= samples.back().meta.id.number;
        if (twice || group.writers[index].known.contains(number)) {
            ++group.duplicates;
            continue;
        }
        samples.push_back(prepare(group, index, entry, out));
        length += samples.back().size;
    }
    if (samples.empty()) return;
    const std::uint64_t size = length + (samples.size() > 1 ? set_frame_size : 0);
    const std::string_view refusal = refusal_of_set(group, samples, size);
    if (!refusal.empty()) {
        for (const Incoming& sample : samples)
            reject(group, index, sample.meta.id.number, refusal);
        return;
    }
    const LogId id = log_for(group, index, size, out);
    if (samples.size() > 1)
        encode_set({length, static_cast<std::uint32_t>(samples.size())}, logs[id]->file.batch());
    for (Incoming& sample : samples)
        std::ignore = write_sample(group, id, sample, Refusal::never);
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
