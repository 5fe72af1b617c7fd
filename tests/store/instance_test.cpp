// Instances in the store: operations beside values, keys that share a hash, keys found later.
#include "store_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);

// A sample as the ingest hands it over.
struct Operation {
    GroupHandle topic{0};
    Guid writer;
    std::int64_t number{0};
    Lifecycle lifecycle{Lifecycle::data};
    std::optional<InstanceKey> key;
    Buffer payload;
    PayloadKind kind{PayloadKind::data};
};

void append(StoreWorld& world, const Operation& operation) {
    SampleMeta meta;
    meta.id = {operation.writer, SequenceNumber{operation.number}};
    meta.source_timestamp = to_timestamp(wall_at(1'800'000'000));
    meta.lifecycle = operation.lifecycle;
    meta.payload_kind = operation.payload.empty() ? PayloadKind::none : operation.kind;
    meta.key = operation.key;
    Append command;
    command.batch.add(operation.topic,
                      operation.writer,
                      meta.id.number,
                      meta,
                      wall_at(1'800'000'000),
                      Payload::borrowed(operation.payload));
    world.store->execute(std::move(command), world.out);
}

std::vector<std::int64_t> numbers(StoreWorld& world, GroupHandle topic) {
    std::vector<std::int64_t> result;
    for (const Kept& one : world.kept(topic))
        result.push_back(one.number);
    return result;
}

using Numbers = std::vector<std::int64_t>;

// State, values and operations of each instance.
using States = std::map<InstanceKey, std::tuple<InstanceState, std::uint64_t, std::uint64_t>>;

States states(StoreWorld& world, GroupHandle topic) {
    std::vector<Completion> answers;
    world.store->execute(ListInstances{1, topic}, answers);
    States result;
    for (const Completion& answer : answers) {
        const auto* listed = std::get_if<InstancesListed>(&answer);
        if (listed == nullptr) continue;
        REQUIRE(listed->instances);
        for (const ListedInstance& one : *listed->instances)
            result[*one.key] = {one.state, one.values, one.operations};
    }
    return result;
}

std::vector<ReadSample> read_all(StoreWorld& world,
                                 GroupHandle topic,
                                 std::vector<Completion>& answers) {
    std::vector<Arrival> arrivals;
    for (const Kept& one : world.kept(topic))
        arrivals.push_back(one.arrival);
    world.store->execute(ReadSamples{9, topic, arrivals}, answers);
    return std::get<SamplesRead>(answers.back()).samples;
}

// As a type would have it: the key are the four octets behind the encapsulation header; a payload
// that does not end there has been cut, and tells nothing.
KeyFinders first_four_octets() {
    return [](const GroupMeta& meta) -> KeyFinder {
        if (meta.type_objects.empty()) return {};
        return [](const SampleMeta& sample, ByteView payload) -> std::optional<InstanceKey> {
            if (sample.payload_kind == PayloadKind::none) return sample.key;
            if (payload.size() < 8) return std::nullopt;
            InstanceKey key;
            std::copy_n(payload.begin() + 4, 4, key.hash.begin());
            return key;
        };
    };
}

Buffer value_of(std::uint32_t instance, std::uint8_t content) {
    const KeyHash key = key_of(instance);
    return {0, 1, 0, 0, key[0], key[1], key[2], key[3], content, content, content, content};
}

InstanceKey plain(std::uint32_t instance) {
    return {key_of(instance), 0};
}

}  // namespace

TEST_CASE("an operation does not take the place of a value, a value ends what was said before it") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(1)));
    std::int64_t number = 0;
    const auto apply = [&](Lifecycle lifecycle, const Guid& writer = w1) {
        append(world,
               {topic,
                writer,
                ++number,
                lifecycle,
                plain(1),
                lifecycle == Lifecycle::data ? value_of(1, 1) : Buffer{}});
    };
    apply(Lifecycle::data);        // 1
    apply(Lifecycle::unregister);  // 2
    CHECK(numbers(world, topic) == Numbers{1, 2});
    CHECK(std::get<0>(states(world, topic).at(plain(1))) == InstanceState::no_writers);
    apply(Lifecycle::dispose);  // 3
    apply(Lifecycle::dispose);  // 4 says what 3 said
    CHECK(numbers(world, topic) == Numbers{1, 2, 4});
    CHECK(std::get<0>(states(world, topic).at(plain(1))) == InstanceState::disposed);
    apply(Lifecycle::data);  // 5 revives it
    CHECK(numbers(world, topic) == Numbers{5});
    CHECK(std::get<0>(states(world, topic).at(plain(1))) == InstanceState::alive);
    apply(Lifecycle::unregister);  // 6, of one of two writers
    apply(Lifecycle::data, w2);    // 7
    CHECK(std::get<0>(states(world, topic).at(plain(1))) == InstanceState::alive);
}

TEST_CASE("an unregister is not for readers while another writer holds the instance") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(2)));
    append(world, {topic, w1, 1, Lifecycle::data, plain(1), value_of(1, 1)});
    append(world, {topic, w2, 1, Lifecycle::data, plain(1), value_of(1, 2)});
    append(world, {topic, w1, 2, Lifecycle::unregister, plain(1), {}});
    const auto is_held = [&] {
        std::vector<Completion> answers;
        world.store->execute(ListSamples{1, topic}, answers);
        return std::get<SamplesListed>(answers.back()).samples.back().is_held;
    };
    CHECK(is_held());
    append(world, {topic, w2, 2, Lifecycle::unregister, plain(1), {}});
    CHECK_FALSE(is_held());
}

TEST_CASE("what a writer wrote before it unregistered is told from what it wrote since") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(5)));
    append(world, {topic, w1, 1, Lifecycle::data, plain(1), value_of(1, 1)});
    append(world, {topic, w2, 1, Lifecycle::data, plain(1), value_of(1, 2)});
    append(world, {topic, w1, 2, Lifecycle::unregister, plain(1), {}});
    append(world, {topic, w1, 3, Lifecycle::data, plain(1), value_of(1, 3)});
    append(world, {topic, w1, 4, Lifecycle::data, plain(2), value_of(2, 1)});
    std::vector<Completion> answers;
    world.store->execute(ListSamples{1, topic}, answers);
    std::vector<bool> left;
    for (const ListedSample& sample : std::get<SamplesListed>(answers.back()).samples)
        left.push_back(sample.is_left);
    CHECK(left == std::vector<bool>{true, false, true, false, false});
}

TEST_CASE("a dispose of what is not retained does not cost a living instance its place") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    Contract contract = keep_last(1);
    contract.max_instances = 2;
    const GroupHandle topic = world.group(keyed_topic("t", contract));
    append(world, {topic, w1, 1, Lifecycle::data, plain(1), value_of(1, 1)});
    append(world, {topic, w1, 2, Lifecycle::data, plain(2), value_of(2, 1)});
    append(world, {topic, w1, 3, Lifecycle::data, plain(3), value_of(3, 1)});  // frees 1
    append(world, {topic, w1, 4, Lifecycle::dispose, plain(1), {}});
    CHECK(numbers(world, topic) == Numbers{2, 3});
    // Nor is it forgotten that it came.
    append(world, {topic, w1, 4, Lifecycle::dispose, plain(1), {}});
    CHECK(world.opened("t").writers.front().last_stored == SequenceNumber{4});
    world.sync();
    REQUIRE(world.reopen());
    CHECK(numbers(world, topic) == Numbers{2, 3});
    CHECK(world.opened("t").writers.front().last_stored == SequenceNumber{4});
}

TEST_CASE("two keys with one hash are two instances where the keys are known") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(1)));
    const InstanceKey one{key_of(7), 100};
    const InstanceKey other{key_of(7), 200};
    const InstanceKey hash_alone{key_of(7), 0};
    append(world, {topic, w1, 1, Lifecycle::data, hash_alone, value_of(7, 1)});
    append(world, {topic, w1, 2, Lifecycle::data, one, value_of(7, 2)});
    // The first was of the same key as far as anyone can know.
    CHECK(numbers(world, topic) == Numbers{2});
    append(world, {topic, w1, 3, Lifecycle::data, other, value_of(7, 3)});
    append(world, {topic, w1, 4, Lifecycle::data, one, value_of(7, 4)});
    CHECK(numbers(world, topic) == Numbers{3, 4});
    // A dispose by the hash alone could mean either: it is kept, and applied to neither.
    append(world, {topic, w1, 5, Lifecycle::dispose, hash_alone, {}});
    CHECK(numbers(world, topic) == Numbers{3, 4, 5});
    CHECK(std::get<0>(states(world, topic).at(one)) == InstanceState::alive);
    CHECK(std::get<0>(states(world, topic).at(other)) == InstanceState::alive);
    append(world, {topic, w1, 6, Lifecycle::dispose, one, {}});
    const States before = states(world, topic);
    CHECK(std::get<0>(before.at(one)) == InstanceState::disposed);
    CHECK(std::get<0>(before.at(other)) == InstanceState::alive);
    world.sync();
    REQUIRE(world.reopen());
    CHECK(states(world, topic) == before);
}

TEST_CASE("an operation that came without its key is read with a payload that tells it") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(2)));
    append(world, {topic, w1, 1, Lifecycle::data, plain(1), value_of(1, 1)});
    append(world, {topic, w1, 2, Lifecycle::data, plain(2), value_of(2, 2)});
    append(world, {topic, w1, 3, Lifecycle::data, plain(1), value_of(1, 3)});
    append(world, {topic, w1, 4, Lifecycle::dispose, plain(1), {}});
    append(world, {topic, w1, 5, Lifecycle::dispose, plain(9), {}});
    std::vector<Completion> answers;
    const auto samples = read_all(world, topic, answers);
    REQUIRE(samples.size() == 5);
    CHECK(samples[2].sibling.empty());
    const Buffer sibling(samples[3].sibling.begin(), samples[3].sibling.end());
    CHECK(sibling == value_of(1, 3));
    CHECK(samples[3].sibling_kind == PayloadKind::data);
    CHECK(samples[4].sibling.empty());
}

TEST_CASE("samples that waited for their type find their instances when it becomes known") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.key_finders = first_four_octets();
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(1)));
    std::int64_t number = 0;
    for (std::uint8_t round = 1; round <= 3; ++round) {
        for (std::uint32_t instance = 1; instance <= 4; ++instance) {
            append(world,
                   {topic, w1, ++number, Lifecycle::data, std::nullopt, value_of(instance, round)});
        }
    }
    append(world, {topic, w1, ++number, Lifecycle::dispose, {}, value_of(2, 0), PayloadKind::key});
    world.sync();
    CHECK(numbers(world, topic).size() == 13);  // none stands for another
    CHECK(states(world, topic).empty());

    const bool killed_at_once = GENERATE(false, true);
    if (killed_at_once) {
        world.store->execute(SetGroupType{topic, {1}, {{2}}}, world.out);
        world.drop();
        REQUIRE(world.open());
    }
    world.tell(SetGroupType{topic, {1}, {{2}}});
    CHECK(numbers(world, topic) == Numbers{9, 10, 11, 12, 13});
    CHECK(std::get<0>(states(world, topic).at(plain(2))) == InstanceState::disposed);
    append(world, {topic, w1, ++number, Lifecycle::data, std::nullopt, value_of(2, 9)});
    CHECK(numbers(world, topic) == Numbers{9, 11, 12, 14});
    const States before = states(world, topic);
    world.sync();
    if (GENERATE(false, true)) {
        REQUIRE(world.reopen());
    } else {
        world.drop();
        REQUIRE(world.open());
    }
    CHECK(world.opened("t").meta.type_objects.size() == 1);
    CHECK(numbers(world, topic) == Numbers{9, 11, 12, 14});
    CHECK(states(world, topic) == before);
}

TEST_CASE("a payload that is not of the type is kept, and the operator is told once") {
    FaultyFileSystem files;
    StoreWorld world(files);
    world.options.key_finders = first_four_octets();
    REQUIRE(world.open());
    const GroupHandle topic = world.group(keyed_topic("t", keep_last(1)));
    world.tell(SetGroupType{topic, {1}, {{2}}});
    append(world, {topic, w1, 1, Lifecycle::data, std::nullopt, {0, 1, 0, 0}});
    append(world, {topic, w1, 2, Lifecycle::data, std::nullopt, {0, 1, 0, 0, 1}});
    CHECK(numbers(world, topic) == Numbers{1, 2});
    CHECK(world.count(EventKind::KeyUnresolved) == 1);
}

namespace {

// One topic lived through twice: in one go, and with a restart, a kill or a compaction between any
// two operations.
class TwoLives {
  public:
    explicit TwoLives(std::uint64_t seed)
        : random_(seed), plain_(calm_files_), interrupted_(files_) {
        Contract contract = keep_last(1 + random_() % 3);
        if (random_() % 4 == 0) contract.max_instances = 3;
        if (random_() % 4 == 0) contract.scope = ContractScope::writer;
        if (random_() % 5 == 0) contract.history = ContractHistory::keep_all;
        for (StoreWorld* world : {&plain_, &interrupted_}) {
            world->options.segment_bytes = 1024;
            world->options.compaction_floor = 64;
            REQUIRE(world->open());
            topic_ = world->group(keyed_topic("t", contract));
        }
    }

    void run() {
        for (int step = 0; step < 60; ++step) {
            INFO("step " << step);
            const Guid writer = random_() % 2 == 0 ? w1 : w2;
            const auto instance = static_cast<std::uint32_t>(1 + random_() % 4);
            const auto lifecycle = static_cast<Lifecycle>(random_() % 2 == 0 ? 0 : random_() % 4);
            Operation operation{topic_, writer, ++numbers_[writer], lifecycle, plain(instance), {}};
            if (lifecycle == Lifecycle::data || random_() % 4 == 0)
                operation.payload = value_of(instance, static_cast<std::uint8_t>(step));
            append(plain_, operation);
            append(interrupted_, operation);
            interrupt();
            REQUIRE(contents(interrupted_) == contents(plain_));
            REQUIRE(states(interrupted_, topic_) == states(plain_, topic_));
        }
    }

  private:
    // Arrival numbers go on above those that a killed process had set aside.
    std::vector<Kept> contents(StoreWorld& world) const {
        std::vector<Kept> kept = world.kept(topic_);
        for (Kept& one : kept)
            one.arrival = 0;
        return kept;
    }
    void interrupt() {
        switch (random_() % 4) {
            case 0:
                REQUIRE(interrupted_.reopen());
                break;
            case 1:
                interrupted_.sync();
                interrupted_.drop();
                REQUIRE(interrupted_.open());
                break;
            case 2:
                interrupted_.store->execute(CompactGroup{1, topic_}, interrupted_.out);
                interrupted_.work();
                break;
            default:
                break;
        }
    }

    std::mt19937_64 random_;
    FaultyFileSystem calm_files_;
    FaultyFileSystem files_;
    StoreWorld plain_;
    StoreWorld interrupted_;
    GroupHandle topic_{0};
    std::map<Guid, std::int64_t> numbers_;
};

}  // namespace

TEST_CASE("restart, kill and compaction between any two operations change nothing") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        TwoLives(seed).run();
    }
}
