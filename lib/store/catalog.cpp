#include "store/catalog.hpp"

#include "store/group_meta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <queue>
#include <tuple>

namespace durability::store {

// Turns the frames of one log into index entries and into what is known about its writer.
class GroupLoader::Sink final : public FrameSink {
  public:
    Sink(GroupLoader& loader, LogId log, SourceWriter& writer)
        : loader_(loader), log_(log), writer_(writer), keyed_(loader.group_.meta.key.keyed) {}

    bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) override {
        switch (header.kind) {
            case FrameKind::sample:
                return on_sample(offset, header.flags, body);
            case FrameKind::commit:
            case FrameKind::set:
                return true;
            case FrameKind::marks: {
                auto numbers = decode_marks(body);
                if (numbers) writer_.known = std::move(*numbers);
                return numbers.has_value();
            }
            case FrameKind::group: {
                const auto meta = decode_group_meta(body);
                return meta && meta->key == loader_.group_.meta.key;
            }
            case FrameKind::expiry: {
                const auto expiry = decode_expiry(body);
                if (!expiry) return false;
                writer_.retired = expiry->retired;
                writer_.expires = expiry->date;
                writer_.delay = expiry->delay;
                return true;
            }
            case FrameKind::checkpoint:
            case FrameKind::checkpoint_end:
            case FrameKind::record:
            case FrameKind::record_erased:
                return false;
        }
        return false;
    }

  private:
    bool on_sample(std::uint64_t offset, std::uint8_t flags, ByteView body) {
        SampleFrame frame;
        if (!decode_sample(flags, body, frame)) return false;
        writer_.known.insert(SequenceNumber{frame.number});
        if (is_unregister(flags))
            writer_.last_unregister =
                std::max(writer_.last_unregister, SequenceNumber{frame.number});
        SampleIndex::Entry entry;
        entry.arrival = frame.arrival;
        entry.number = {frame.number};
        entry.source_timestamp = frame.source_timestamp;
        entry.log = log_;
        entry.offset8 = static_cast<std::uint32_t>(offset / 8);
        entry.payload_size = static_cast<std::uint32_t>(frame.payload.size());
        entry.flags = flags;
        loader_.core_.logs[log_]->sample_bytes += frame_size(body.size());
        entry.writer = static_cast<std::uint16_t>(loader_.core_.logs[log_]->writer);
        std::optional<InstanceKey> key;
        if (keyed_) key = loader_.core_.key_of(loader_.group_, frame, writer_.guid);
        if (loader_.direct_) {
            loader_.feed(entry, key, frame.received);
        } else {
            loader_.collected_.push_back({entry, frame.received, key});
        }
        return true;
    }

    GroupLoader& loader_;
    LogId log_;
    SourceWriter& writer_;
    bool keyed_;
};

GroupLoader::GroupLoader(StoreCore& core, Group& group) : core_(core), group_(group) {}

Status GroupLoader::load(StoreCore::Out& out) {
    while (true) {
        const auto complete = step(out);
        if (!complete) return tl::unexpected(complete.error());
        if (*complete) return {};
    }
}

Result<bool> GroupLoader::step(StoreCore::Out& out) {
    out_ = &out;
    if (!begun_) {
        if (auto done = begin(); !done) return tl::unexpected(std::move(done.error()));
    }
    if (next_log_ < found_.size()) {
        runs_.push_back(collected_.size());
        auto outcome = load_log(found_[next_log_++]);
        if (!outcome) return tl::unexpected(std::move(outcome.error()));
        // Setting a log aside changes what the others amount to, so everything is read again
        // without it.
        if (*outcome == Outcome::set_aside) begun_ = false;
        if (!begun_ || next_log_ < found_.size()) return false;
    }
    feed_collected();
    finish_writers();
    return true;
}

void GroupLoader::reset() {
    for (SourceWriter& writer : group_.writers) {
        const std::vector<LogId> of_writer = writer.logs;
        for (const LogId id : of_writer) {
            core_.bytes_counter(group_) -= core_.logs[id]->file.size();
            core_.release_log(id);
        }
        core_.total_samples -= writer.retained;
    }
    group_.writers.clear();
    group_.by_guid.clear();
    group_.histories.clear();
    if (group_.meta.contract.scope == ContractScope::topic) {
        group_.histories.push_back(std::make_unique<History>(group_.meta.key.keyed));
    }
    found_.clear();
    names_.clear();
    next_segment_.clear();
    with_others_.clear();
    checkpoint_.reset();
    checkpoint_at_ = 0;
    last_fed_ = 0;
    collected_.clear();
    runs_.clear();
}

Status GroupLoader::list_folder() {
    auto entries = core_.files.list(group_.folder);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    for (const DirectoryEntry& entry : *entries) {
        names_.insert(entry.name);
        const std::string path = join(group_.folder, entry.name);
        const std::string_view name = entry.name;
        if (entry.kind == FileKind::regular) {
            if (name == layout::meta || name == layout::checkpoint) continue;
            if (const auto log = parse_log_name(name)) {
                std::uint32_t& next = next_segment_[log->writer];
                next = std::max(next, log->segment + 1);
                if (skipped_.contains(entry.name)) {
                    with_others_.insert(log->writer);
                } else {
                    found_.push_back({*log, entry.name});
                }
                continue;
            }
            if (is_set_aside(name)) {
                // Its number stays taken, so that the name of a repaired file is free.
                if (const auto log = parse_log_name(name_before(name))) {
                    std::uint32_t& next = next_segment_[log->writer];
                    next = std::max(next, log->segment + 1);
                    with_others_.insert(log->writer);
                }
                continue;
            }
            if (is_leftover(name)) {
                if (!core_.read_only) std::ignore = core_.files.remove(path);
                continue;
            }
        }
        core_.report(*out_, EventKind::ForeignFile, {{"file", path}});
    }
    std::sort(found_.begin(), found_.end(), [](const FoundLog& a, const FoundLog& b) {
        return std::tie(a.name.writer, a.name.segment) < std::tie(b.name.writer, b.name.segment);
    });
    return {};
}

Status GroupLoader::load_checkpoint() {
    auto file = read_checkpoint(core_.files, group_.folder);
    if (!file && is_unreadable(file.error())) {
        // As without one. The next list replaces it.
        core_.report(*out_,
                     EventKind::CorruptLog,
                     {{"file", join(group_.folder, layout::checkpoint)},
                      {"reason", file.error().text()},
                      {"topic", group_.meta.key.topic}});
        return {};
    }
    if (!file) return tl::unexpected(std::move(file.error()));
    if (!*file) return {};
    if ((*file)->checkpoint && (*file)->scan.header.group == group_.hash) {
        checkpoint_ = std::move((*file)->checkpoint);
        core_.next_arrival = std::max(core_.next_arrival, checkpoint_->as_of + 1);
        return {};
    }
    if ((*file)->scan.verdict == TailVerdict::newer) {
        return fail(
            Errc::version,
            fmt::format(
                "read {}: {}", join(group_.folder, layout::checkpoint), (*file)->scan.reason));
    }
    auto done = set_aside(std::string(layout::checkpoint), (*file)->scan);
    if (!done) return tl::unexpected(std::move(done.error()));
    return {};
}

Status GroupLoader::begin() {
    reset();
    if (auto done = list_folder(); !done) return done;
    if (auto done = load_checkpoint(); !done) return done;
    direct_ = std::all_of(found_.begin(), found_.end(), [this](const FoundLog& found) {
        return found.name.writer == found_.front().name.writer;
    });
    // The sink holds on to its writer, so the table must not move while logs are read.
    group_.writers.reserve(next_segment_.size());
    if (core_.options.key_finders) group_.keys = core_.options.key_finders(group_.meta);
    begun_ = true;
    next_log_ = 0;
    return {};
}

bool GroupLoader::is_misplaced(const FileHeader& header, const LogName& name) const {
    return header.type != FileType::log || header.group != group_.hash ||
           header.writer != name.writer || header.segment != name.segment;
}

// Somebody has taken away the right to read it, or the disk the sectors: left alone, and named.
GroupLoader::Outcome GroupLoader::leave(const std::string& file_name,
                                        EventKind kind,
                                        std::string reason) {
    core_.report(*out_,
                 kind,
                 {{"file", join(group_.folder, file_name)},
                  {"reason", std::move(reason)},
                  {"topic", group_.meta.key.topic},
                  {"action", "left as it is"}});
    skipped_.insert(file_name);
    if (const auto log = parse_log_name(file_name)) with_others_.insert(log->writer);
    return Outcome::skipped;
}

Result<GroupLoader::Outcome> GroupLoader::load_log(const FoundLog& found) {
    const std::string path = join(group_.folder, found.file_name);
    auto opened =
        core_.files.open(path, core_.read_only ? OpenMode::read_only : OpenMode::read_write);
    if (!opened) {
        // Beside a daemon a file may go between listing and opening.
        if (core_.read_only && opened.error().code == Errc::not_found) return Outcome::skipped;
        if (is_unreadable(opened.error()))
            return leave(found.file_name, EventKind::CorruptLog, opened.error().text());
        return tl::unexpected(std::move(opened.error()));
    }
    File& file = **opened;
    std::array<std::uint8_t, file_header_size> bytes{};
    FileHeader header;
    const auto got = file.read(0, bytes);
    if (got && decode_file_header({bytes.data(), *got}, header) == HeaderVerdict::good &&
        is_misplaced(header, found.name)) {
        return leave(found.file_name,
                     EventKind::ForeignFile,
                     "the file header names another writer, segment or topic than the file name");
    }

    const WriterIndex index = core_.obtain_writer(group_, found.name.writer);
    SourceWriter& writer = group_.writers[index];
    const LogId id = core_.add_log(
        std::make_unique<Log>(LogFile(group_.folder, found.name, core_.safety_for(group_)),
                              group_.handle,
                              index,
                              core_.next_serial++));
    writer.logs.push_back(id);
    Sink sink(*this, id, writer);
    auto scanned = scan_file(file, max_body_size(core_.options.limits.sample_size), sink);
    if (!scanned) {
        if (!is_unreadable(scanned.error())) return tl::unexpected(std::move(scanned.error()));
        // What was read of it is in the tables: all again without it.
        leave(found.file_name, EventKind::CorruptLog, scanned.error().text());
        return Outcome::set_aside;
    }
    const ScanResult& scan = *scanned;
    switch (scan.verdict) {
        case TailVerdict::damaged:
            return set_aside(found.file_name, scan);
        case TailVerdict::newer:
            return fail(Errc::version,
                        fmt::format("read {}: {} at offset {}", path, scan.reason, scan.good_end));
        case TailVerdict::foreign:
            core_.report(*out_, EventKind::ForeignFile, {{"file", path}});
            core_.release_log(id);
            return Outcome::skipped;
        case TailVerdict::torn:
            if (!core_.read_only) {
                if (auto cut = cut_tail(path, scan, file); !cut) return tl::unexpected(cut.error());
            }
            if (!scan.header_read) {
                core_.release_log(id);
                return Outcome::skipped;
            }
            break;
        case TailVerdict::over_limit:
            // Sound, but not to be read with this configuration: nothing is appended to it or
            // removed.
            core_.report(*out_,
                         EventKind::CorruptLog,
                         {{"file", path},
                          {"offset", std::to_string(scan.good_end)},
                          {"reason", std::string(scan.reason)}});
            core_.logs[id]->unreadable = true;
            break;
        case TailVerdict::clean:
            break;
    }
    if (auto done = finish_log(id, scan, file); !done)
        return tl::unexpected(std::move(done.error()));
    return Outcome::loaded;
}

Status GroupLoader::finish_log(LogId id, const ScanResult& scan, File& file) {
    Log& log = *core_.logs[id];
    const std::uint64_t size = log.unreadable ? scan.file_size : scan.good_end;
    log.file.adopt(size, scan.covered);
    core_.bytes_counter(group_) += size;
    // A process that was killed leaves frames in the page cache only. They are acknowledged from
    // now on, so they have to be on disk first.
    const bool vouched = scan.covered + commit_frame_size >= scan.good_end;
    if (group_.on_disk() && !vouched && !core_.read_only) return file.sync();
    return {};
}

Status GroupLoader::cut_tail(const std::string& path, const ScanResult& scan, File& file) {
    const std::uint64_t keep = scan.header_read ? scan.good_end : 0;
    core_.report(*out_,
                 EventKind::TornTailTruncated,
                 {{"file", path},
                  {"offset", std::to_string(keep)},
                  {"bytes", std::to_string(scan.file_size - keep)},
                  {"reason", std::string(scan.reason)}});
    if (!scan.header_read) {
        if (auto done = core_.files.remove(path); !done) return done;
        return group_.on_disk() ? core_.files.sync_directory(group_.folder) : Status{};
    }
    if (auto done = file.truncate(keep); !done) return done;
    return group_.on_disk() ? file.sync() : Status{};
}

Result<GroupLoader::Outcome> GroupLoader::set_aside(const std::string& file_name,
                                                    const ScanResult& scan) {
    const std::string target = free_corrupt_name(
        file_name, [this](const std::string& name) { return names_.contains(name); });
    core_.report(*out_,
                 EventKind::CorruptLog,
                 {{"file", join(group_.folder, file_name)},
                  {"offset", std::to_string(scan.good_end)},
                  {"reason", std::string(scan.reason)},
                  {"topic", group_.meta.key.topic},
                  {"moved_to", core_.read_only ? std::string() : join(group_.folder, target)}});
    if (core_.read_only) {
        skipped_.insert(file_name);
        return Outcome::set_aside;
    }
    auto done = core_.files.rename(join(group_.folder, file_name), join(group_.folder, target));
    if (done && group_.on_disk()) done = core_.files.sync_directory(group_.folder);
    if (!done) return tl::unexpected(std::move(done.error()));
    names_.insert(target);
    return Outcome::set_aside;
}

void GroupLoader::feed(const SampleIndex::Entry& entry,
                       const std::optional<InstanceKey>& of_frame,
                       WallTime received) {
    // After a failed write frames may stand in two files; the first one counts.
    if (entry.arrival <= last_fed_) return;
    last_fed_ = entry.arrival;
    core_.next_arrival = std::max(core_.next_arrival, entry.arrival + 1);
    core_.newest_received = std::max(core_.newest_received, received);
    Log& log = *core_.logs[entry.log];
    SourceWriter& writer = group_.writers[log.writer];
    History& history = core_.history_of(group_, writer);
    const InstanceKey* const key = usable(history.index, of_frame);
    if (checkpoint_ && entry.arrival <= checkpoint_->as_of) {
        const std::vector<Arrival>& kept = checkpoint_->retained;
        while (checkpoint_at_ < kept.size() && kept[checkpoint_at_] < entry.arrival)
            ++checkpoint_at_;
        if (checkpoint_at_ == kept.size() || kept[checkpoint_at_] != entry.arrival) return;
        history.index.append(entry, key);
    } else {
        std::ignore = retain(history.index,
                             group_.meta.key.keyed,
                             group_.meta.contract,
                             entry,
                             key,
                             Refusal::never,
                             core_.evicted);
    }
    history.note_received(entry.arrival, received, group_.meta.contract.max_age, false);
    if ((entry.flags & sample_flag::lifecycle_mask) != 0 && key != nullptr) {
        history.note_ending(*key, entry.arrival, received, false);
    }
    ++writer.retained;
    writer.payload_bytes += entry.payload_size;
    ++log.live_frames;
    log.live_bytes += sample_frame_size(entry.flags, entry.payload_size);
    ++core_.total_samples;
    if (!core_.evicted.empty()) core_.account_evicted(group_);
}

void GroupLoader::feed_collected() {
    if (direct_) return;
    struct Run {
        std::size_t at;
        std::size_t end;
        std::size_t log;
    };
    // Of a frame that stands in two segments the one in the older segment counts, so that the
    // segments of a writer stay in arrival order whatever is compacted.
    const auto later = [this](const Run& a, const Run& b) {
        return std::pair(collected_[a.at].entry.arrival, a.log) >
               std::pair(collected_[b.at].entry.arrival, b.log);
    };
    std::priority_queue<Run, std::vector<Run>, decltype(later)> queue(later);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const std::size_t end = i + 1 < runs_.size() ? runs_[i + 1] : collected_.size();
        if (runs_[i] < end) queue.push({runs_[i], end, i});
    }
    while (!queue.empty()) {
        Run run = queue.top();
        queue.pop();
        // As long as no other run comes first, this one goes on.
        const Arrival limit =
            queue.empty() ? max_arrival : collected_[queue.top().at].entry.arrival;
        do {
            const Collected& sample = collected_[run.at++];
            feed(sample.entry, sample.key, sample.received);
        } while (run.at < run.end && collected_[run.at].entry.arrival < limit);
        if (run.at < run.end) queue.push(run);
    }
    collected_ = {};
}

void GroupLoader::finish_writers() {
    for (SourceWriter& writer : group_.writers) {
        writer.next_segment = std::max<std::uint32_t>(1, next_segment_[writer.guid]);
        writer.has_active = !writer.logs.empty() && !core_.logs[writer.logs.back()]->unreadable;
        writer.synced = writer.known.greatest();  // finish_log() saw to it
        if (writer.retired) ++core_.retired_writers;
    }
    for (const Guid& guid : with_others_)
        group_.taken_segments[guid] = next_segment_[guid];
    group_.evicted = 0;
    core_.consider_group(group_);
}

}  // namespace durability::store
