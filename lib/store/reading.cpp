// Listing and reading what is retained. Frames that lie close together are read with one call.
#include "base/crc32c.hpp"
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace durability::store {

// A frame to be read, and the place of its sample in the answer.
struct StoreCore::Wanted {
    SampleIndex::Entry entry;
    std::size_t result;
    const SampleIndex* index;
    [[nodiscard]] std::uint64_t begin() const { return entry.offset(); }
    [[nodiscard]] std::uint64_t end() const {
        return begin() + sample_frame_size(entry.flags, entry.payload_size);
    }
};

namespace {

// Bytes between two wanted frames that are read along rather than skipped by another call.
constexpr std::uint64_t max_hole = 4U << 10U;
constexpr std::uint64_t max_read = 1U << 20U;

// An operation that came without its key.
bool lacks_key(const SampleMeta& meta) {
    return meta.lifecycle != Lifecycle::data && meta.payload_kind == PayloadKind::none;
}

ListedSample listed(const SampleIndex& index,
                    bool keyed,
                    const SampleIndex::Entry& entry,
                    const Guid& writer) {
    ListedSample sample;
    sample.arrival = entry.arrival;
    sample.id = {writer, entry.number};
    sample.source_timestamp = entry.source_timestamp;
    sample.payload_size = entry.payload_size;
    sample.lifecycle = static_cast<Lifecycle>(entry.flags & sample_flag::lifecycle_mask);
    sample.in_coherent_set = (entry.flags & sample_flag::coherent_set) != 0;
    if (entry.instance != SampleIndex::none) {
        sample.instance = keyed ? number_of(index.instance(entry.instance).key) : unkeyed_instance;
    }
    return sample;
}

// Another sample of the instance, in arrival order the newest or the newest with a value, is newer
// than `entry`. That a writer left the instance replaces nothing.
bool retains_newer(const SampleIndex& index,
                   const InstanceKey* key,
                   const SampleIndex::Entry& entry) {
    if (index.size() == 0) return false;
    const auto id = key == nullptr ? SampleIndex::unkeyed : index.find_instance(*key);
    if (id == SampleIndex::none) return false;
    const SampleIndex::Instance& instance = index.instance(id);
    for (const SampleIndex::Position at : {instance.newest, instance.newest_value}) {
        if (at == SampleIndex::none) continue;
        const SampleIndex::Entry& other = index.at(at);
        const auto lifecycle = static_cast<Lifecycle>(other.flags & sample_flag::lifecycle_mask);
        if (lifecycle == Lifecycle::unregister) continue;
        const bool timed = other.source_timestamp.valid() && entry.source_timestamp.valid();
        if (timed ? entry.source_timestamp < other.source_timestamp : entry.arrival < other.arrival)
            return true;
    }
    return false;
}

// How many of the arrivals asked for are answered; `wanted` are those that are retained.
std::size_t fitting(const std::vector<StoreCore::Wanted>& wanted, const ReadSamples& command) {
    std::size_t all = 0;
    for (const StoreCore::Wanted& one : wanted)
        all += one.entry.payload_size;
    if (all <= command.max_octets) return command.arrivals.size();
    std::vector<std::size_t> sizes(command.arrivals.size(), 0);
    for (const StoreCore::Wanted& one : wanted)
        sizes[one.result] = one.entry.payload_size;
    std::size_t octets = 0;
    std::size_t count = 0;
    while (count < sizes.size() && (count == 0 || octets + sizes[count] <= command.max_octets))
        octets += sizes[count++];
    return count;
}

// The frame at `bytes`, if it is the sample the index speaks of and undamaged.
bool decode_wanted(ByteView bytes, const StoreCore::Wanted& wanted, SampleFrame& frame) {
    FrameHeader header;
    if (bytes.size() < frame_header_size || !decode_frame_header(bytes.data(), header))
        return false;
    if (header.kind != FrameKind::sample ||
        header.payload_length > bytes.size() - frame_header_size) {
        return false;
    }
    const ByteView body = bytes.subspan(frame_header_size, header.payload_length);
    return crc32c(body) == header.body_crc && decode_sample(header.flags, body, frame) &&
           frame.arrival == wanted.entry.arrival;
}

}  // namespace

SamplesListed StoreCore::list(const ListSamples& command) {
    SamplesListed answer{command.ticket, command.group, {}, false, next_arrival - 1};
    if (command.group >= groups.size()) return answer;
    Group& group = *groups[command.group];
    std::unordered_map<std::uint64_t, Holders> holders;  // of instances with operations
    for (const auto& history : group.histories) {
        const SampleIndex& index = history->index;
        std::size_t taken = 0;
        auto at = index.lower_bound(command.from);
        if (at != index.end_position()) {
            answer.samples.reserve(answer.samples.size() +
                                   std::min(command.max_entries, index.size()));
        }
        for (; at != index.end_position(); ++at) {
            const SampleIndex::Entry& entry = index.at(at);
            if (entry.arrival > command.to) break;
            if (entry.dead) continue;
            if (taken++ >= command.max_entries) {
                answer.more = true;
                break;
            }
            ListedSample& sample = answer.samples.emplace_back(listed(
                index, group.meta.key.keyed, entry, group.writers[logs[entry.log]->writer].guid));
            const bool may_be_left =
                group.meta.key.keyed && entry.instance != SampleIndex::none &&
                index.count_of(entry.instance) > index.values_of(entry.instance);
            if (!may_be_left) continue;
            const auto [known, is_new] = holders.try_emplace(sample.instance);
            if (is_new) known->second = holders_of(group, index.instance(entry.instance).key);
            sample.is_left = known->second.has_left(logs[entry.log]->writer, entry.arrival);
            sample.is_held = sample.lifecycle == Lifecycle::unregister && known->second.is_held();
        }
    }
    if (group.histories.size() > 1) {
        std::sort(
            answer.samples.begin(),
            answer.samples.end(),
            [](const ListedSample& a, const ListedSample& b) { return a.arrival < b.arrival; });
        if (answer.samples.size() > command.max_entries) {
            answer.samples.resize(command.max_entries);
            answer.more = true;
        }
    }
    return answer;
}

SamplesRead StoreCore::read(const ReadSamples& command, Out& out) {
    SamplesRead answer{command.ticket, command.group, {}, nullptr};
    auto buffers = std::make_shared<std::vector<Buffer>>();
    answer.samples.resize(command.arrivals.size());
    for (std::size_t i = 0; i < command.arrivals.size(); ++i) {
        answer.samples[i].arrival = command.arrivals[i];
    }
    answer.bytes = buffers;
    if (command.group >= groups.size()) return answer;
    Group& group = *groups[command.group];

    std::vector<Wanted> wanted;
    wanted.reserve(command.arrivals.size());
    for (const auto& history : group.histories) {
        const SampleIndex& index = history->index;
        auto at = index.begin_position();
        bool first = true;
        for (std::size_t i = 0; i < command.arrivals.size(); ++i) {
            const Arrival arrival = command.arrivals[i];
            // Neighbours are mostly asked for together; else the search starts over.
            if (!first && at != index.end_position() && index.at(at).arrival < arrival) ++at;
            if (first || at == index.end_position() || index.at(at).arrival != arrival) {
                at = index.lower_bound(arrival);
            }
            first = false;
            if (at == index.end_position()) break;
            const SampleIndex::Entry& entry = index.at(at);
            if (entry.arrival == arrival && !entry.dead) wanted.push_back({entry, i, &index});
        }
    }
    if (const std::size_t answered = fitting(wanted, command); answered < answer.samples.size()) {
        answer.samples.resize(answered);
        std::erase_if(wanted, [&](const Wanted& one) { return one.result >= answered; });
    }
    for (const Wanted& one : wanted)
        answer.samples[one.result].superseded = is_superseded(group, one, command.elsewhere);
    read_frames(group, wanted, answer.samples, *buffers, out);
    read_siblings(group, wanted, answer.samples, *buffers, out);
    return answer;
}

bool StoreCore::is_superseded(const Group& group,
                              const Wanted& one,
                              std::span<const GroupHandle> elsewhere) const {
    if (elsewhere.empty() || one.entry.instance == SampleIndex::none) return false;
    const bool keyed = group.meta.key.keyed;
    const InstanceKey key = keyed ? one.index->instance(one.entry.instance).key : InstanceKey{};
    return std::any_of(elsewhere.begin(), elsewhere.end(), [&](GroupHandle handle) {
        if (handle >= groups.size() || groups[handle]->meta.key.keyed != keyed) return false;
        const auto& histories = groups[handle]->histories;
        return std::any_of(histories.begin(), histories.end(), [&](const auto& history) {
            return retains_newer(history->index, keyed ? &key : nullptr, one.entry);
        });
    });
}

// For operations that came without their key: what else of the instance tells it.
void StoreCore::read_siblings(Group& group,
                              const std::vector<Wanted>& read_already,
                              std::vector<ReadSample>& samples,
                              std::vector<Buffer>& buffers,
                              Out& out) {
    if (!group.meta.key.keyed) return;
    std::vector<Wanted> wanted;
    std::vector<std::size_t> of;
    for (const Wanted& one : read_already) {
        const ReadSample& sample = samples[one.result];
        if (!sample.retained || !lacks_key(sample.meta)) continue;
        if (one.entry.instance == SampleIndex::none) continue;
        const SampleIndex::Entry* const bearer = key_bearer(*one.index, one.entry.instance);
        if (bearer == nullptr) continue;
        wanted.push_back({*bearer, of.size(), one.index});
        of.push_back(one.result);
    }
    std::vector<ReadSample> siblings(of.size());
    read_frames(group, wanted, siblings, buffers, out);
    for (std::size_t i = 0; i < of.size(); ++i) {
        samples[of[i]].sibling = siblings[i].payload;
        samples[of[i]].sibling_kind = siblings[i].meta.payload_kind;
    }
}

void StoreCore::read_frames(Group& group,
                            std::vector<Wanted>& wanted,
                            std::vector<ReadSample>& samples,
                            std::vector<Buffer>& buffers,
                            Out& out) {
    std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) {
        return std::pair(a.entry.log, a.entry.offset8) < std::pair(b.entry.log, b.entry.offset8);
    });

    for (std::size_t begin = 0; begin < wanted.size();) {
        Log& log = *logs[wanted[begin].entry.log];
        std::size_t end = begin + 1;
        // A failed log is partly in its file and partly in memory; frame by frame finds each.
        while (!log.file.failed() && end < wanted.size() &&
               wanted[end].entry.log == wanted[begin].entry.log &&
               wanted[end].begin() <= wanted[end - 1].end() + max_hole &&
               wanted[end].end() - wanted[begin].begin() <= max_read) {
            ++end;
        }
        const std::uint64_t from = wanted[begin].begin();
        Buffer& buffer = buffers.emplace_back(wanted[end - 1].end() - from);
        const Status opened = log.file.exists() ? ensure_open(log) : Status{};
        const auto got = opened ? log.file.read(from, buffer) : Result<std::size_t>(0);
        for (; begin < end; ++begin) {
            const Wanted& one = wanted[begin];
            ReadSample& result = samples[one.result];
            const std::uint64_t skip = one.begin() - from;
            const std::uint64_t size = one.end() - one.begin();
            SampleFrame frame;
            if (got && skip + size <= *got &&
                decode_wanted(ByteView(buffer).subspan(skip, size), one, frame)) {
                result.retained = true;
                result.meta = meta_of(frame, group.writers[log.writer].guid);
                if (group.meta.key.keyed && one.entry.instance != SampleIndex::none)
                    result.meta.key = one.index->instance(one.entry.instance).key;
                result.received = frame.received;
                result.payload = frame.payload;
                continue;
            }
            const std::string reason = !opened ? opened.error().text()
                                       : !got  ? got.error().text()
                                               : "the frame is damaged";
            report(out,
                   EventKind::ReplayWriteFailed,
                   {{"topic", group.meta.key.topic},
                    {"file", log.file.path()},
                    {"offset", std::to_string(one.begin())},
                    {"reason", reason}});
        }
    }
}

}  // namespace durability::store
