// What durabilityctl shows of a domain.
#include "discovery/peer_facts.hpp"
#include "service/domain_service.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {
namespace {

std::string_view state_of(Replay::Phase phase) {
    switch (phase) {
        case Replay::Phase::gathering:
        case Replay::Phase::saving:
        case Replay::Phase::watching:
            return "waiting";
        case Replay::Phase::serving:
            return "replaying";
        case Replay::Phase::delivered:
            return "complete";
        case Replay::Phase::unserved:
            return "unserved";
    }
    return "?";
}

std::string_view cure_of(Replay::Wait wait) {
    if (wait == Replay::Wait::announcement)
        return "should this last, see what keeps the daemon's datagrams from its process";
    if (wait == Replay::Wait::agreement)
        return "should this last, build writer and reader from the same type definition";
    return "";
}

}  // namespace

std::string_view name(Replay::Wait wait) {
    switch (wait) {
        case Replay::Wait::nothing:
            return "";
        case Replay::Wait::type:
            return "the description of the topic's type is being asked for";
        case Replay::Wait::agreement:
            return "its process has not said yet whether its own type fits";
        case Replay::Wait::announcement:
            return "its process has not acknowledged our announcement";
        case Replay::Wait::company:
            return "other readers of its process may come, for some milliseconds";
        case Replay::Wait::returning_writers:
            return "writers from before the start of the daemon may still come back";
        case Replay::Wait::living_writers:
            return "a living writer has not said yet what it sends by itself";
        case Replay::Wait::other_service:
            return "another daemon may be there to serve it";
        case Replay::Wait::promised:
            return "its living writers send it everything; the daemon looks on for a moment";
        case Replay::Wait::store:
            return "the store is looking for what is kept";
    }
    return "?";
}

ReaderStatus reader_status(const Replay::LateReaderView& late) {
    ReaderStatus reader;
    reader.topic = late.data->topic;
    reader.type = late.data->type;
    reader.guid = late.reader;
    reader.vendor = discovery::vendor_name(late.data->vendor);
    reader.durability = late.data->qos.durability;
    reader.reliable = late.data->qos.reliability == ReliabilityKind::reliable;
    reader.owed = late.counts[static_cast<std::size_t>(Entitlement::owed)];
    reader.sent = late.sent;
    reader.acknowledged = late.acknowledged;
    for (std::size_t i = 0; i < late.counts.size(); ++i) {
        const auto verdict = static_cast<Entitlement>(i);
        if (verdict == Entitlement::owed || late.counts[i] == 0) continue;
        reader.not_owed.push_back({std::string(name(verdict)), late.counts[i]});
    }
    reader.state = state_of(late.phase);
    reader.reason = late.reason.empty() ? std::string(name(late.wait)) : late.reason;
    reader.cure = late.wait == Replay::Wait::nothing ? late.cure : std::string(cure_of(late.wait));
    return reader;
}

DomainStatus DomainService::status(const store::StoreStatus& store, Now now) const {
    DomainStatus result;
    result.domain = options_.domain;
    result.ingest_prefix = options_.sides[0].identity.prefix;
    result.replay_prefix = options_.sides[1].identity.prefix;
    result.participants = participants_[0]->spdp().participants().size();
    result.disk_bytes = store.disk_bytes;
    result.memory_bytes = store.memory_bytes;
    result.open_files = store.open_files;
    result.failed_syncs = store.failed_syncs;
    result.compactions = store.compactions;
    for (const auto& participant : participants_) {
        result.datagrams_received += participant->counters().datagrams;
        result.malformed += participant->counters().malformed;
    }

    const auto late_readers = replay_->readers(now);
    for (const store::GroupStatus& stored : store.groups) {
        TopicStatus topic = store::topic_status(stored);
        const auto group = groups_.all().find(stored.meta.key);
        const bool served = group != groups_.all().end();
        if (served) topic.replayed = group->second->replayed;
        for (const store::WriterStatus& known : stored.writers) {
            WriterStatus writer = store::writer_status(stored, known);
            if (served) {
                for (const auto& [guid, source] : group->second->writers) {
                    if (source.source != known.source_writer) continue;
                    writer.alive = true;
                    if (const auto live = participants_[0]->writer_status(guid)) {
                        writer.received = std::max(writer.received, live->received.value);
                        writer.committed = std::max(writer.committed, live->committed.value);
                        writer.lost = live->lost + source.lost_in_sets;
                    }
                }
            }
            result.writers.push_back(std::move(writer));
        }
        topic.readers =
            static_cast<std::uint64_t>(std::ranges::count_if(late_readers, [&](const auto& reader) {
                return served && reader.group == group->second.get();
            }));
        result.topics.push_back(std::move(topic));
    }
    for (const Replay::LateReaderView& late : late_readers)
        result.readers.push_back(reader_status(late));
    return result;
}

}  // namespace durability::service
