#include "support/prepared_store.hpp"

#include "base/clock.hpp"
#include "store/posix_file_system.hpp"
#include "store/store.hpp"
#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace durability::test {

namespace {

// As recorded of Cyclone DDS.
Buffer small_key_information() {
    return from_hex(
        "6000000001100040280000002400000014000000f12e6f6e762a3e15b7296aaa8616e100480000000000000004"
        "0000000000000002100040280000002400000014000000f2e1136dd3b6676a4eb09f10c26b1600730000000000"
        "00000400000000000000");
}
Buffer small_key_object() {
    return from_hex(
        "44000000 f151 0100 01000000 00000000 34000000 03000000 0b000000 00000000 3100 04 b80bb774 "
        "00 "
        "0b000000 01000000 0100 04 e068c2de 00 0c000000 02000000 0100 70 00 1cb251ec");
}

}  // namespace

Guid prepared_writer(std::uint8_t number) {
    return {GuidPrefix{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, number}}, EntityId{0x00000103}};
}

KeyHash prepared_key(std::uint8_t instance) {
    KeyHash key{};
    key[3] = instance;
    return key;
}

void prepare_store(const std::string& state_directory,
                   const std::string& runtime_directory,
                   std::uint32_t domain,
                   const PreparedTopic& topic,
                   int count,
                   bool both,
                   std::size_t size) {
    store::PosixFileSystem files;
    store::StoreOptions options;
    options.disk_directory = state_directory + "/" + std::to_string(domain);
    options.memory_directory = runtime_directory + "/" + std::to_string(domain);
    std::vector<store::Completion> out;
    auto store = store::Store::open(files, options, system_now().wall, out);
    if (!store) FAIL(store.error().text());
    GroupMeta meta;
    meta.key.topic = topic.name;
    meta.key.type = "Map";
    meta.key.keyed = topic.keyed;
    if (!topic.partition.empty()) meta.key.partitions = {topic.partition};
    meta.key.durability = meta.qos.durability = DurabilityKind::persistent;
    if (topic.described) {
        meta.qos.type_information = small_key_information();
        meta.type_objects = {small_key_object()};
    }
    meta.contract.depth = topic.depth;
    meta.storage = topic.storage;
    meta.contract_source = ContractSource::announced;
    out.clear();
    const auto sync = [&] {
        for (bool more = true; more;) {
            auto job = (*store)->begin_sync(out);
            more = !job.empty();
            store::Store::run(job);
            (*store)->end_sync(std::move(job), out);
        }
    };
    (*store)->execute(store::OpenGroup{1, meta}, out);
    sync();
    GroupHandle group = 0;
    for (const store::Completion& completion : out) {
        const auto* opened = std::get_if<store::GroupOpened>(&completion);
        if (opened == nullptr) continue;
        if (!opened->result) FAIL(opened->result.error().text());
        group = opened->result->handle;
    }
    for (std::uint8_t writer = 1; writer <= (both ? 2 : 1); ++writer) {
        store::AppendBatch batch;
        for (int i = 1; i <= count; ++i) {
            SampleMeta sample;
            sample.id = {prepared_writer(writer), SequenceNumber{i}};
            if (topic.keyed)
                sample.key = InstanceKey{prepared_key(static_cast<std::uint8_t>(i % 2))};
            if (topic.replies) {
                sample.related =
                    RelatedSample{0x0083, {prepared_writer(9), SequenceNumber{i % 3 + 1}}};
            }
            Buffer payload(std::max<std::size_t>(size, 5));
            payload[1] = 1;
            payload[4] = static_cast<std::uint8_t>(i);
            batch.add(
                group,
                sample.id.writer,
                sample.id.number,
                sample,
                topic.received ? *topic.received + std::chrono::seconds{i} : system_now().wall,
                Payload::owned(std::move(payload)));
        }
        (*store)->execute(store::Append{std::move(batch)}, out);
    }
    sync();
    REQUIRE((*store)->close(out).has_value());
}

}  // namespace durability::test
