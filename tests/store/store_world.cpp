#include "store_world.hpp"

#include <algorithm>

namespace durability::test {

using namespace durability::store;

Guid writer_guid(std::uint8_t number) {
    Guid guid;
    guid.prefix.octets = {1, 15, 2, 3, 4, 5, 6, 7, 8, 9, 10, number};
    guid.entity.value = 0x00000103;
    return guid;
}

KeyHash key_of(std::uint32_t instance) {
    KeyHash key{};
    for (unsigned i = 0; i < 4; ++i)
        key[i] = static_cast<std::uint8_t>(instance >> (24 - 8 * i));
    return key;
}

GroupMeta unkeyed_topic(std::string topic, Contract contract) {
    GroupMeta meta;
    meta.key.topic = std::move(topic);
    meta.key.type = "test::Sample";
    meta.key.durability = DurabilityKind::persistent;
    meta.qos.durability = DurabilityKind::persistent;
    meta.contract = contract;
    meta.contract_source = ContractSource::rule;
    return meta;
}

GroupMeta keyed_topic(std::string topic, Contract contract) {
    GroupMeta meta = unkeyed_topic(std::move(topic), contract);
    meta.key.keyed = true;
    return meta;
}

Contract keep_last(std::uint64_t depth) {
    Contract contract;
    contract.depth = depth;
    contract.max_samples = contract.max_instances = unlimited;
    return contract;
}

Contract keep_all(std::uint64_t max_samples) {
    Contract contract = keep_last(1);
    contract.history = ContractHistory::keep_all;
    contract.max_samples = max_samples;
    return contract;
}

Buffer payload_of(std::int64_t seed, std::size_t size) {
    Buffer bytes(std::max<std::size_t>(size, 4));
    bytes[1] = 1;
    for (std::size_t i = 4; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::uint8_t>((static_cast<std::uint64_t>(seed) >> (8 * (i % 8))) ^
                                             (i * 31));
    }
    return bytes;
}

WallTime wall_at(std::int64_t seconds) {
    return WallTime{std::chrono::seconds{seconds}};
}

bool StoreWorld::open(WallTime now) {
    auto opened = Store::open(files_, options, now, out);
    if (!opened) {
        error = opened.error();
        return false;
    }
    store = std::move(*opened);
    return true;
}

bool StoreWorld::close() {
    if (!store) return false;
    sync();
    const auto done = store->close(out);
    store.reset();
    return done.has_value();
}

GroupHandle StoreWorld::group(const GroupMeta& meta) {
    store->execute(OpenGroup{1, meta}, out);
    for (int rounds = 0; rounds < 20; ++rounds) {
        SyncJob job = store->begin_sync(out, false);
        if (job.empty()) break;
        Store::run(job);
        store->end_sync(std::move(job), out);
    }
    for (auto at = out.rbegin(); at != out.rend(); ++at) {
        if (const auto* answer = std::get_if<GroupOpened>(&*at)) {
            if (!answer->result) {
                error = answer->result.error();
                return ~GroupHandle{0};
            }
            return answer->result->handle;
        }
    }
    return ~GroupHandle{0};
}

OpenedGroup StoreWorld::opened(const std::string& topic) const {
    for (OpenedGroup& group : store->groups()) {
        if (group.meta.key.topic == topic) return std::move(group);
    }
    return OpenedGroup{~GroupHandle{0}, {}, {}};
}

void StoreWorld::append(GroupHandle group,
                        const Guid& writer,
                        std::int64_t number,
                        ByteView payload,
                        std::optional<KeyHash> key,
                        Lifecycle lifecycle,
                        WallTime received) {
    Append command;
    SampleMeta meta;
    meta.id = {writer, SequenceNumber{number}};
    meta.source_timestamp = to_timestamp(received);
    meta.lifecycle = lifecycle;
    meta.payload_kind = payload.empty() ? PayloadKind::none : PayloadKind::data;
    if (key) meta.key = InstanceKey{*key};
    command.batch.add(
        group, writer, SequenceNumber{number}, meta, received, Payload::borrowed(payload));
    store->execute(std::move(command), out);
}

void StoreWorld::append_set(GroupHandle group,
                            const Guid& writer,
                            std::int64_t first,
                            const std::vector<Member>& members,
                            WallTime received) {
    Append command;
    for (const Member& member : members) {
        SampleMeta meta;
        meta.id = {writer, SequenceNumber{first + (&member - members.data())}};
        meta.source_timestamp = to_timestamp(received);
        meta.lifecycle = member.lifecycle;
        meta.payload_kind = member.payload.empty() ? PayloadKind::none : PayloadKind::data;
        if (member.key) meta.key = InstanceKey{*member.key};
        meta.coherent_set = SequenceNumber{first};
        command.batch.add(
            group, writer, meta.id.number, meta, received, Payload::borrowed(member.payload));
    }
    command.batch.join(members.size());
    store->execute(std::move(command), out);
}

void StoreWorld::sync() {
    for (int rounds = 0; rounds < 20; ++rounds) {
        SyncJob job = store->begin_sync(out, true);
        if (job.empty()) return;
        Store::run(job);
        store->end_sync(std::move(job), out);
    }
}

void StoreWorld::work() {
    for (int rounds = 0; rounds < 1'000; ++rounds) {
        while (store->work_due())
            store->do_slice(out);
        SyncJob job = store->begin_sync(out);
        if (job.empty() && !store->work_due()) return;
        Store::run(job);
        store->end_sync(std::move(job), out);
    }
}

void StoreWorld::tell(Command command) {
    store->execute(std::move(command), out);
    sync();
}

bool StoreWorld::heal() {
    store->retry(out);
    sync();
    return !store->degraded();
}

std::vector<Kept> StoreWorld::kept(GroupHandle group) {
    std::vector<Completion> answers;
    store->execute(ListSamples{1, group}, answers);
    ReadSamples read{2, group, {}};
    std::vector<ListedSample> listed;
    for (const Completion& answer : answers) {
        if (const auto* list = std::get_if<SamplesListed>(&answer)) listed = list->samples;
    }
    for (const ListedSample& sample : listed)
        read.arrivals.push_back(sample.arrival);
    store->execute(read, answers);
    std::vector<Kept> result;
    for (Completion& answer : answers) {
        if (auto* event = std::get_if<StoreEvent>(&answer)) out.push_back(*event);
        const auto* samples = std::get_if<SamplesRead>(&answer);
        if (samples == nullptr) continue;
        for (const ReadSample& sample : samples->samples) {
            if (!sample.retained) continue;
            result.push_back({sample.arrival,
                              sample.meta.id.writer,
                              sample.meta.id.number.value,
                              sample.meta.lifecycle,
                              Buffer(sample.payload.begin(), sample.payload.end())});
        }
    }
    return result;
}

std::size_t StoreWorld::count(EventKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(out.begin(), out.end(), [&](const Completion& item) {
            const auto* event = std::get_if<StoreEvent>(&item);
            return event != nullptr && event->event.kind == kind;
        }));
}

const Event* StoreWorld::find(EventKind kind) const {
    for (const Completion& item : out) {
        const auto* event = std::get_if<StoreEvent>(&item);
        if (event != nullptr && event->event.kind == kind) return &event->event;
    }
    return nullptr;
}

std::string StoreWorld::field(const Event& event, std::string_view key) {
    for (const auto& [name, value] : event.fields) {
        if (name == key) return value;
    }
    return {};
}

std::int64_t StoreWorld::committed(GroupHandle group, const Guid& writer) const {
    std::int64_t through = 0;
    for (const Completion& item : out) {
        const auto* committed = std::get_if<Committed>(&item);
        if (committed == nullptr) continue;
        for (const Committed::Mark& mark : committed->marks) {
            if (mark.group == group && mark.transport_writer == writer) {
                through = std::max(through, mark.through.value);
            }
        }
    }
    return through;
}

}  // namespace durability::test
