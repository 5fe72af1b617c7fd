// The promise at every instant: a scripted day in the life of a store, with the power cut, or one
// call failing, at each of its calls in turn.
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);
constexpr std::int64_t t0 = 1'800'000'000;

Contract contract_of_latest() {
    Contract contract = keep_last(2);
    contract.cleanup_delay = std::chrono::seconds{100};
    return contract;
}

// What was promised so far: the greatest number committed for each writer of each topic.
struct Promise {
    std::int64_t latest1{0};
    std::int64_t latest2{0};
    std::int64_t all1{0};
    bool gone_reported{false};
};

void note(const StoreWorld& world, GroupHandle latest, GroupHandle all, Promise& promise) {
    promise.latest1 = std::max(promise.latest1, world.committed(latest, w1));
    promise.latest2 = std::max(promise.latest2, world.committed(latest, w2));
    promise.all1 = std::max(promise.all1, world.committed(all, w1));
}

// Ends early when the store cannot be opened or a topic cannot be. Numbers sent are up to `sent`.
struct Sent {
    std::int64_t latest1{0};
    std::int64_t latest2{0};
    std::int64_t all1{0};
};

void run_script(StoreWorld& world, Promise& promise, Sent& sent) {
    if (!world.open(wall_at(t0))) return;
    const GroupHandle latest = world.group(unkeyed_topic("latest", contract_of_latest()));
    const GroupHandle all = world.group(unkeyed_topic("all", keep_all()));
    if (latest == ~GroupHandle{0} || all == ~GroupHandle{0}) return;
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 4; ++i) {
            ++sent.latest1;
            world.append(latest, w1, sent.latest1, payload_of(sent.latest1, 50));
            ++sent.all1;
            world.append(all, w1, sent.all1, payload_of(1000 + sent.all1, 50));
        }
        ++sent.latest2;
        world.append(latest, w2, sent.latest2, payload_of(500 + sent.latest2, 50));
        world.sync();
        note(world, latest, all, promise);
        world.work();
        if (round == 2) world.store->execute(WriterGone{latest, w2, wall_at(t0)}, world.out);
        if (round == 3) world.store->execute(WriterBack{latest, w2}, world.out);
        if (round == 4) world.store->execute(Sweep{wall_at(t0 + 1), {}}, world.out);
        world.work();
        if (world.store->degraded()) world.store->retry(world.out);
        world.sync();
        note(world, latest, all, promise);
        world.store->idle(world.out);
    }
    world.sync();
    note(world, latest, all, promise);
    std::ignore = world.store->close(world.out);
}

void small_files(StoreWorld& world) {
    world.options.segment_bytes = 4096;
    world.options.compaction_floor = 300;
}

// Every committed sample of the topic that keeps all is there once, in order and unchanged; the
// other topic ends with nothing older than what was committed last.
void check_promise(StoreWorld& world, const Promise& promise, const Sent& sent) {
    const GroupHandle all = world.opened("all").handle;
    const GroupHandle latest = world.opened("latest").handle;
    if (promise.all1 > 0) {
        REQUIRE(all != ~GroupHandle{0});
        const auto kept = world.kept(all);
        REQUIRE(static_cast<std::int64_t>(kept.size()) >= promise.all1);
        REQUIRE(static_cast<std::int64_t>(kept.size()) <= sent.all1);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            REQUIRE(kept[i].number == static_cast<std::int64_t>(i + 1));
            REQUIRE(kept[i].payload == payload_of(1000 + kept[i].number, 50));
        }
    }
    if (promise.latest1 > 0) {
        REQUIRE(latest != ~GroupHandle{0});
        for (const Kept& one : world.kept(latest)) {
            const bool first = one.writer == w1;
            REQUIRE(one.payload == payload_of(first ? one.number : 500 + one.number, 50));
        }
        for (const KnownWriter& writer : world.opened("latest").writers) {
            const std::int64_t committed =
                writer.source_writer == w1 ? promise.latest1 : promise.latest2;
            REQUIRE(writer.last_stored.value >= committed);
        }
        const auto kept = world.kept(latest);
        REQUIRE(kept.size() == 2);
        // KEEP_LAST 2 over both writers: of w1 at least the last committed but one, unless w2
        // pushed it.
        std::int64_t newest = 0;
        for (const Kept& one : kept) {
            if (one.writer == w1) newest = std::max(newest, one.number);
        }
        if (newest != 0) REQUIRE(newest >= promise.latest1);
    }
}

std::uint64_t calls_of_script() {
    FaultyFileSystem files;
    StoreWorld world(files);
    small_files(world);
    Promise promise;
    Sent sent;
    run_script(world, promise, sent);
    REQUIRE(promise.all1 == sent.all1);
    REQUIRE(world.count(EventKind::StoreDegraded) == 0);
    return files.calls();
}

}  // namespace

TEST_CASE(
    "the power may go at any call: what was committed is there afterwards, once and in order") {
    const std::uint64_t calls = calls_of_script();
    REQUIRE(calls > 100);
    for (const PowerCut cut :
         {PowerCut::drop_unsynced, PowerCut::keep_everything, PowerCut::mangle}) {
        for (std::uint64_t number = 1; number <= calls; ++number) {
            FaultyFileSystem files;
            files.power_off_at(number);
            Promise promise;
            Sent sent;
            {
                StoreWorld world(files);
                small_files(world);
                run_script(world, promise, sent);
            }
            files.restart(cut, number);
            StoreWorld world(files);
            small_files(world);
            INFO("cut " << static_cast<int>(cut) << " at call " << number << " of " << calls);
            REQUIRE(world.open(wall_at(t0 + 10)));
            REQUIRE(world.count(EventKind::CorruptLog) == 0);
            check_promise(world, promise, sent);
            // It goes on: new samples are stored and found again.
            const GroupHandle all = world.group(unkeyed_topic("all", keep_all()));
            const auto before = world.kept(all).size();
            world.append(all, w2, 1, payload_of(7));
            REQUIRE(world.reopen());
            REQUIRE(world.kept(world.opened("all").handle).size() == before + 1);
            for (const std::string& path : files.files())
                REQUIRE_FALSE(path.ends_with(".tmp"));
        }
    }
}

TEST_CASE("the power may go again while the store recovers") {
    FaultyFileSystem first;
    Promise promise;
    Sent sent;
    first.power_off_at(calls_of_script() * 3 / 4);
    {
        StoreWorld world(first);
        small_files(world);
        run_script(world, promise, sent);
    }
    for (std::uint64_t number = 1; number < 60; ++number) {
        // The same day again for each number, so that every recovery begins from the same files.
        FaultyFileSystem files;
        Promise again;
        Sent resent;
        files.power_off_at(calls_of_script() * 3 / 4);
        {
            StoreWorld world(files);
            small_files(world);
            run_script(world, again, resent);
        }
        files.restart(PowerCut::mangle, 5);
        files.power_off_at(number);
        {
            StoreWorld world(files);
            small_files(world);
            std::ignore = world.open(wall_at(t0));
        }
        files.restart(PowerCut::mangle, number);
        StoreWorld world(files);
        small_files(world);
        INFO("power gone again at call " << number);
        REQUIRE(world.open(wall_at(t0)));
        check_promise(world, again, resent);
    }
}

TEST_CASE("any one call may fail: nothing committed is lost, and the store heals by itself") {
    const std::uint64_t calls = calls_of_script();
    for (const int reason : {ENOSPC, EDQUOT, EIO, EROFS}) {
        for (std::uint64_t number = 1; number <= calls; ++number) {
            FaultyFileSystem files;
            files.fail_at(number, reason);
            Promise promise;
            Sent sent;
            StoreWorld world(files);
            small_files(world);
            INFO("errno " << reason << " at call " << number << " of " << calls);
            run_script(world, promise, sent);
            if (world.store) {
                REQUIRE_FALSE(world.store->degraded());
                if (world.opened("all").handle != ~GroupHandle{0} && sent.all1 > 0) {
                    REQUIRE(promise.all1 == sent.all1);
                    REQUIRE(world.count(EventKind::StoreDegraded) ==
                            world.count(EventKind::StoreRecovered));
                }
            }
            world.drop();
            files.restart(PowerCut::drop_unsynced);
            REQUIRE(world.open(wall_at(t0)));
            check_promise(world, promise, sent);
        }
    }
}

TEST_CASE(
    "a full disk stops acknowledgements, is visible while it lasts, and heals when space returns") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(100)));
    world.append(topic, w1, 1, payload_of(1));
    world.sync();
    const Call kind = GENERATE(Call::write, Call::sync);
    files.fail_all(kind, ENOSPC);
    for (int i = 2; i <= 5; ++i)
        world.append(topic, w1, i, payload_of(i));
    world.sync();
    CHECK(world.committed(topic, w1) == 1);
    CHECK(world.store->degraded());
    CHECK(world.store->status().groups[0].degraded);
    CHECK(world.count(EventKind::StoreDegraded) == 1);
    world.store->retry(world.out);
    CHECK(world.store->degraded());
    CHECK(world.kept(topic).size() == 5);  // read from memory meanwhile
    files.fail_all(kind, std::nullopt);
    world.store->retry(world.out);
    world.sync();
    CHECK(world.committed(topic, w1) == 5);
    CHECK(world.count(EventKind::StoreRecovered) == 1);
    const auto before = world.kept(topic);
    CHECK(before.size() == 5);
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open(wall_at(t0)));
    CHECK(world.kept(world.opened("t").handle) == before);
}

TEST_CASE("trouble with one topic does not hold up another") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open(wall_at(t0)));
    const GroupHandle bad = world.group(unkeyed_topic("bad", keep_last(100)));
    GroupMeta meta = unkeyed_topic("good", keep_last(100));
    meta.storage = StorageKind::memory;
    const GroupHandle good = world.group(meta);
    world.append(bad, w1, 1, payload_of(1));
    files.fail_all(Call::sync, EIO);
    world.sync();
    world.append(good, w1, 1, payload_of(1));
    world.sync();
    CHECK(world.committed(bad, w1) == 0);
    CHECK(world.committed(good, w1) == 1);
}
