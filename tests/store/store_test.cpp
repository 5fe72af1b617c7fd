#include "store_world.hpp"

#include "base/crc32c.hpp"
#include "store/log_format.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);

std::vector<std::int64_t> numbers(const std::vector<Kept>& kept) {
    std::vector<std::int64_t> result;
    for (const Kept& one : kept)
        result.push_back(one.number);
    return result;
}

}  // namespace

TEST_CASE("what was committed is there after a restart, byte for byte and in order") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("map", keep_last(100)));
    for (int i = 1; i <= 20; ++i) {
        world.append(
            topic, i % 2 == 0 ? w1 : w2, i, payload_of(i, 4 + static_cast<std::size_t>(i)));
    }
    world.sync();
    CHECK(world.committed(topic, w1) == 20);
    CHECK(world.committed(topic, w2) == 19);
    const auto before = world.kept(topic);
    REQUIRE(before.size() == 20);
    CHECK(before[4].payload == payload_of(5, 9));

    SECTION("after a clean end") {
        REQUIRE(world.close());
    }
    SECTION("after a power cut") {
        world.drop();
        files.restart(PowerCut::drop_unsynced);
    }
    REQUIRE(world.open());
    const auto recovered = world.opened("map");
    CHECK(world.kept(recovered.handle) == before);
    REQUIRE(recovered.writers.size() == 2);
    CHECK(std::max(recovered.writers[0].last_stored, recovered.writers[1].last_stored).value == 20);
    CHECK(world.count(EventKind::TornTailTruncated) == 0);
    CHECK(world.count(EventKind::CorruptLog) == 0);
}

TEST_CASE("nothing is reported as committed before the sync has succeeded") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    world.append(topic, w1, 1, payload_of(1));
    SyncJob job = world.store->begin_sync(world.out);
    CHECK(world.committed(topic, w1) == 0);
    world.append(topic, w1, 2, payload_of(2));  // while the sync runs
    Store::run(job);
    CHECK(world.committed(topic, w1) == 0);
    world.store->end_sync(std::move(job), world.out);
    CHECK(world.committed(topic, w1) == 1);
    world.sync();
    CHECK(world.committed(topic, w1) == 2);
}

TEST_CASE("a policy without waiting commits as soon as the frame is written") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.sync = GENERATE(SyncPolicy::none, SyncPolicy::interval);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    world.append(topic, w1, 1, payload_of(1));
    SyncJob job = world.store->begin_sync(world.out, false);
    CHECK(job.empty());
    CHECK(world.committed(topic, w1) == 1);
}

TEST_CASE("a memory topic is committed when written and outlives the process") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    GroupMeta meta = unkeyed_topic("t", keep_last(10));
    meta.storage = StorageKind::memory;
    const GroupHandle topic = world.group(meta);
    world.append(topic, w1, 1, payload_of(1));
    std::ignore = world.store->begin_sync(world.out);
    CHECK(world.committed(topic, w1) == 1);
    world.drop();
    files.restart(PowerCut::keep_everything);
    REQUIRE(world.open());
    CHECK(numbers(world.kept(world.opened("t").handle)) == std::vector<std::int64_t>{1});
}

TEST_CASE("a sample that comes again is not stored again, but its mark moves") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(2)));
    for (const int number : {1, 2, 3, 4, 2, 4})
        world.append(topic, w1, number, payload_of(1));
    world.sync();
    CHECK(numbers(world.kept(topic)) == std::vector<std::int64_t>{3, 4});
    CHECK(world.committed(topic, w1) == 4);
    CHECK(world.store->status().groups[0].duplicates == 2);

    // Also by way of another transport writer, and after a restart, and when it was evicted long
    // ago.
    REQUIRE(world.reopen());
    const GroupHandle again = world.opened("t").handle;
    Append command;
    SampleMeta meta;
    meta.id = {w1, {1}};
    command.batch.add(again, w2, {77}, meta, wall_at(1), Payload::borrowed(payload_of(9)));
    world.store->execute(std::move(command), world.out);
    world.sync();
    CHECK(numbers(world.kept(again)) == std::vector<std::int64_t>{3, 4});
    CHECK(world.committed(again, w2) == 77);
}

TEST_CASE("a writer that counts from the beginning again is not taken for its predecessor") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    for (int i = 1; i <= 3; ++i)
        world.append(topic, w1, i, payload_of(i));
    world.store->execute(WriterRestarted{topic, w1}, world.out);
    world.append(topic, w1, 1, payload_of(11));
    REQUIRE(world.reopen());
    const auto opened = world.opened("t");
    CHECK(numbers(world.kept(opened.handle)) == std::vector<std::int64_t>{1, 2, 3, 1});
    CHECK(opened.writers.at(0).last_stored.value == 1);
    world.append(opened.handle, w1, 2, payload_of(12));
    CHECK(world.kept(opened.handle).size() == 5);
}

TEST_CASE("KEEP_ALL refuses at its limit, says so, and the writer is not asked again") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_all(3)));
    for (int i = 1; i <= 5; ++i)
        world.append(topic, w1, i, payload_of(i));
    world.sync();
    CHECK(numbers(world.kept(topic)) == std::vector<std::int64_t>{1, 2, 3});
    CHECK(world.committed(topic, w1) == 5);
    CHECK(world.store->status().groups[0].rejected == 2);
    REQUIRE(world.find(EventKind::SampleRejected) != nullptr);
    CHECK(StoreWorld::field(*world.find(EventKind::SampleRejected), "limit") == "max_samples");
}

TEST_CASE("scope writer keeps a history for each writer, scope topic one for all") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    Contract contract = keep_last(1);
    contract.scope = ContractScope::writer;
    const GroupHandle statics = world.group(unkeyed_topic("tf_static", contract));
    const GroupHandle latched = world.group(unkeyed_topic("map", keep_last(1)));
    for (int i = 1; i <= 2; ++i) {
        for (const GroupHandle topic : {statics, latched}) {
            world.append(topic, w1, i, payload_of(1));
            world.append(topic, w2, i, payload_of(2));
        }
    }
    REQUIRE(world.reopen());
    const auto both = world.kept(world.opened("tf_static").handle);
    REQUIRE(both.size() == 2);
    CHECK(both[0].writer == w1);
    CHECK(both[1].writer == w2);
    const auto one = world.kept(world.opened("map").handle);
    REQUIRE(one.size() == 1);
    CHECK(one[0].writer == w2);
}

TEST_CASE(
    "a smaller contract by rule trims at once, for good, and the first writer's stays otherwise") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    GroupMeta meta = unkeyed_topic("t", keep_last(10));
    meta.contract_source = ContractSource::announced;
    const GroupHandle topic = world.group(meta);
    for (int i = 1; i <= 8; ++i)
        world.append(topic, w1, i, payload_of(i));
    meta.contract = keep_last(5);
    CHECK(world.group(meta) == topic);
    CHECK(world.opened("t").meta.contract.depth == 10);
    CHECK(world.kept(topic).size() == 8);
    meta.contract = keep_last(2);
    meta.contract_source = ContractSource::rule;
    CHECK(world.group(meta) == topic);
    CHECK(numbers(world.kept(topic)) == std::vector<std::int64_t>{7, 8});
    meta.contract = keep_last(10);
    CHECK(world.group(meta) == topic);
    world.drop();
    files.restart(PowerCut::keep_everything);
    REQUIRE(world.open());
    CHECK(numbers(world.kept(world.opened("t").handle)) == std::vector<std::int64_t>{7, 8});
    CHECK(world.opened("t").meta.contract.depth == 10);
}

TEST_CASE("a group's metadata is on disk before it is answered") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    GroupMeta meta = keyed_topic("../../etc/passwd\nx", keep_last(3));
    meta.key.partitions = {"a", "b/../c"};
    meta.qos.user_data = {1, 2, 3};
    meta.qos.durability_service.emplace().history.depth = 7;
    world.group(meta);
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open());
    REQUIRE(world.store->groups().size() == 1);
    CHECK(world.store->groups()[0].meta == meta);
    for (const std::string& path : files.files())
        CHECK(path.find("passwd") == std::string::npos);
}

TEST_CASE("the number of topics is bounded and a refusal leaves no trace") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.served_groups = 2;
    REQUIRE(world.open());
    world.group(unkeyed_topic("a", keep_last(1)));
    world.group(unkeyed_topic("b", keep_last(1)));
    const auto before = files.files();
    CHECK(world.group(unkeyed_topic("c", keep_last(1))) == ~GroupHandle{0});
    CHECK(world.error.code == Errc::resource_limit);
    CHECK(files.files() == before);
}

TEST_CASE("the total of samples refuses what would make it grow, not what replaces") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.total_samples = 2;
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(1)));
    world.append(topic, w1, 1, payload_of(1), key_of(1));
    world.append(topic, w1, 2, payload_of(2), key_of(2));
    world.append(topic, w1, 3, payload_of(3), key_of(3));  // refused
    world.append(topic, w1, 4, payload_of(4), key_of(1));  // replaces 1
    CHECK(numbers(world.kept(topic)) == std::vector<std::int64_t>{2, 4});
}

TEST_CASE("what must stay free on the disk stays free: the disk counts as full, and heals") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.reserve_disk = 1'000'000;
    world.options.limits.sample_size = 100'000;
    files.set_free_bytes(1'500'000);
    REQUIRE(world.open());
    const GroupHandle group = world.group(unkeyed_topic("t", keep_all()));
    const GroupHandle light = world.group([] {
        GroupMeta meta = unkeyed_topic("m", keep_all());
        meta.storage = StorageKind::memory;
        return meta;
    }());
    const Guid writer = writer_guid(1);
    world.append(group, writer, 1, payload_of(1, 90'000));
    world.sync();
    CHECK(world.committed(group, writer) == 1);
    files.set_free_bytes(1'050'000);
    world.tell(Sweep{wall_at(1'800'000'001), {}});
    const std::uint64_t before = files.total_bytes();
    world.append(group, writer, 2, payload_of(2, 90'000));
    world.append(group, writer, 3, payload_of(3, 10'000));
    world.sync();
    // It waits in memory, and can be read there.
    CHECK(world.committed(group, writer) == 1);
    CHECK(world.kept(group).size() == 3);
    CHECK(files.total_bytes() < before + 5'000);
    REQUIRE(world.count(EventKind::StoreDegraded) == 1);
    CHECK(StoreWorld::field(*world.find(EventKind::StoreDegraded), "reason").find("reserve_disk") !=
          std::string::npos);
    CHECK_FALSE(world.heal());
    // A topic in memory is not concerned.
    world.append(light, writer, 1, payload_of(1, 90'000));
    world.sync();
    CHECK(world.committed(light, writer) == 1);
    files.set_free_bytes(9'000'000);
    CHECK(world.heal());
    CHECK(world.committed(group, writer) == 3);
    CHECK(world.count(EventKind::SampleRejected) == 0);
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).size() == 3);
}

TEST_CASE("keyed samples whose key is unknown are never evicted for one another") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    Contract contract = keep_last(1);
    contract.max_samples = 3;
    const GroupHandle topic = world.group(keyed_topic("t", contract));
    for (int i = 1; i <= 3; ++i)
        world.append(topic, w1, i, payload_of(i));
    CHECK(world.kept(topic).size() == 3);
    world.append(topic, w1, 4, payload_of(4));
    CHECK(numbers(world.kept(topic)) == std::vector<std::int64_t>{2, 3, 4});
}

TEST_CASE("a number that was used is not used again, whatever was lost with its file") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    GroupMeta meta = unkeyed_topic("t", keep_last(5));
    meta.storage = StorageKind::memory;
    const GroupHandle topic = world.group(meta);
    world.append(topic, w1, 1, payload_of(1));
    const Arrival before = world.store->status().last_arrival;
    world.drop();
    files.restart(PowerCut::drop_unsynced);  // memory topics are gone with the power
    REQUIRE(world.open());
    const GroupHandle again = world.group(meta);
    CHECK(world.kept(again).empty());
    world.append(again, w1, 1, payload_of(1));
    CHECK(world.kept(again).at(0).arrival > before);
}

TEST_CASE("records: the last value wins, also after a restart and many changes") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    for (int i = 0; i < 20'000; ++i) {
        SaveRecord save{1,
                        RecordKind::counter,
                        Buffer{static_cast<std::uint8_t>(i % 3)},
                        payload_of(i, 40),
                        false};
        world.store->execute(std::move(save), world.out);
        if (i % 100 == 0) world.sync();
    }
    world.store->execute(EraseRecord{RecordKind::counter, Buffer{1}}, world.out);
    world.tell(SaveRecord{2, RecordKind::identity, {}, Buffer{7}, true});
    world.sync();
    CHECK(files.content("disk/records.log")->size() < 400'000);
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open());
    const auto counters = world.store->records(RecordKind::counter);
    REQUIRE(counters.size() == 2);
    CHECK(counters[0].value == payload_of(19'998, 40));
    CHECK(counters[1].value == payload_of(19'997, 40));
    CHECK(world.store->records(RecordKind::identity).at(0).value == Buffer{7});
}

TEST_CASE("a record that could not be read again is refused, and the others stay") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const auto save = [&](std::uint8_t key, std::size_t size) {
        world.out.clear();
        world.tell(SaveRecord{1, RecordKind::frontier, Buffer{key}, Buffer(size, 7), true});
        return std::get<RecordSaved>(world.out.at(0)).status.has_value();
    };
    CHECK(save(1, 10));
    CHECK(save(2, max_record_value));
    CHECK_FALSE(save(1, max_record_value + 1));
    REQUIRE(world.reopen());
    const auto records = world.store->records(RecordKind::frontier);
    REQUIRE(records.size() == 2);
    CHECK(records[0].value.size() == 10);
    CHECK(records[1].value.size() == max_record_value);
}

TEST_CASE("reading ends where the octets asked for end, after one sample at least") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle group = world.group(unkeyed_topic("t", keep_all()));
    std::vector<Arrival> arrivals;
    for (int i = 1; i <= 4; ++i)
        world.append(group, writer_guid(1), i, payload_of(i, 100));
    world.sync();
    for (const Kept& kept : world.kept(group))
        arrivals.push_back(kept.arrival);
    REQUIRE(arrivals.size() == 4);
    const auto answered = [&](std::size_t octets) {
        std::vector<Completion> out;
        world.store->execute(ReadSamples{1, group, arrivals, octets}, out);
        const auto& read = std::get<SamplesRead>(out.at(0));
        for (std::size_t i = 0; i < read.samples.size(); ++i) {
            CHECK(read.samples[i].arrival == arrivals[i]);
            CHECK(read.samples[i].retained);
        }
        return read.samples.size();
    };
    CHECK(answered(0) == 1);
    CHECK(answered(100) == 1);
    CHECK(answered(299) == 2);
    CHECK(answered(300) == 3);
    CHECK(answered(400) == 4);
}

TEST_CASE("a second store on the same folder is refused") {
    FaultyFileSystem files;
    StoreWorld first(files);
    REQUIRE(first.open());
    StoreWorld second(files);
    CHECK_FALSE(second.open());
    CHECK(second.error.code == Errc::in_use);
    first.drop();
    CHECK(second.open());
}

TEST_CASE("listing in pieces gives what listing at once gives") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    Contract contract = keep_last(50);
    contract.scope = GENERATE(ContractScope::topic, ContractScope::writer);
    const GroupHandle topic = world.group(unkeyed_topic("t", contract));
    for (int i = 1; i <= 40; ++i)
        world.append(topic, i % 3 == 0 ? w2 : w1, i, payload_of(i));
    std::vector<Arrival> pieces;
    Arrival from = 0;
    for (bool more = true; more;) {
        std::vector<Completion> answer;
        world.store->execute(ListSamples{1, topic, from, max_arrival, 7}, answer);
        const auto& list = std::get<SamplesListed>(answer.at(0));
        for (const ListedSample& sample : list.samples)
            pieces.push_back(sample.arrival);
        more = list.more;
        from = pieces.back() + 1;
    }
    std::vector<Arrival> all;
    for (const Kept& one : world.kept(topic))
        all.push_back(one.arrival);
    CHECK(pieces == all);
    CHECK(all.size() == 40);
}

TEST_CASE("files that are not ours are reported and stay") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    world.append(world.group(unkeyed_topic("t", keep_last(5))), w1, 1, payload_of(1));
    REQUIRE(world.close());
    files.put("disk/notes.txt", Buffer{'h', 'i'});
    const std::string folder = files.files().at(0).substr(0, 5 + 32);
    files.put(folder + "/backup.tar", Buffer{1});
    files.put(folder + "/checkpoint.tmp", Buffer{1});
    REQUIRE(world.open());
    CHECK(world.count(EventKind::ForeignFile) == 2);
    CHECK(files.content("disk/notes.txt") == Buffer{'h', 'i'});
    CHECK(files.content(folder + "/backup.tar") == Buffer{1});
    CHECK_FALSE(files.content(folder + "/checkpoint.tmp"));
    CHECK(world.kept(world.opened("t").handle).size() == 1);
}

TEST_CASE("status tells what was appended and what is known to be on disk, for each writer") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.sync = GENERATE(SyncPolicy::commit, SyncPolicy::interval, SyncPolicy::none);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    const Guid writer = writer_guid(1);
    const auto watermarks = [&] {
        const auto status = world.store->status().groups[0].writers.at(0);
        return std::pair(status.appended.value, status.synced.value);
    };
    using Marks = std::pair<std::int64_t, std::int64_t>;
    const bool synced = world.options.sync != SyncPolicy::none;
    world.append(topic, writer, 1, payload_of(1));
    world.append(topic, writer, 2, payload_of(2));
    CHECK(watermarks() == Marks(2, 0));
    if (!synced) {
        // Nobody asks the disk, so nothing is claimed about it.
        std::ignore = world.store->begin_sync(world.out);
        CHECK(watermarks() == Marks(2, 0));
        return;
    }
    world.sync();
    CHECK(watermarks() == Marks(2, 2));
    world.append(topic, writer, 3, payload_of(3));
    SyncJob job = world.store->begin_sync(world.out, true);
    Store::run(job);
    world.append(topic, writer, 4, payload_of(4));
    world.store->end_sync(std::move(job), world.out);
    CHECK(watermarks() == Marks(4, 3));
    files.fail_all(Call::sync, EIO);
    world.sync();
    CHECK(watermarks() == Marks(4, 3));
    files.fail_all(Call::sync, std::nullopt);
    CHECK(world.heal());
    CHECK(watermarks() == Marks(4, 4));
    world.append(topic, writer, 5, payload_of(5));
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open());
    CHECK(watermarks() == Marks(4, 4));
}

TEST_CASE("a store that is read later answers as its groups are read, the wanted ones first") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.segment_bytes = 4096;
    REQUIRE(world.open());
    Contract contract = keep_last(40);
    contract.cleanup_delay = std::chrono::seconds{10};
    std::map<std::string, std::vector<Kept>> expected;
    for (const std::string topic : {"a", "b", "c", "d"}) {
        const GroupHandle group = world.group(unkeyed_topic(topic, contract));
        for (std::uint8_t w = 1; w <= 3; ++w) {
            for (int i = 1; i <= 20; ++i)
                world.append(group, writer_guid(w), i, payload_of(i * 10 + w, 300));
        }
        world.tell(WriterGone{group, writer_guid(1), wall_at(1'800'000'000)});
        expected[topic] = world.kept(group);
        REQUIRE(expected[topic].size() == 40);
    }
    REQUIRE(world.close());
    world.options.load_later = true;
    REQUIRE(world.open());
    CHECK(world.store->groups().size() == 4);
    CHECK(world.store->status().groups.empty());

    world.out.clear();
    world.store->execute(OpenGroup{1, unkeyed_topic("d", contract)}, world.out);
    world.store->execute(OpenGroup{2, unkeyed_topic("b", contract)}, world.out);
    world.store->execute(OpenGroup{3, unkeyed_topic("new", contract)}, world.out);
    // Nothing expires while there is more to be read.
    world.store->execute(Sweep{wall_at(1'800'000'100), {}}, world.out);
    int slices = 0;
    const auto opened = [&] {
        std::vector<std::uint64_t> tickets;
        for (const Completion& item : world.out) {
            if (const auto* group = std::get_if<GroupOpened>(&item))
                tickets.push_back(group->ticket);
        }
        return tickets;
    };
    while (opened().empty() && world.store->work_due() && ++slices < 100)
        world.store->do_slice(world.out);
    CHECK(opened() == std::vector<std::uint64_t>{1});
    CHECK(slices > 3);
    CHECK(world.kept(world.opened("d").handle) == expected["d"]);
    // One that is read is served while others are not.
    world.append(world.opened("d").handle, writer_guid(2), 21, payload_of(7));
    world.sync();
    CHECK(world.committed(world.opened("d").handle, writer_guid(2)) == 21);
    CHECK(opened() == std::vector<std::uint64_t>{1, 3});
    while (world.store->work_due() && ++slices < 200)
        world.store->do_slice(world.out);
    CHECK(opened() == std::vector<std::uint64_t>{1, 3, 2});
    for (const std::string topic : {"a", "b", "c"})
        CHECK(world.kept(world.opened(topic).handle) == expected[topic]);
    const auto last =
        std::find_if(world.out.rbegin(), world.out.rend(), [](const Completion& item) {
            return std::holds_alternative<LoadProgress>(item);
        });
    REQUIRE(last != world.out.rend());
    CHECK(std::get<LoadProgress>(*last).loaded == 4);
    CHECK(std::get<LoadProgress>(*last).groups == 4);
    world.tell(Sweep{wall_at(1'800'000'100), {}});
    CHECK(world.count(EventKind::WriterExpired) == 4);
}

TEST_CASE("a newer file among those read later ends the reading, by name, and is not touched") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle group = world.group(unkeyed_topic("t", keep_last(10)));
    world.append(group, writer_guid(1), 1, payload_of(1));
    REQUIRE(world.close());
    std::string path;
    for (const std::string& file : files.files()) {
        if (file.ends_with(".log") && !file.ends_with("records.log")) path = file;
    }
    Buffer content = *files.content(path);
    world.options.load_later = true;
    SECTION("by its header") {
        content[8] = 9;
        const std::uint32_t sum = crc32c(ByteView(content).first(60));
        for (unsigned i = 0; i < 4; ++i)
            content[60 + i] = static_cast<std::uint8_t>(sum >> (8 * i));
        files.put(path, content);
        CHECK_FALSE(world.open());
        CHECK(world.error.code == Errc::version);
        CHECK(world.error.detail.find(path) != std::string::npos);
    }
    SECTION("by a frame") {
        Buffer frame;
        encode_frame(static_cast<FrameKind>(77), 0, Buffer(8, 1), frame);
        content.insert(content.end(), frame.begin(), frame.end());
        files.put(path, content);
        REQUIRE(world.open());
        world.out.clear();
        while (world.store->work_due())
            world.store->do_slice(world.out);
        REQUIRE(world.out.size() == 1);
        const auto& load = std::get<LoadProgress>(world.out[0]);
        REQUIRE_FALSE(load.status);
        CHECK(load.status.error().code == Errc::version);
        CHECK(load.status.error().detail.find(path) != std::string::npos);
    }
    world.drop();
    CHECK(files.content(path) == content);
}
