// Giving back the space of frames that are no longer retained: logs without any are removed, logs
// with few are rewritten beside, a megabyte at a time, and swapped in. Before a frame leaves the
// disk the list of what is retained is written (checkpoint.hpp). What has to wait for the disk is
// done by jobs (sync_job.cpp). A crash at any instant leaves the old or the new file whole; a
// private file that was left behind is removed at the next start.
#include "base/crc32c.hpp"
#include "store/group_meta.hpp"
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {
namespace {

constexpr std::uint64_t slice_bytes = 1U << 20U;
constexpr std::uint32_t slice_entries = 1U << 18U;
constexpr std::uint64_t window_bytes = 256U << 10U;
// Logs sealed a moment ago that are given time to die by themselves.
constexpr std::size_t max_settling = 4;

bool is_whole(ByteView bytes, Arrival arrival) {
    FrameHeader header;
    SampleFrame frame;
    if (!decode_frame_header(bytes.data(), header) || header.kind != FrameKind::sample ||
        frame_size(header.payload_length) != bytes.size()) {
        return false;
    }
    const ByteView body = bytes.subspan(frame_header_size, header.payload_length);
    return crc32c(body) == header.body_crc && decode_sample(header.flags, body, frame) &&
           frame.arrival == arrival;
}

}  // namespace

void StoreCore::consider(LogId id) {
    Log& log = *logs[id];
    if (read_only || !log.file.exists() || log.due || log.settling || log.unreadable ||
        log.doomed || log.file.failed() || (rewrite && rewrite->log == id))
        return;
    const SourceWriter& writer = groups[log.group]->writers[log.writer];
    const bool newest = !writer.logs.empty() && writer.logs.back() == id;
    const bool heavy =
        log.dead_bytes() > options.compaction_floor && log.dead_bytes() > log.live_bytes;
    const bool empty = !newest && log.live_frames == 0;
    if (!heavy && !empty && !log.wanted) return;
    log.due = true;
    due_logs.push_back(id);
}

void StoreCore::consider_all() {
    for (LogId id = 0; id < logs.size(); ++id) {
        if (logs[id]) consider(id);
    }
}

void StoreCore::doom(LogId id) {
    Group& group = *groups[logs[id]->group];
    logs[id]->doomed = true;
    group.work.doomed.push_back(id);
    want_work(group);
}

bool StoreCore::work_due() const {
    if (!loading.empty()) return true;
    return rewrite ? rewrite->stage == Rewrite::Stage::copying : !due_logs.empty();
}

void StoreCore::compact_slice(Out& out) {
    if (!work_due()) return;
    if (!loading.empty()) return load_slice(out);
    if (rewrite) return continue_rewrite(out);
    const LogId id = due_logs.front();
    due_logs.erase(due_logs.begin());
    logs[id]->due = false;
    begin_compaction(id, out);
}

void StoreCore::begin_compaction(LogId id, Out& out) {
    Log& log = *logs[id];
    Group& group = *groups[log.group];
    // The next sweep considers it again.
    if (group.degraded || log.doomed || log.file.failed()) return;
    SourceWriter& writer = group.writers[log.writer];
    const bool newest = writer.logs.back() == id;
    if (newest && writer.has_active && !log.wanted) {
        // What is appended from now on goes to a new segment. When only the newest samples are
        // kept, it replaces everything in this one before long, and there is nothing to copy.
        flush_batch(out);
        seal(writer);
        log.settling = true;
        settling_logs.push_back(id);
        if (settling_logs.size() > max_settling) {
            const LogId oldest = settling_logs.front();
            settling_logs.erase(settling_logs.begin());
            logs[oldest]->settling = false;
            consider(oldest);
        }
        return;
    }
    if (newest) seal(writer);
    // Its numbers are in the marks of a newer segment.
    if (!newest && log.live_frames == 0) return doom(id);
    flush_batch(out);
    if (auto opened = ensure_open(log); !opened || log.file.failed()) return;

    Rewrite next;
    next.log = id;
    next.serial = log.serial;
    next.source = log.file.file;
    next.target_path = log.file.path() + std::string(layout::temporary_suffix);
    auto target = files.open(next.target_path, OpenMode::create);
    if (!target) return;
    next.target = std::move(*target);
    const Buffer front = log_front(group, writer.guid, log.file.name().segment);
    next.size = front.size();
    rewrite = std::move(next);
    if (auto done = rewrite->target->write(0, front); !done) abandon_rewrite();
}

void StoreCore::abandon_rewrite() {
    const std::string path = rewrite->target_path;
    rewrite.reset();
    std::ignore = files.remove(path);  // else the next start does
}

void StoreCore::continue_rewrite(Out& out) {
    Rewrite& job = *rewrite;
    Log& log = *logs[job.log];
    Group& group = *groups[log.group];
    if (group.degraded || log.doomed || log.file.failed()) return abandon_rewrite();
    const SampleIndex& index = history_of(group, group.writers[log.writer]).index;
    if (auto opened = ensure_open(log); !opened) return abandon_rewrite();

    std::string failure = "found while compacting";
    Buffer bytes;
    bytes.reserve(slice_bytes);
    Buffer window;
    std::uint64_t window_at = 0;
    std::uint32_t seen = 0;
    auto at = index.lower_bound(job.cursor);
    for (; at != index.end_position() && bytes.size() < slice_bytes && seen < slice_entries;
         ++at, ++seen) {
        const SampleIndex::Entry& entry = index.at(at);
        job.cursor = entry.arrival + 1;
        if (entry.dead || entry.log != job.log) continue;
        const std::uint64_t size = sample_frame_size(entry.flags, entry.payload_size);
        // Neighbours are mostly kept together, and a call for each would take most of the time.
        if (entry.offset() < window_at || entry.offset() + size > window_at + window.size()) {
            window_at = entry.offset();
            window.resize(std::max(size, window_bytes));
            const auto got = log.file.read(window_at, window);
            window.resize(got ? *got : 0);
            if (!got) failure = got.error().text();
        }
        const std::uint64_t skip = entry.offset() - window_at;
        if (skip + size > window.size() ||
            !is_whole(ByteView(window).subspan(skip, size), entry.arrival)) {
            // Copying damage would hide it. The file stays as it is, for `verify` and `repair`.
            report(out,
                   EventKind::CorruptLog,
                   {{"file", log.file.path()},
                    {"offset", std::to_string(entry.offset())},
                    {"reason", failure},
                    {"topic", group.meta.key.topic}});
            log.unreadable = true;
            return abandon_rewrite();
        }
        job.moved.push_back({entry.arrival, job.size + bytes.size()});
        const auto begin = window.begin() + static_cast<std::ptrdiff_t>(skip);
        bytes.insert(bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    const bool complete = at == index.end_position();
    if (!bytes.empty()) {
        if (auto done = job.target->write(job.size, bytes); !done) return abandon_rewrite();
        job.size += bytes.size();
        job.copied += bytes.size();
    }
    if (complete) {
        if (auto done = end_copying(); !done) abandon_rewrite();
    } else if (group.on_disk()) {
        job.stage = Rewrite::Stage::syncing;
    }
}

Status StoreCore::end_copying() {
    Rewrite& job = *rewrite;
    Log& log = *logs[job.log];
    Group& group = *groups[log.group];
    SourceWriter& writer = group.writers[log.writer];
    Buffer back;
    if (writer.logs.back() == job.log) {
        encode_marks(writer.known, back);
        if (writer.retired) encode_expiry({true, writer.expires, writer.delay}, back);
    }
    // It vouches for what is synced together with it: both become the log by one rename.
    encode_commit({job.size + back.size(), job.size + back.size()}, back);
    if (auto done = job.target->write(job.size, back); !done) return done;
    job.size += back.size();
    job.stage = Rewrite::Stage::finishing;
    want_work(group);
    return {};
}

void StoreCore::swap_in() {
    Rewrite& job = *rewrite;
    Log& log = *logs[job.log];
    Group& group = *groups[log.group];
    SourceWriter& writer = group.writers[log.writer];

    bytes_counter(group) -= log.file.size();
    change_pending(log, [&] { log.file.adopt_synced(job.size, job.size); });
    log.serial = next_serial++;
    log.file.file = job.target;
    bytes_counter(group) += job.size;
    log.sample_bytes = job.copied;
    if (std::find(open_logs.begin(), open_logs.end(), job.log) == open_logs.end()) {
        open_logs.push_back(job.log);
    }
    SampleIndex& index = history_of(group, writer).index;
    auto at = index.begin_position();
    for (const Rewrite::Moved& moved : job.moved) {
        while (at != index.end_position() && index.at(at).arrival < moved.arrival)
            ++at;
        if (at == index.end_position()) break;
        SampleIndex::Entry& entry = index.at(at);
        if (entry.arrival == moved.arrival)
            entry.offset8 = static_cast<std::uint32_t>(moved.offset / 8);
    }
    log.wanted = false;
    ++compactions;
    const LogId id = job.log;
    rewrite.reset();
    consider(id);
}

}  // namespace durability::store
