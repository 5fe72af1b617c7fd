// What an operator may ask of a store: taking samples out, giving back space now.
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::store {
namespace {

tl::unexpected<Error> no_such_group(GroupHandle handle) {
    return fail(Errc::invalid_argument, fmt::format("group {}: there is none", handle));
}

}  // namespace

void StoreCore::purge(const PurgeSamples& command, Out& out) {
    const auto answer = [&](Result<std::uint64_t> samples) {
        out.push_back(SamplesPurged{command.ticket, command.group, std::move(samples)});
    };
    if (command.group >= groups.size()) return answer(no_such_group(command.group));
    Group& group = *groups[command.group];
    if (group.degraded || !group.loaded) {
        return answer(fail(Errc::unavailable,
                           fmt::format("purge {}: {} does not take changes at the moment",
                                       group.meta.key.topic,
                                       group.folder)));
    }
    std::optional<WriterIndex> of_writer;
    if (command.source_writer) {
        const SourceWriter* const writer = find_writer(group, *command.source_writer);
        if (writer == nullptr) return answer(std::uint64_t{0});
        of_writer = static_cast<WriterIndex>(writer - group.writers.data());
    }
    for (const auto& history : group.histories) {
        SampleIndex& index = history->index;
        const auto is_of_instance = [&](const SampleIndex::Entry& entry) {
            return group.meta.key.keyed && entry.instance != SampleIndex::none &&
                   index.instance(entry.instance).key.hash == *command.instance;
        };
        index.remove_if(
            [&](const SampleIndex::Entry& entry) {
                return (!of_writer || logs[entry.log]->writer == *of_writer) &&
                       (!command.instance || is_of_instance(entry));
            },
            [&](const SampleIndex::Entry& entry) { evicted.push_back(entry); });
    }
    const std::uint64_t count = evicted.size();
    if (count == 0) return answer(count);
    for (const SampleIndex::Entry& entry : evicted)
        logs[entry.log]->wanted = true;
    account_evicted(group);
    group.work.checkpoint = true;
    group.work.answers.push_back(
        [ticket = command.ticket, handle = command.group, count](const Status& outcome, Out& to) {
            SamplesPurged purged{ticket, handle, count};
            if (!outcome) purged.samples = tl::unexpected(outcome.error());
            to.push_back(std::move(purged));
        });
    want_work(group);
    consider_group(group);
}

void StoreCore::consider_group(const Group& group) {
    for (const SourceWriter& writer : group.writers) {
        for (const LogId id : writer.logs)
            consider(id);
    }
}

CompactionBegun StoreCore::compact(const CompactGroup& command) {
    if (command.group >= groups.size())
        return {command.ticket, command.group, no_such_group(command.group)};
    std::uint64_t count = 0;
    for (const SourceWriter& writer : groups[command.group]->writers) {
        for (const LogId id : writer.logs) {
            Log& log = *logs[id];
            const bool empty = log.live_frames == 0 && id != writer.logs.back();
            if (log.doomed || (log.dead_bytes() == 0 && !empty)) continue;
            log.wanted = true;
            log.settling = false;
            std::erase(settling_logs, id);
            consider(id);
            if (log.due || (rewrite && rewrite->log == id)) ++count;
        }
    }
    return {command.ticket, command.group, count};
}

}  // namespace durability::store
