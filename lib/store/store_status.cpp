#include "store/store_status.hpp"

#include "base/text.hpp"
#include "store/commands.hpp"

#include <utility>

namespace durability::store {

TopicStatus topic_status(const GroupStatus& group) {
    TopicStatus topic;
    topic.topic = group.meta.key.topic;
    topic.type = group.meta.key.type;
    topic.keyed = group.meta.key.keyed;
    topic.partitions = group.meta.key.partitions;
    topic.representation = group.meta.key.representation;
    topic.durability = group.meta.key.durability;
    topic.storage = group.meta.storage;
    topic.contract = group.meta.contract;
    topic.contract_source = group.meta.contract_source;
    topic.retained_samples = group.retained;
    topic.retained_bytes = group.payload_bytes;
    topic.disk_bytes = group.disk_bytes;
    topic.dead_bytes = group.dead_bytes;
    topic.compacting = group.compacting;
    topic.writers = group.writers.size();
    topic.degraded = group.degraded;
    topic.instances = group.instances;
    topic.stored = group.appended;
    topic.duplicates = group.duplicates;
    topic.evicted = group.evicted;
    topic.refused = group.refused;
    return topic;
}

durability::WriterStatus writer_status(const GroupStatus& group, const WriterStatus& writer) {
    durability::WriterStatus status;
    status.topic = group.meta.key.topic;
    status.type = group.meta.key.type;
    status.guid = writer.source_writer;
    status.retired = writer.retired;
    status.received = status.appended = writer.appended.value;
    status.synced = status.committed = writer.synced.value;
    status.retained_samples = writer.retained;
    status.retained_bytes = writer.payload_bytes;
    return status;
}

InstanceStatus instance_status(const GroupMeta& meta,
                               const ListedInstance& instance,
                               std::string key) {
    InstanceStatus status;
    status.topic = meta.key.topic;
    status.type = meta.key.type;
    status.key = std::move(key);
    if (instance.key) status.key_hash = to_hex(instance.key->hash);
    status.state = name(instance.state);
    status.samples = instance.values;
    status.operations = instance.operations;
    status.writers = instance.writers;
    status.received_ns = instance.received.time_since_epoch().count();
    return status;
}

}  // namespace durability::store
