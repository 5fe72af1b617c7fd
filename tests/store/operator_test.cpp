// What an operator asks of a store: purge and compact.
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <cerrno>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);

// Number of samples taken out; fails the test when the store refused.
std::uint64_t purge(StoreWorld& world, const PurgeSamples& command) {
    world.store->execute(command, world.out);
    world.sync();
    for (auto at = world.out.rbegin(); at != world.out.rend(); ++at) {
        const auto* answer = std::get_if<SamplesPurged>(&*at);
        if (answer == nullptr || answer->ticket != command.ticket) continue;
        REQUIRE(answer->samples);
        return *answer->samples;
    }
    FAIL("not answered");
    return 0;
}

std::uint64_t compact(StoreWorld& world, GroupHandle group) {
    world.store->execute(CompactGroup{77, group}, world.out);
    for (auto at = world.out.rbegin(); at != world.out.rend(); ++at) {
        const auto* answer = std::get_if<CompactionBegun>(&*at);
        if (answer == nullptr) continue;
        REQUIRE(answer->logs);
        return *answer->logs;
    }
    FAIL("not answered");
    return 0;
}

std::vector<std::pair<Guid, std::int64_t>> names_of(const std::vector<Kept>& kept) {
    std::vector<std::pair<Guid, std::int64_t>> names;
    for (const Kept& one : kept)
        names.emplace_back(one.writer, one.number);
    return names;
}

}  // namespace

TEST_CASE("purge takes out what it names, for good, and asks no writer for it again") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.compaction_floor = 1U << 20U;
    REQUIRE(world.open());
    const auto scope = GENERATE(ContractScope::topic, ContractScope::writer);
    Contract contract = keep_last(100);
    contract.scope = scope;
    GroupHandle topic = world.group(keyed_topic("t", contract));
    for (int i = 1; i <= 6; ++i) {
        world.append(topic, w1, i, payload_of(i), key_of(static_cast<std::uint32_t>(i % 2)));
        world.append(topic, w2, i, payload_of(i), key_of(static_cast<std::uint32_t>(i % 2)));
    }
    world.sync();

    SECTION("one instance of one writer") {
        CHECK(purge(world, {5, topic, w1, key_of(1)}) == 3);
        CHECK(world.kept(topic).size() == 9);
    }
    SECTION("one instance") {
        CHECK(purge(world, {5, topic, {}, key_of(0)}) == 6);
        for (const Kept& one : world.kept(topic))
            CHECK(one.number % 2 == 1);
    }
    SECTION("one writer") {
        CHECK(purge(world, {5, topic, w2, {}}) == 6);
        for (const Kept& one : world.kept(topic))
            CHECK(one.writer == w1);
    }
    SECTION("everything") {
        CHECK(purge(world, {5, topic, {}, {}}) == 12);
        CHECK(world.kept(topic).empty());
    }
    SECTION("nothing: unknown writer, unknown instance") {
        CHECK(purge(world, {5, topic, writer_guid(9), {}}) == 0);
        CHECK(purge(world, {5, topic, {}, key_of(7)}) == 0);
        CHECK(world.kept(topic).size() == 12);
    }
    const auto expected = names_of(world.kept(topic));
    for (int i = 1; i <= 6; ++i)
        world.append(topic, w1, i, payload_of(i), key_of(static_cast<std::uint32_t>(i % 2)));
    CHECK(names_of(world.kept(topic)) == expected);

    // The power goes at once: it stays purged.
    world.drop();
    files.restart(PowerCut::drop_unsynced);
    REQUIRE(world.open());
    topic = world.opened("t").handle;
    CHECK(names_of(world.kept(topic)) == expected);
    world.store->execute(Sweep{wall_at(1'800'000'001), {}}, world.out);
    world.sync();
    world.work();
    CHECK(names_of(world.kept(topic)) == expected);
}

TEST_CASE("purged bytes leave the disk although they are few") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(100)));
    for (int i = 1; i <= 20; ++i)
        world.append(topic, w1, i, payload_of(i, 1000));
    world.sync();
    const std::uint64_t before = world.store->status().disk_bytes;
    CHECK(purge(world, {5, topic, {}, {}}) == 20);
    world.store->execute(Sweep{wall_at(1'800'000'001), {}}, world.out);
    for (int rounds = 0; rounds < 5; ++rounds) {
        world.work();
        world.sync();
    }
    CHECK(world.store->status().disk_bytes + 20'000 <= before);
    CHECK(world.store->status().groups[0].compacting == 0);
}

TEST_CASE("compact rewrites what a floor would have left, and changes nothing that is kept") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(5)));
    for (int i = 1; i <= 50; ++i)
        world.append(topic, w1, i, payload_of(i, 500));
    world.sync();
    world.work();
    const auto kept = world.kept(topic);
    REQUIRE(kept.size() == 5);
    CHECK(world.store->status().groups[0].dead_bytes > 20'000);
    CHECK(compact(world, topic) == 1);
    CHECK(world.store->status().groups[0].compacting == 1);
    for (int rounds = 0; rounds < 5; ++rounds) {
        world.work();
        world.sync();
    }
    CHECK(world.store->status().groups[0].compacting == 0);
    CHECK(world.store->status().groups[0].dead_bytes == 0);
    CHECK(world.kept(topic) == kept);
    CHECK(compact(world, topic) == 0);
    for (int i = 1; i <= 51; ++i)
        world.append(topic, w1, i, payload_of(i, 500));
    world.sync();
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).back().number == 51);
    CHECK(world.kept(world.opened("t").handle).size() == 5);
}

TEST_CASE("purge and compact of a group that is not there, or whose disk refuses, are refused") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(5)));
    world.append(topic, w1, 1, payload_of(1));
    world.sync();
    world.out.clear();
    world.store->execute(PurgeSamples{1, 99, {}, {}}, world.out);
    world.store->execute(CompactGroup{2, 99}, world.out);
    REQUIRE(world.out.size() == 2);
    CHECK_FALSE(std::get<SamplesPurged>(world.out[0]).samples);
    CHECK_FALSE(std::get<CompactionBegun>(world.out[1]).logs);

    files.fail_all(Call::sync, EIO);
    world.append(topic, w1, 2, payload_of(2));
    world.sync();
    REQUIRE(world.store->degraded());
    world.out.clear();
    world.store->execute(PurgeSamples{3, topic, {}, {}}, world.out);
    REQUIRE(world.out.size() == 1);
    CHECK(std::get<SamplesPurged>(world.out[0]).samples.error().code == Errc::unavailable);
    CHECK(world.kept(topic).size() == 2);
}
