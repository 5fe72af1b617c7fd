// Listing and reading what is retained. Frames that lie close together are read with one call.
#include "base/crc32c.hpp"
#include "store/store_core.hpp"

#include <algorithm>
#include <tuple>

namespace durability::store {
namespace {

// Bytes between two wanted frames that are read along rather than skipped by another call.
constexpr std::uint64_t max_hole = 4U << 10U;
constexpr std::uint64_t max_read = 1U << 20U;

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
    if (keyed && entry.instance != SampleIndex::none) {
        sample.key_hash = index.instance(entry.instance).key;
    }
    return sample;
}

struct Wanted {
    SampleIndex::Entry entry;
    std::size_t result;
    [[nodiscard]] std::uint64_t begin() const { return entry.offset(); }
    [[nodiscard]] std::uint64_t end() const {
        return begin() + sample_frame_size(entry.flags, entry.payload_size);
    }
};

// How many of the arrivals asked for are answered; `wanted` are those that are retained.
std::size_t fitting(const std::vector<Wanted>& wanted, const ReadSamples& command) {
    std::size_t all = 0;
    for (const Wanted& one : wanted)
        all += one.entry.payload_size;
    if (all <= command.max_octets) return command.arrivals.size();
    std::vector<std::size_t> sizes(command.arrivals.size(), 0);
    for (const Wanted& one : wanted)
        sizes[one.result] = one.entry.payload_size;
    std::size_t octets = 0;
    std::size_t count = 0;
    while (count < sizes.size() && (count == 0 || octets + sizes[count] <= command.max_octets))
        octets += sizes[count++];
    return count;
}

// The frame at `bytes`, if it is the sample the index speaks of and undamaged.
bool decode_wanted(ByteView bytes, const Wanted& wanted, SampleFrame& frame) {
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
            answer.samples.push_back(listed(
                index, group.meta.key.keyed, entry, group.writers[logs[entry.log]->writer].guid));
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
            if (entry.arrival == arrival && !entry.dead) wanted.push_back({entry, i});
        }
    }
    if (const std::size_t answered = fitting(wanted, command); answered < answer.samples.size()) {
        answer.samples.resize(answered);
        std::erase_if(wanted, [&](const Wanted& one) { return one.result >= answered; });
    }
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
        Buffer& buffer = buffers->emplace_back(wanted[end - 1].end() - from);
        const Status opened = log.file.exists() ? ensure_open(log) : Status{};
        const auto got = opened ? log.file.read(from, buffer) : Result<std::size_t>(0);
        for (; begin < end; ++begin) {
            const Wanted& one = wanted[begin];
            ReadSample& result = answer.samples[one.result];
            const std::uint64_t skip = one.begin() - from;
            const std::uint64_t size = one.end() - one.begin();
            SampleFrame frame;
            if (got && skip + size <= *got &&
                decode_wanted(ByteView(buffer).subspan(skip, size), one, frame)) {
                result.retained = true;
                result.meta = meta_of(frame, group.writers[log.writer].guid);
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
    return answer;
}

}  // namespace durability::store
