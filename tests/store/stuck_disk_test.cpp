// A disk that does not answer: nothing but its own promises waits for it.
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <cerrno>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);

GroupMeta in_memory(std::string topic) {
    GroupMeta meta = unkeyed_topic(std::move(topic), keep_last(100));
    meta.storage = StorageKind::memory;
    return meta;
}

std::uint64_t calls_to_sync(const FaultyFileSystem& files) {
    return files.calls(Call::sync) + files.calls(Call::sync_directory);
}

}  // namespace

TEST_CASE("after the start only jobs wait for the disk") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.segment_bytes = 4096;
    world.options.compaction_floor = 300;
    REQUIRE(world.open());
    Contract contract = keep_last(3);
    contract.cleanup_delay = std::chrono::seconds{10};
    const GroupHandle topic = world.group(unkeyed_topic("t", contract));
    const auto without_jobs = [&](auto what) {
        const std::uint64_t before = calls_to_sync(files);
        what();
        CHECK(calls_to_sync(files) == before);
    };
    for (int round = 0; round < 20; ++round) {
        without_jobs([&] {
            for (int i = 1; i <= 30; ++i)
                world.append(topic, w1, 30 * round + i, payload_of(i, 100));
            world.append(
                topic, writer_guid(static_cast<std::uint8_t>(10 + round)), 1, payload_of(1));
            while (world.store->work_due())
                world.store->do_slice(world.out);
            world.store->execute(WriterGone{topic, w1, wall_at(1'800'000'000)}, world.out);
            world.store->execute(WriterBack{topic, w1}, world.out);
            world.store->execute(PurgeSamples{1, topic, w2, {}}, world.out);
            world.store->execute(CompactGroup{1, topic}, world.out);
            world.store->execute(
                SaveRecord{1, RecordKind::frontier, Buffer{1}, payload_of(round, 30'000), true},
                world.out);
            world.store->execute(Sweep{wall_at(1'800'000'000 + round), {}}, world.out);
            world.store->execute(OpenGroup{7, unkeyed_topic("t" + std::to_string(round), contract)},
                                 world.out);
            std::ignore = world.kept(topic);
            world.store->idle(world.out);
            world.store->settle(world.out);
        });
        SyncJob job = world.store->begin_sync(world.out);
        without_jobs([&] { world.store->settle(world.out); });
        Store::run(job);
        without_jobs([&] { world.store->end_sync(std::move(job), world.out); });
    }
    world.work();
    CHECK(world.store->status().compactions > 0);
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).size() == 3);
}

TEST_CASE("while a job hangs, a memory topic is opened and committed, and what is stored is read") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle disk = world.group(unkeyed_topic("disk", keep_last(100)));
    world.append(disk, w1, 1, payload_of(1));
    world.sync();
    world.append(disk, w1, 2, payload_of(2));
    SyncJob hanging = world.store->begin_sync(world.out);
    REQUIRE_FALSE(hanging.empty());

    world.store->execute(OpenGroup{9, in_memory("memory")}, world.out);
    world.store->settle(world.out);
    const auto* opened = std::get_if<GroupOpened>(&world.out.back());
    REQUIRE(opened != nullptr);
    REQUIRE(opened->result);
    const GroupHandle memory = opened->result->handle;
    world.append(memory, w2, 1, payload_of(3));
    world.append(disk, w1, 3, payload_of(4));
    world.store->settle(world.out);
    CHECK(world.committed(memory, w2) == 1);
    CHECK(world.committed(disk, w1) == 1);
    CHECK(world.kept(disk).size() == 3);
    CHECK(world.kept(memory).size() == 1);

    SECTION("records are answered at last, and the disk is reported once") {
        world.store->execute(SaveRecord{4, RecordKind::frontier, Buffer{1}, Buffer{2}, true},
                             world.out);
        world.store->on_slow_disk(false, world.out);
        const auto* saved = std::get_if<RecordSaved>(&world.out.back());
        REQUIRE(saved != nullptr);
        CHECK(saved->status.error().code == Errc::unavailable);
        world.store->on_slow_disk(true, world.out);
        world.store->on_slow_disk(true, world.out);
        CHECK(world.count(EventKind::StoreDegraded) == 1);
        CHECK(world.store->status().groups[0].degraded);
        CHECK_FALSE(world.store->status().groups[1].degraded);
    }
    Store::run(hanging);
    world.store->end_sync(std::move(hanging), world.out);
    CHECK(world.count(EventKind::StoreDegraded) == world.count(EventKind::StoreRecovered));
    CHECK_FALSE(world.store->status().groups[0].degraded);
    CHECK(world.committed(disk, w1) == 2);
    world.sync();
    CHECK(world.committed(disk, w1) == 3);
}

TEST_CASE("what waits for the disk is bounded: the topics it belongs to are told, and told again") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.uncommitted_bytes = 64U << 10U;
    REQUIRE(world.open());
    const GroupHandle busy = world.group(unkeyed_topic("busy", keep_last(1000)));
    const GroupHandle quiet = world.group(unkeyed_topic("quiet", keep_last(1000)));
    world.sync();
    world.out.clear();
    const auto backlogs = [&](GroupHandle group) {
        std::vector<bool> told;
        for (const Completion& item : world.out) {
            const auto* backlog = std::get_if<GroupBacklog>(&item);
            if (backlog != nullptr && backlog->group == group) told.push_back(backlog->full);
        }
        return told;
    };
    SyncJob hanging;
    int number = 0;
    while (backlogs(busy).empty() && number < 1000) {
        ++number;
        world.append(busy, w1, number, payload_of(number, 1000));
        if (number == 1) hanging = world.store->begin_sync(world.out);
    }
    CHECK(number > 60);
    CHECK(number < 80);
    CHECK(backlogs(quiet).empty());
    world.append(quiet, w1, 1, payload_of(1));
    CHECK(backlogs(quiet) == std::vector{true});
    CHECK(backlogs(busy) == std::vector{true});
    Store::run(hanging);
    world.store->end_sync(std::move(hanging), world.out);
    world.sync();
    CHECK(backlogs(busy) == std::vector{true, false});
    CHECK(backlogs(quiet) == std::vector{true, false});
    CHECK(world.committed(busy, w1) == number);
}

TEST_CASE("a folder that is moved away underneath is noticed, and what is written waits for it") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(100)));
    world.append(topic, w1, 1, payload_of(1));
    world.sync();
    files.set_displaced(true);
    world.append(topic, w1, 2, payload_of(2));
    world.sync();
    CHECK(world.committed(topic, w1) == 1);
    REQUIRE(world.count(EventKind::StoreDegraded) == 1);
    CHECK(
        StoreWorld::field(*world.find(EventKind::StoreDegraded), "reason").find("disk was moved") !=
        std::string::npos);
    CHECK_FALSE(world.heal());
    CHECK(world.group(unkeyed_topic("other", keep_last(1))) == ~GroupHandle{0});
    CHECK(world.kept(topic).size() == 2);
    files.set_displaced(false);
    CHECK(world.heal());
    CHECK(world.committed(topic, w1) == 2);
    CHECK(world.count(EventKind::StoreRecovered) == 1);
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).size() == 2);
}

TEST_CASE("a segment that begins while the one before is not safe repeats what that may lose") {
    // Which of the two segments reaches the disk, if any.
    const auto lost = GENERATE(0, 1, 2);
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.segment_bytes = 4096;
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(1000)));
    int number = 0;
    const auto segments = [&] {
        std::vector<std::string> found;
        for (const std::string& path : files.files()) {
            if (path.ends_with(".log") && !path.ends_with("records.log")) found.push_back(path);
        }
        return found;
    };
    while (segments().size() < 2) {
        ++number;
        world.append(topic, w1, number, payload_of(number, 200));
    }
    ++number;
    world.append(topic, w1, number, payload_of(number, 200));
    const auto before = world.kept(topic);
    world.drop();
    const Buffer first = *files.content(segments()[0]);
    const Buffer second = *files.content(segments()[1]);
    const std::string first_path = segments()[0];
    const std::string second_path = segments()[1];
    files.restart(PowerCut::keep_everything);
    // The old one without what was not synced: nothing of it was.
    if (lost == 1) files.put(first_path, Buffer(first.begin(), first.begin() + 64));
    if (lost == 2) files.put(second_path, {});
    REQUIRE(world.open());
    const GroupHandle again = world.opened("t").handle;
    const auto after = world.kept(again);
    if (lost != 2) {
        CHECK(after == before);
    } else {
        CHECK(after.size() + 2 >= before.size());
    }
    // Whatever is not there is stored when the writer repeats it; nothing twice.
    for (int i = 1; i <= number; ++i)
        world.append(again, w1, i, payload_of(i, 200));
    const auto repeated = world.kept(again);
    CHECK(repeated.size() == static_cast<std::size_t>(number));
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle) == repeated);
}
