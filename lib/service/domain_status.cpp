// What durabilityctl shows of a domain.
#include "service/domain_service.hpp"

#include <algorithm>
#include <utility>

namespace durability::service {

DomainStatus DomainService::status(const store::StoreStatus& store) const {
    DomainStatus result;
    result.domain = options_.domain;
    result.ingest_prefix = options_.sides[0].identity.prefix;
    result.replay_prefix = options_.sides[1].identity.prefix;
    result.participants = participants_[0]->spdp().participants().size();

    const auto late_readers = replay_->readers();
    for (const store::GroupStatus& stored : store.groups) {
        TopicStatus topic = store::topic_status(stored);
        const auto group = groups_.all().find(stored.meta.key);
        const bool served = group != groups_.all().end();
        for (const store::WriterStatus& known : stored.writers) {
            WriterStatus writer = store::writer_status(stored, known);
            if (served) {
                for (const auto& [guid, source] : group->second->writers) {
                    if (source.source != known.source_writer) continue;
                    writer.alive = true;
                    if (const auto live = participants_[0]->writer_status(guid)) {
                        writer.received = std::max(writer.received, live->received.value);
                        writer.committed = std::max(writer.committed, live->committed.value);
                        writer.lost = live->lost;
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
    for (const Replay::LateReaderView& late : late_readers) {
        ReaderStatus reader;
        reader.topic = late.data->topic;
        reader.type = late.data->type;
        reader.guid = late.reader;
        reader.durability = late.data->qos.durability;
        reader.reliable = late.data->qos.reliability == ReliabilityKind::reliable;
        reader.owed = late.counts[static_cast<std::size_t>(Entitlement::owed)];
        reader.sent = late.sent;
        reader.acknowledged = late.acknowledged;
        switch (late.phase) {
            case Replay::Phase::gathering:
            case Replay::Phase::saving:
                reader.state = "waiting";
                break;
            case Replay::Phase::serving:
                reader.state = "replaying";
                break;
            case Replay::Phase::delivered:
                reader.state = "complete";
                break;
            case Replay::Phase::unserved:
                reader.state = late.reason;
                break;
        }
        result.readers.push_back(std::move(reader));
    }
    return result;
}

}  // namespace durability::service
