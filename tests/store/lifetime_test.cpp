// What goes when: retired writers, ended instances, lifespans, dead bytes.
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);
constexpr std::int64_t t0 = 1'800'000'000;

Contract with_delay(Contract contract, std::int64_t seconds) {
    contract.cleanup_delay = std::chrono::seconds{seconds};
    return contract;
}

MonoTime mono_at(std::int64_t seconds) {
    return MonoTime{std::chrono::seconds{seconds}};
}

bool disk_holds(const FaultyFileSystem& files, const Buffer& payload) {
    for (const std::string& path : files.files()) {
        const Buffer content = files.content(path).value();
        if (std::search(content.begin(), content.end(), payload.begin(), payload.end()) !=
            content.end()) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE(
    "a retired writer's history stays for the delay, over restarts, and then leaves the disk") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(unkeyed_topic("t", with_delay(keep_last(10), 60)));
    world.append(topic, w1, 1, payload_of(1));
    world.store->execute(WriterGone{topic, w1, wall_at(t0)}, world.out);
    CHECK(world.count(EventKind::WriterRetired) == 0);  // not before the marker is on disk
    world.sync();
    CHECK(world.count(EventKind::WriterRetired) == 1);
    world.append(topic, w2, 1, payload_of(2));
    world.drop();
    files.restart(PowerCut::drop_unsynced);  // the marker is on disk before anything else
    REQUIRE(world.open(wall_at(t0 + 30)));
    const GroupHandle again = world.opened("t").handle;
    CHECK(world.kept(again).size() == 1);  // w2's sample was never synced
    world.tell(Sweep{wall_at(t0 + 59), {}});
    CHECK(world.kept(again).size() == 1);
    world.tell(Sweep{wall_at(t0 + 60), {}});
    CHECK(world.kept(again).empty());
    CHECK(world.count(EventKind::WriterExpired) == 1);
    CHECK_FALSE(disk_holds(files, payload_of(1)));
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).empty());
    CHECK(world.store->status().retired_writers == 0);
}

TEST_CASE("delay zero removes at once, an infinite delay never, and a writer may come back") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle zero = world.group(unkeyed_topic("zero", with_delay(keep_last(10), 0)));
    const GroupHandle never = world.group(unkeyed_topic("never", keep_last(10)));
    const GroupHandle finite = world.group(unkeyed_topic("finite", with_delay(keep_last(10), 5)));
    for (const GroupHandle topic : {zero, never, finite}) {
        world.append(topic, w1, 1, payload_of(1));
        world.tell(WriterGone{topic, w1, wall_at(t0)});
    }
    CHECK(world.kept(zero).empty());
    world.tell(WriterBack{finite, w1});
    REQUIRE(world.reopen());
    world.tell(Sweep{wall_at(t0 + 1'000'000), {}});
    CHECK(world.kept(world.opened("zero").handle).empty());
    CHECK(world.kept(world.opened("never").handle).size() == 1);
    CHECK(world.kept(world.opened("finite").handle).size() == 1);
    CHECK_FALSE(world.opened("finite").writers.at(0).retired);
    CHECK(world.opened("never").writers.at(0).retired);
}

TEST_CASE("with no free slot the retirement is refused and reported, the history kept") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.retired_writers = 1;
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    for (int round = 1; round <= 3; ++round) {
        for (const Guid& writer : {w1, w2}) {
            world.append(topic, writer, round, payload_of(round));
            world.tell(WriterGone{topic, writer, wall_at(t0)});
        }
        CHECK(world.count(EventKind::ResourceLimit) == static_cast<std::size_t>(round));
        CHECK(world.store->status().retired_writers == 1);
        CHECK(world.kept(topic).size() == static_cast<std::size_t>(2 * round));
        world.tell(WriterBack{topic, w1});
        CHECK(world.store->status().retired_writers == 0);
    }
}

TEST_CASE("a retired writer of which nothing is retained gives its slot to another") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.limits.retired_writers = 1;
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(1)));
    for (std::uint8_t i = 1; i <= 20; ++i) {
        world.append(topic, writer_guid(i), 1, payload_of(i));
        world.tell(WriterGone{topic, writer_guid(i), wall_at(t0)});
    }
    CHECK(world.kept(topic).size() == 1);
    CHECK(world.opened("t").writers.size() <= 3);
}

TEST_CASE("a clock that steps neither expires early nor keeps for ever") {
    FaultyFileSystem files;
    StoreWorld world(files);
    SECTION("a robot that boots in 1970 and then learns the time") {
        REQUIRE(world.open(wall_at(10)));
        const GroupHandle topic = world.group(unkeyed_topic("t", with_delay(keep_last(5), 3600)));
        world.tell(Sweep{wall_at(10), mono_at(10)});
        world.append(topic, w1, 1, payload_of(1), {}, Lifecycle::data, wall_at(11));
        world.tell(WriterGone{topic, w1, wall_at(20)});
        world.tell(Sweep{wall_at(t0), mono_at(30)});  // the step
        CHECK(world.kept(topic).size() == 1);
        world.tell(Sweep{wall_at(t0 + 3000), mono_at(3030)});
        CHECK(world.kept(topic).size() == 1);
        // The moved date is on disk as well.
        REQUIRE(world.close());
        REQUIRE(world.open(wall_at(t0 + 3100)));
        world.tell(Sweep{wall_at(t0 + 3100), mono_at(5)});
        CHECK(world.kept(world.opened("t").handle).size() == 1);
        world.tell(Sweep{wall_at(t0 + 3700), mono_at(605)});
        CHECK(world.kept(world.opened("t").handle).empty());
    }
    SECTION("a restart with the clock in 1970") {
        REQUIRE(world.open(wall_at(t0)));
        const GroupHandle topic = world.group(unkeyed_topic("t", with_delay(keep_last(5), 3600)));
        world.append(topic, w1, 1, payload_of(1), {}, Lifecycle::data, wall_at(t0));
        world.tell(WriterGone{topic, w1, wall_at(t0)});
        REQUIRE(world.close());
        REQUIRE(world.open(wall_at(5)));
        const GroupHandle again = world.opened("t").handle;
        world.tell(Sweep{wall_at(5), mono_at(1)});
        CHECK(world.kept(again).size() == 1);
        // The time never becomes known: then this run has to last for the whole delay.
        world.tell(Sweep{wall_at(3000), mono_at(2996)});
        CHECK(world.kept(again).size() == 1);
        world.tell(Sweep{wall_at(3610), mono_at(3606)});
        CHECK(world.kept(again).empty());
    }
}

TEST_CASE("a disposed instance goes after the delay, one written again stays") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(keyed_topic("t", with_delay(keep_last(3), 10)));
    world.append(topic, w1, 1, payload_of(1), key_of(1));
    world.append(topic, w1, 2, {}, key_of(1), Lifecycle::dispose, wall_at(t0));
    world.append(topic, w1, 3, payload_of(3), key_of(2));
    world.append(topic, w1, 4, {}, key_of(2), Lifecycle::dispose, wall_at(t0));
    world.append(topic, w1, 5, payload_of(5), key_of(2), Lifecycle::data, wall_at(t0));
    REQUIRE(world.reopen());
    const GroupHandle again = world.opened("t").handle;
    CHECK(world.kept(again).size() == 5);
    world.tell(Sweep{wall_at(t0 + 9), {}});
    CHECK(world.kept(again).size() == 5);
    world.tell(Sweep{wall_at(t0 + 10), {}});
    CHECK(world.kept(again).size() == 3);
    world.work();
    CHECK_FALSE(disk_holds(files, payload_of(1)));
    CHECK(disk_holds(files, payload_of(5)));
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).size() == 3);
}

TEST_CASE("an unregistered instance goes only when no writer is left in it") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(keyed_topic("t", with_delay(keep_last(5), 10)));
    world.append(topic, w1, 1, payload_of(1), key_of(1));
    world.append(topic, w2, 1, payload_of(2), key_of(1));
    world.append(topic, w1, 2, {}, key_of(1), Lifecycle::unregister, wall_at(t0));
    world.append(topic, w1, 3, payload_of(3), key_of(2));
    world.append(topic, w1, 4, {}, key_of(2), Lifecycle::unregister, wall_at(t0));
    world.tell(Sweep{wall_at(t0 + 11), {}});
    CHECK(world.kept(topic).size() == 3);
}

TEST_CASE("a sample whose lifespan is over is gone with the next sweep") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    GroupMeta meta = unkeyed_topic("t", keep_last(10));
    meta.qos.lifespan = {100, 0};
    const GroupHandle topic = world.group(meta);
    world.append(topic, w1, 1, payload_of(1), {}, Lifecycle::data, wall_at(t0));
    world.append(topic, w1, 2, payload_of(2), {}, Lifecycle::data, wall_at(t0 + 50));
    world.tell(Sweep{wall_at(t0 + 100), {}});
    REQUIRE(world.kept(topic).size() == 1);
    CHECK(world.kept(topic)[0].number == 2);
}

TEST_CASE("a topic with a quota of bytes keeps the youngest that fit, also after a restart") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    Contract contract = keep_last(1'000);
    contract.max_bytes = 1'000;
    const GroupMeta meta = unkeyed_topic("t", contract);
    GroupHandle topic = world.group(meta);
    for (int i = 1; i <= 50; ++i)
        world.append(topic, w1, i, payload_of(i, 100));
    CHECK(world.kept(topic).size() == 10);
    // Alone it is above the quota: refused, and nothing had to go for it.
    world.append(topic, w1, 51, payload_of(51, 1'001));
    CHECK(world.kept(topic).size() == 10);
    CHECK(world.store->status().groups.at(0).rejected == 1);
    world.append(topic, w1, 52, payload_of(52, 950));
    REQUIRE(world.kept(topic).size() == 1);
    world.sync();
    REQUIRE(world.reopen());
    topic = world.group(meta);
    REQUIRE(world.kept(topic).size() == 1);
    CHECK(world.kept(topic)[0].number == 52);

    contract.max_bytes = 900;
    GroupMeta smaller = unkeyed_topic("t", contract);
    smaller.contract_source = ContractSource::rule;
    CHECK(world.kept(world.group(smaller)).empty());
}

TEST_CASE("KEEP_ALL at its quota of bytes refuses what is new") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    Contract contract = keep_all();
    contract.max_bytes = 250;
    const GroupHandle topic = world.group(unkeyed_topic("t", contract));
    for (int i = 1; i <= 5; ++i)
        world.append(topic, w1, i, payload_of(i, 100));
    const auto kept = world.kept(topic);
    REQUIRE(kept.size() == 2);
    CHECK(kept[1].number == 2);
    CHECK(world.store->status().groups.at(0).rejected == 3);
}

TEST_CASE("what is older than max_age goes with the next sweep, nothing before its time") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        FaultyFileSystem files;
        StoreWorld world(files);
        REQUIRE(world.open(wall_at(t0)));
        Contract contract = keep_all();
        contract.max_age = std::chrono::seconds{640};
        const GroupMeta meta = unkeyed_topic("t", contract);
        GroupHandle topic = world.group(meta);
        for (int i = 0; i < 1'000; ++i) {
            const WallTime received = wall_at(t0 + i);
            world.append(topic, w1, i + 1, payload_of(i), {}, Lifecycle::data, received);
        }
        world.sync();
        if (restarts) {
            REQUIRE(world.reopen());
            topic = world.group(meta);
        }
        for (const std::int64_t at : {1'000, 1'100, 1'400, 1'639, 1'640}) {
            CAPTURE(at);
            world.tell(Sweep{wall_at(t0 + at), mono_at(at)});
            const auto kept = world.kept(topic);
            // Sample n was received at n - 1.
            const std::int64_t oldest = at - 640 + 1;
            if (oldest >= 1'000) {
                CHECK(kept.empty());
                continue;
            }
            REQUIRE_FALSE(kept.empty());
            CHECK(kept.front().number <= oldest + 1);
            CHECK(kept.front().number >= oldest - 11);
            CHECK(kept.back().number == 1'000);
        }
        // Nothing of it comes back.
        REQUIRE(world.reopen());
        CHECK(world.kept(world.group(meta)).empty());
    }
}

TEST_CASE("the age of samples follows a clock that steps") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(0)));
    Contract contract = keep_all();
    contract.max_age = std::chrono::seconds{600};
    const GroupHandle topic = world.group(unkeyed_topic("t", contract));
    const auto sweep = [&](std::int64_t wall, std::int64_t mono) {
        world.tell(Sweep{wall_at(wall), mono_at(mono)});
    };
    // Booted in 1970; then the time becomes known.
    sweep(0, 1'000);
    world.append(topic, w1, 1, payload_of(1), {}, Lifecycle::data, wall_at(10));
    sweep(30, 1'030);
    sweep(t0, 1'060);
    CHECK(world.kept(topic).size() == 1);
    sweep(t0 + 500, 1'560);
    CHECK(world.kept(topic).size() == 1);
    sweep(t0 + 600, 1'660);
    CHECK(world.kept(topic).empty());
}

TEST_CASE("an age set later counts for what was there, one taken away keeps the rest") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    GroupMeta meta = unkeyed_topic("t", keep_all());
    meta.contract_source = ContractSource::rule;
    world.append(world.group(meta), w1, 1, payload_of(1), {}, Lifecycle::data, wall_at(t0));
    world.sync();
    REQUIRE(world.reopen());
    meta.contract.max_age = std::chrono::seconds{100};
    GroupHandle topic = world.group(meta);
    world.append(topic, w1, 2, payload_of(2), {}, Lifecycle::data, wall_at(t0 + 90));
    world.tell(Sweep{wall_at(t0 + 110), mono_at(10)});
    REQUIRE(world.kept(topic).size() == 1);
    CHECK(world.kept(topic)[0].number == 2);
    meta.contract.max_age = std::chrono::nanoseconds::max();
    topic = world.group(meta);
    world.tell(Sweep{wall_at(t0 + 9'999), mono_at(9'899)});
    CHECK(world.kept(topic).size() == 1);
}

TEST_CASE(
    "KEEP_LAST 1 under 200,000 appends keeps disk and memory in bounds, and every number known") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.compaction_floor = 64U << 10U;
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(1)));
    std::uint64_t most = 0;
    for (int i = 1; i <= 200'000;) {
        Append command;
        for (int n = 0; n < 200; ++n, ++i) {
            SampleMeta meta;
            meta.id = {w1, {i}};
            command.batch.add(
                topic, w1, {i}, meta, wall_at(t0), Payload::borrowed(payload_of(i, 40)));
        }
        world.store->execute(std::move(command), world.out);
        world.sync();
        world.work();
        most = std::max(most, files.total_bytes());
    }
    CHECK(most < 1'000'000);
    CHECK(world.kept(topic).size() == 1);
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open());
    const auto opened = world.opened("t");
    CHECK(world.kept(opened.handle).at(0).number == 200'000);
    CHECK(opened.writers.at(0).last_stored.value == 200'000);
    world.append(opened.handle, w1, 3, payload_of(3));
    CHECK(world.kept(opened.handle).at(0).number == 200'000);
}

TEST_CASE("the history kept live and the history recovered are the same, whatever happened") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        std::mt19937_64 random(seed);
        FaultyFileSystem files;
        StoreWorld world(files);
        world.options.compaction_floor = 200;
        world.options.segment_bytes = 4096;
        REQUIRE(world.open(wall_at(t0)));
        Contract contract = keep_last(1 + random() % 4);
        if (random() % 2 == 0) contract.max_samples = 5 + random() % 40;
        if (random() % 2 == 0) contract.max_instances = 1 + random() % 6;
        if (random() % 5 == 0) contract.history = ContractHistory::keep_all;
        if (random() % 3 == 0) contract.scope = ContractScope::writer;
        contract = with_delay(contract, 50);
        GroupHandle topic = world.group(keyed_topic("t", contract));
        std::map<Guid, std::int64_t> numbers;
        std::int64_t now = t0;
        for (int step = 0; step < 300; ++step) {
            INFO("seed " << seed << " step " << step);
            const Guid writer = writer_guid(static_cast<std::uint8_t>(1 + random() % 3));
            const auto dice = random() % 100;
            now += static_cast<std::int64_t>(random() % 3);
            if (dice < 80) {
                const bool ends = random() % 8 == 0;
                world.append(topic,
                             writer,
                             ++numbers[writer],
                             ends ? Buffer{} : payload_of(step, 60),
                             key_of(static_cast<std::uint32_t>(random() % 8)),
                             ends ? static_cast<Lifecycle>(1 + random() % 3) : Lifecycle::data,
                             wall_at(now));
            } else if (dice < 84) {
                world.store->execute(WriterGone{topic, writer, wall_at(now)}, world.out);
            } else if (dice < 86) {
                world.store->execute(WriterBack{topic, writer}, world.out);
            } else if (dice < 90) {
                world.store->execute(Sweep{wall_at(now), {}}, world.out);
            } else if (dice < 95) {
                world.work();
            } else {
                const auto before = world.kept(topic);
                if (random() % 2 == 0) {
                    REQUIRE(world.close());
                } else {
                    world.sync();
                    world.drop();
                    files.restart(random() % 2 == 0 ? PowerCut::drop_unsynced
                                                    : PowerCut::keep_everything);
                }
                REQUIRE(world.open(wall_at(now)));
                topic = world.opened("t").handle;
                REQUIRE(world.kept(topic) == before);
                REQUIRE(world.count(EventKind::CorruptLog) == 0);
                REQUIRE(world.count(EventKind::TornTailTruncated) == 0);
            }
        }
    }
}
