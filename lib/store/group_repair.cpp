#include "store/group_repair.hpp"

#include "store/group_meta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace durability::store {

// Samples of a damaged file, and whether it says that it is another topic's.
class GroupRepair::Sink final : public FrameSink {
  public:
    Sink(Source& source, const Group& group) : source_(source), group_(group) {}

    bool on_frame(std::uint64_t offset, const FrameHeader& header, ByteView body) override {
        if (offset != next_ || certain_runs.empty())
            certain_runs.push_back(offset == file_header_size);
        next_ = offset + frame_size(header.payload_length);
        if (header.kind == FrameKind::commit) {
            // It names its own place, which no copy of another file's bytes does.
            const auto commit = decode_commit(body);
            if (commit && commit->offset == offset) certain_runs.back() = true;
            return commit.has_value();
        }
        if (header.kind == FrameKind::expiry) {
            const auto expiry = decode_expiry(body);
            if (expiry) expiries.emplace_back(certain_runs.size() - 1, *expiry);
            return expiry.has_value();
        }
        if (header.kind == FrameKind::group) {
            const auto meta = decode_group_meta(body);
            if (meta && hash_of(meta->key) != group_.hash) other_topic = true;
            return meta.has_value();
        }
        if (header.kind == FrameKind::set) {
            const auto set = decode_set(body);
            if (set) sets.push_back({next_, set->length, set->samples});
            return set.has_value();
        }
        if (header.kind != FrameKind::sample) return true;
        SampleFrame frame;
        if (!decode_sample(header.flags, body, frame)) return false;
        Found found;
        found.arrival = frame.arrival;
        found.number = SequenceNumber{frame.number};
        found.received = frame.received;
        found.source_timestamp = frame.source_timestamp;
        found.offset = offset;
        found.run = certain_runs.size() - 1;
        found.body_size = header.payload_length;
        found.payload_size = static_cast<std::uint32_t>(frame.payload.size());
        found.flags = header.flags;
        found.key = StoreCore::key_of(group_, frame, source_.log.writer);
        source_.samples.push_back(found);
        return true;
    }
    bool other_topic{false};
    // Whether the frames of a run are where they were written, for each run: from the beginning of
    // the file, or around a commit frame.
    std::vector<bool> certain_runs;
    std::vector<std::pair<std::size_t, ExpiryFrame>> expiries;  // with the run each is in
    std::vector<FoundSet> sets;

  private:
    std::uint64_t next_{0};
    Source& source_;
    const Group& group_;
};

GroupRepair::GroupRepair(StoreCore& core, Group& group, bool dry_run, Arrival unknown_arrival)
    : core_(core), group_(group), dry_run_(dry_run), unknown_arrival_(unknown_arrival) {}

template <class Visit>
void GroupRepair::for_each_retained(Visit visit) const {
    for (const auto& history : group_.histories) {
        const SampleIndex& index = history->index;
        for (auto at = index.begin_position(); at != index.end_position(); ++at) {
            const SampleIndex::Entry& entry = index.at(at);
            if (entry.dead) continue;
            const bool has_key = group_.meta.key.keyed && entry.instance != SampleIndex::none;
            visit(entry, has_key ? &index.instance(entry.instance).key : nullptr);
        }
    }
}

Status GroupRepair::find_sources() {
    const auto entries = core_.files.list(group_.folder);
    if (!entries) return tl::unexpected(entries.error());
    std::set<std::string> loaded;
    for (const SourceWriter& writer : group_.writers) {
        for (const LogId id : writer.logs)
            loaded.insert(core_.logs[id]->file.path());
    }
    for (const DirectoryEntry& entry : *entries) {
        names_.insert(entry.name);
        if (entry.kind != FileKind::regular) continue;
        const bool aside = awaits_repair(entry.name);
        const auto log = parse_log_name(aside ? name_before(entry.name) : entry.name);
        if (!log || (!aside && loaded.contains(join(group_.folder, entry.name)))) continue;
        Source source;
        source.name = entry.name;
        source.log = *log;
        source.in_place = !aside;
        sources_.push_back(std::move(source));
    }
    return {};
}

Result<std::uint64_t> GroupRepair::measure() {
    if (auto found = find_sources(); !found) return tl::unexpected(found.error());
    std::uint64_t bytes = 0;
    for (Source& source : sources_) {
        auto file = core_.files.open(join(group_.folder, source.name), OpenMode::read_only);
        if (!file) return tl::unexpected(file.error());
        const auto size = (*file)->size();
        if (!size) return size;
        bytes += *size;
        source.file = std::move(*file);
    }
    return bytes;
}

std::string GroupRepair::refusal(const SalvageResult& result,
                                 const Source& source,
                                 bool other_topic) const {
    if (result.header_verdict == HeaderVerdict::newer) return "written by a newer version";
    const bool named = result.header_verdict == HeaderVerdict::good;
    if (named && result.header.type != FileType::log) return "its header says that it is no log";
    if (named && result.header.writer != source.log.writer)
        return "its header names another writer than the file name";
    if (named && source.in_place && result.header.segment != source.log.segment)
        return "its header names another segment than the file name";
    if (other_topic || (named && result.header.group != group_.hash))
        return "it holds samples of another topic";
    return {};
}

std::uint64_t GroupRepair::remove_strays(std::vector<Found>& samples,
                                         const std::vector<bool>& certain_runs,
                                         Arrival unknown_arrival) {
    std::vector<Arrival> arrivals;
    std::vector<bool> certain;
    for (const Found& found : samples) {
        const bool possible = found.arrival > 0 && found.arrival < unknown_arrival;
        arrivals.push_back(possible ? found.arrival : 0);
        certain.push_back(possible && certain_runs[found.run]);
    }
    const std::vector<bool> fits = fitting(arrivals, certain);
    std::uint64_t bytes = 0;
    std::vector<Found> kept;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (fits[i]) kept.push_back(samples[i]);
        if (!fits[i]) bytes += frame_size(samples[i].body_size);
    }
    samples = std::move(kept);
    return bytes;
}

std::uint64_t GroupRepair::remove_half_sets(std::vector<Found>& samples,
                                            const std::vector<FoundSet>& sets) {
    std::uint64_t bytes = 0;
    for (const FoundSet& set : sets) {
        const auto is_of_set = [&](const Found& found) {
            return found.offset >= set.begin && found.offset - set.begin < set.length;
        };
        const auto begin = std::ranges::find_if(samples, is_of_set);
        const auto end = std::find_if_not(begin, samples.end(), is_of_set);
        if (end - begin == std::ptrdiff_t{set.samples}) continue;
        for (auto at = begin; at != end; ++at)
            bytes += frame_size(at->body_size);
        samples.erase(begin, end);
    }
    return bytes;
}

Status GroupRepair::read_source(Source& source, const OnWork& on_work, WorkProgress& work) {
    RepairedFile report;
    report.path = join(group_.folder, source.name);
    report.topic = group_.meta.key.topic;
    work.file = report.path;
    WatchedFile watched(*source.file, on_work, work);
    Sink sink(source, group_);
    const auto result = salvage(watched, max_body_size(core_.options.limits.sample_size), sink);
    if (!result) return tl::unexpected(result.error());
    work.done += result->file_size;
    report.bytes = result->file_size;
    report.unreadable = result->unreadable;
    report.reason = refusal(*result, source, sink.other_topic);
    // Without a sound header and without a single sample there is nothing that makes it ours.
    const bool foreign =
        source.in_place && source.samples.empty() && result->header_verdict != HeaderVerdict::good;
    if (report.reason.empty() && foreign) report.reason = "not a file of this store";
    source.refused = !report.reason.empty();

    for (const auto& [run, expiry] : sink.expiries) {
        if (sink.certain_runs[run]) source.expiry = expiry;
    }
    report.unreadable += remove_half_sets(source.samples, sink.sets);
    report.unreadable += remove_strays(source.samples, sink.certain_runs, unknown_arrival_);
    report.found = source.samples.size();
    source.report = reports_.size();
    reports_.push_back(std::move(report));
    return {};
}

// Which of the arrival numbers in question stand in logs that are whole, retained or not.
Status GroupRepair::look_for_whole_frames() {
    struct Looking final : FrameSink {
        bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
            SampleFrame frame;
            if (header.kind != FrameKind::sample || !decode_sample(header.flags, body, frame))
                return true;
            if (wanted.contains(frame.arrival))
                (*found)[frame.arrival] = {log, SequenceNumber{frame.number}};
            return true;
        }
        std::unordered_set<Arrival> wanted;
        std::map<Arrival, Whole>* found{nullptr};
        LogName log;
    };
    Looking looking;
    looking.found = &whole_;
    for (const Source& source : sources_) {
        if (source.refused) continue;
        for (const Found& found : source.samples)
            looking.wanted.insert(found.arrival);
    }
    if (looking.wanted.empty()) return {};
    for (const SourceWriter& writer : group_.writers) {
        for (const LogId id : writer.logs) {
            const LogFile& log = core_.logs[id]->file;
            const auto file = core_.files.open(log.path(), OpenMode::read_only);
            if (!file) return tl::unexpected(file.error());
            looking.log = log.name();
            const auto scanned =
                scan_file(**file, max_body_size(core_.options.limits.sample_size), looking);
            if (!scanned) return tl::unexpected(scanned.error());
        }
    }
    return {};
}

void GroupRepair::note_retained() {
    std::set<std::pair<Guid, SequenceNumber>> wanted;
    for (const Source& source : sources_) {
        for (const Found& found : source.samples)
            wanted.emplace(source.log.writer, found.number);
    }
    for_each_retained([&](const SampleIndex::Entry& entry, const InstanceKey*) {
        retained_.insert(entry.arrival);
        const Guid& writer = group_.writers[core_.logs[entry.log]->writer].guid;
        if (wanted.contains({writer, entry.number}))
            retained_numbers_.emplace(writer, entry.number);
    });
}

void GroupRepair::judge(Source& source) {
    const auto listed = [this](Arrival arrival) {
        return checkpoint_ &&
               std::binary_search(
                   checkpoint_->retained.begin(), checkpoint_->retained.end(), arrival);
    };
    // A list made after the file was set aside cannot name what only that file has. A log of the
    // same name is what an earlier repair, cut off, made of it.
    source.exact = std::ranges::any_of(source.samples, [&](const Found& found) {
        const auto other = whole_.find(found.arrival);
        return listed(found.arrival) && (other == whole_.end() || other->second.log == source.log);
    });
    for (Found& found : source.samples) {
        const auto other = whole_.find(found.arrival);
        const bool elsewhere = other != whole_.end();
        const bool another = elsewhere && (other->second.log.writer != source.log.writer ||
                                           other->second.number != found.number);
        const bool dead =
            source.exact && found.arrival <= checkpoint_->as_of && !listed(found.arrival);
        if (another || dead || !taken_.insert(found.arrival).second ||
            retained_numbers_.contains({source.log.writer, found.number})) {
            found.fate = Fate::already;
        } else {
            found.fate = elsewhere ? Fate::listed : Fate::added;
        }
    }
}

// What comes back takes its place by arrival number among what is retained, under the rule.
void GroupRepair::retain_all() {
    struct Item {
        SampleIndex::Entry entry;
        const InstanceKey* key;
        Guid writer;
        Found* found;
    };
    std::vector<Item> items;
    for_each_retained([&](const SampleIndex::Entry& entry, const InstanceKey* key) {
        items.push_back({entry, key, group_.writers[core_.logs[entry.log]->writer].guid, nullptr});
        items.back().entry.instance = items.back().entry.next = SampleIndex::none;
    });
    for (Source& source : sources_) {
        for (Found& found : source.samples) {
            if (!found.belongs()) continue;
            SampleIndex::Entry entry;
            entry.arrival = found.arrival;
            entry.number = found.number;
            entry.source_timestamp = found.source_timestamp;
            entry.payload_size = found.payload_size;
            entry.flags = found.flags;
            const auto known = group_.by_guid.find(source.log.writer);
            entry.writer = static_cast<std::uint16_t>(
                known != group_.by_guid.end() ? known->second : ~WriterIndex{0});
            items.push_back({entry, found.key ? &*found.key : nullptr, source.log.writer, &found});
        }
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        return a.entry.arrival < b.entry.arrival;
    });
    const bool keyed = group_.meta.key.keyed;
    const bool per_writer = group_.meta.contract.scope == ContractScope::writer;
    std::map<Guid, SampleIndex> histories;
    std::vector<SampleIndex::Entry> evicted;
    for (const Item& item : items) {
        SampleIndex& index =
            histories.try_emplace(per_writer ? item.writer : unknown_guid, keyed).first->second;
        std::ignore = retain(
            index, keyed, group_.meta.contract, item.entry, item.key, Refusal::never, evicted);
    }
    std::unordered_set<Arrival> gone;
    for (const SampleIndex::Entry& entry : evicted)
        gone.insert(entry.arrival);
    for (const Item& item : items) {
        if (!gone.contains(item.entry.arrival)) continue;
        if (item.found != nullptr) item.found->fate = Fate::already;
        if (item.found == nullptr) replaced_.insert(item.entry.arrival);
    }
}

void GroupRepair::count() {
    for (Source& source : sources_) {
        RepairedFile& report = reports_[source.report];
        for (const Found& found : source.samples) {
            if (found.belongs()) ++report.added;
            if (found.fate == Fate::already) ++report.already;
        }
        if (source.refused) continue;
        report.action = report.added > 0 ? RepairAction::restored : RepairAction::nothing_added;
        if (report.found == 0) report.reason = "no whole sample is in it";
    }
}

Status GroupRepair::read(const OnWork& on_work, WorkProgress& work) {
    if (sources_.empty()) return {};
    for (Source& source : sources_) {
        if (auto done = read_source(source, on_work, work); !done) return done;
    }
    auto list = read_checkpoint(core_.files, group_.folder);
    if (!list) return tl::unexpected(list.error());
    if (*list && (*list)->checkpoint && (*list)->scan.header.group == group_.hash)
        checkpoint_ = std::move((*list)->checkpoint);
    if (auto done = look_for_whole_frames(); !done) return done;
    note_retained();
    taken_ = retained_;
    for (Source& source : sources_) {
        if (source.refused) source.samples.clear();
        judge(source);
    }
    retain_all();
    count();
    return {};
}

}  // namespace durability::store
