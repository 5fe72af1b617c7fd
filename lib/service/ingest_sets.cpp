// Coherent sets on their way to the store: what becomes of one that has ended, and how one stays
// open that is larger than what can be asked for again.
#include "service/ingest.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

// An ACKNACK asks for so many numbers from the first one that is not acknowledged (RTPS 2.5,
// 8.3.5.5).
constexpr std::int64_t asked_at_most = 256;
// A set with so many samples is watched.
constexpr std::size_t wide = 128;
// A sample that does not come for so long, though it may be asked for, is beyond that window.
constexpr Duration patience = std::chrono::milliseconds{50};

}  // namespace

void Ingest::hold(SourceWriter& source, ServedGroup& group, SetMember member) {
    const Limits& limits = context_.config.limits;
    const SequenceNumber number = member.number;
    const SetLimits set_limits{
        limits.coherent_sets, limits.coherent_set_bytes, limits.coherent_bytes};
    if (!sets_.hold(source.sets, std::move(member), set_limits)) {
        wide_sets_.erase(source.data.guid);
        batch_.mark(group.handle, source.data.guid, number);
    } else if (source.sets.held() == wide) {
        wide_sets_.try_emplace(source.data.guid);
    }
}

void Ingest::end_set(ServedGroup& group, SourceWriter& source, EndedSet ended, Now now) {
    const Guid& writer = source.data.guid;
    wide_sets_.erase(writer);
    if (!ended.is_whole()) {
        source.lost_in_sets += ended.samples;
        context_.events.report(make_event(EventKind::IncompleteSetDropped,
                                          {{"topic", group.meta.key.topic},
                                           {"writer", to_string(writer)},
                                           {"first", std::to_string(ended.first.value)},
                                           {"last", std::to_string(ended.last.value)},
                                           {"samples", std::to_string(ended.samples)},
                                           {"reason", std::string(ended.reason)}}),
                               to_string(writer),
                               now);
        return;
    }
    // What others wrote first goes to other logs, and makes sets of its own.
    auto& members = ended.members;
    for (auto at = members.begin(); at != members.end();) {
        const SampleId first = at->meta.id;
        const auto end = std::find_if(at, members.end(), [&](const SetMember& member) {
            return member.meta.id.writer != first.writer;
        });
        const auto count = static_cast<std::size_t>(end - at);
        for (; at != end; ++at) {
            at->meta.coherent_set = first.number;
            add(group, source, std::move(*at));
        }
        batch_.join(count);
    }
    // Samples without anything to be stored may have come behind the last that has.
    batch_.mark(group.handle, writer, ended.last);
}

void Ingest::abandon_set(ServedGroup& group,
                         SourceWriter& source,
                         std::string_view reason,
                         Now now) {
    auto ended = sets_.end(source.sets, reason);
    if (ended) end_set(group, source, std::move(*ended), now);
}

// What an open set holds is not acknowledged, so that the writer keeps it. But with a sample
// missing beyond the numbers that can be asked for from there, the set would never end: then the
// older part is acknowledged all the same.
void Ingest::open_windows(Now now) {
    for (auto& [guid, stall] : wide_sets_) {
        const ServedGroup* group = context_.groups.of_writer(guid);
        const auto status = participant_.writer_status(guid);
        // What precedes the set is with the disk, and acknowledged only by it.
        const bool leads = group != nullptr && status &&
                           next(status->committed) >= group->writers.at(guid).sets.first();
        if (!leads || status->missing == 0 ||
            status->received.value - status->committed.value < asked_at_most) {
            stall = {};
            continue;
        }
        if (stall.received != status->received) {
            stall = {status->received, now.mono};
        } else if (now.mono - stall.since >= patience) {
            const SequenceNumber through{status->received.value - asked_at_most / 2};
            participant_.committed(guid, through, now.mono);
        }
    }
}

}  // namespace durability::service
