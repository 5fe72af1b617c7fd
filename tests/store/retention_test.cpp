// The retention rule against a plain model of it, for random contracts and samples.
#include "store/retention.hpp"

#include "retention_model.hpp"
#include "store_world.hpp"

#include "store/dedup.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

TEST_CASE("the index keeps exactly what the rule says") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        std::mt19937_64 random(seed);
        const bool keyed = random() % 4 != 0;
        const Contract contract = random_contract(random);
        SampleIndex index(keyed);
        RetentionModel model(contract, keyed);
        for (Arrival arrival = 1; arrival <= 400; ++arrival) {
            std::optional<std::uint32_t> instance;
            if (random() % 16 != 0) instance = static_cast<std::uint32_t>(random() % 9);
            std::optional<InstanceKey> key;
            if (keyed && instance) key = InstanceKey{key_of(*instance)};
            SampleIndex::Entry entry;
            entry.arrival = arrival;
            entry.payload_size = static_cast<std::uint32_t>(random() % 60);
            entry.writer = static_cast<std::uint16_t>(random() % 3);
            const auto operation = static_cast<unsigned>(random() % 3 == 0 ? 1 + random() % 3 : 0);
            SampleMeta meta;
            meta.lifecycle = static_cast<Lifecycle>(operation);
            meta.payload_kind = operation == 0 ? PayloadKind::data : PayloadKind::key;
            entry.flags = sample_flags(meta);
            const Guid writer = writer_guid(static_cast<std::uint8_t>(entry.writer));
            std::vector<SampleIndex::Entry> evicted;
            const std::size_t before = index.size();
            const bool will_replace =
                replaces(index, keyed, contract, entry, key ? &*key : nullptr);
            const Admission verdict = retain(
                index, keyed, contract, entry, key ? &*key : nullptr, Refusal::allowed, evicted);
            INFO("seed " << seed << " arrival " << arrival);
            REQUIRE((verdict == Admission::admitted) ==
                    model.retain({arrival, instance, entry.payload_size, writer, 0, operation}));
            REQUIRE(will_replace == !evicted.empty());
            REQUIRE(index.size() ==
                    before - evicted.size() + (verdict == Admission::admitted ? 1U : 0U));
            REQUIRE(index.instance_count() == model.instances());
        }
        std::vector<Arrival> kept;
        for (auto at = index.begin_position(); at != index.end_position(); ++at) {
            if (!index.at(at).dead) kept.push_back(index.at(at).arrival);
        }
        std::vector<Arrival> expected;
        std::uint64_t bytes = 0;
        for (const RetentionModel::Item& item : model.items) {
            expected.push_back(item.arrival);
            bytes += item.bytes;
        }
        REQUIRE(index.payload_bytes() == bytes);
        INFO("seed " << seed);
        REQUIRE(kept == expected);
    }
}

TEST_CASE("a slow instance survives a fast one, and memory does not grow with what was evicted") {
    SampleIndex index(true);
    const Contract contract = keep_last(1);
    const InstanceKey slow{key_of(1)};
    const InstanceKey fast{key_of(2)};
    std::vector<SampleIndex::Entry> evicted;
    SampleIndex::Entry entry;
    for (Arrival arrival = 1; arrival <= 200'000; ++arrival) {
        entry.arrival = arrival;
        std::ignore = retain(
            index, true, contract, entry, arrival == 1 ? &slow : &fast, Refusal::allowed, evicted);
    }
    CHECK(index.size() == 2);
    CHECK(index.at(index.begin_position()).arrival == 1);
    CHECK(index.memory() < 64 * 1024);
}

TEST_CASE("a retained sample of a topic without key costs at most 64 bytes of memory") {
    SampleIndex index(false);
    const Contract contract = keep_last(100'000);
    std::vector<SampleIndex::Entry> evicted;
    SampleIndex::Entry entry;
    for (Arrival arrival = 1; arrival <= 250'000; ++arrival) {
        entry.arrival = arrival;
        std::ignore = retain(index, false, contract, entry, nullptr, Refusal::allowed, evicted);
        evicted.clear();
    }
    CHECK(index.size() == 100'000);
    CHECK(index.memory() / index.size() <= 64);
}

TEST_CASE("a set of numbers knows what was put into it") {
    std::mt19937_64 random(7);
    NumberSet set;
    std::vector<bool> known(400, false);
    for (int round = 0; round < 300; ++round) {
        const auto number = static_cast<std::int64_t>(1 + random() % 200);
        set.insert(SequenceNumber{number});
        known[static_cast<std::size_t>(number)] = true;
        for (std::int64_t n = 1; n < 400; ++n) {
            REQUIRE(set.contains({n}) == known[static_cast<std::size_t>(n)]);
        }
    }
    NumberSet sparse;
    for (std::int64_t n = 2; n < 100'000; n += 2)
        sparse.insert(SequenceNumber{n});
    CHECK(sparse.ranges().size() <= NumberSet::max_ranges);
    CHECK(sparse.contains({99'998}));
    CHECK_FALSE(sparse.contains({99'997}));
    CHECK(sparse.greatest().value == 99'998);
}
