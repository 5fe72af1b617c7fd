// What survives a restart: encodings that come back as they were, and refuse everything else;
// entity ids that stay what they are; which group a writer belongs to.
#include "base/byte_writer.hpp"
#include "service/entity_ids.hpp"
#include "service/identity.hpp"
#include "service/served_groups.hpp"
#include "store/commands.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace durability;
using namespace durability::service;

namespace {

GuidPrefix prefix(std::uint8_t which) {
    GuidPrefix result;
    for (std::size_t i = 0; i < 12; ++i)
        result.octets[i] = static_cast<std::uint8_t>(which + i);
    return result;
}

// Every proper prefix, and the whole with one octet more, has to be refused.
template <class Decode>
void check_only_whole(const Buffer& bytes, Decode decode) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(decode(ByteView(bytes).first(size)).has_value());
    }
    Buffer longer = bytes;
    longer.push_back(0);
    CHECK_FALSE(decode(ByteView(longer)).has_value());
}

}  // namespace

TEST_CASE("known addresses come back as they were written, and nothing else does") {
    const std::vector<std::uint32_t> addresses{0x7f000001U, 0x0a000007U};
    CHECK(decode_addresses(encode(addresses)) == addresses);
    CHECK(decode_addresses({}) == std::vector<std::uint32_t>{});
    CHECK_FALSE(decode_addresses(Buffer(7)));
    CHECK_FALSE(decode_addresses(Buffer(4 * 5'000)));
}

TEST_CASE("identity, counters, frontiers and entity ids come back as they were written") {
    const ParticipantIdentity identity{prefix(7), 7410, 65535};
    CHECK(decode_identity(encode(identity)) == identity);
    check_only_whole(encode(identity), decode_identity);

    Reserved reserved;
    reserved.sedp_number = SequenceNumber{1'000'000'000'000};
    reserved.spdp_number = SequenceNumber{17};
    reserved.count = 2'000'000'000;
    CHECK(decode_reserved(encode(reserved)) == reserved);
    check_only_whole(encode(reserved), decode_reserved);

    const Frontier frontier{{prefix(3), EntityId{0x104}}, EntityId{0x203}, ~0ULL, 12};
    CHECK(decode_frontier(encode(frontier)) == frontier);
    Frontier open = frontier;
    open.open = {{3, 5}, {9, 9}};
    CHECK(decode_frontier(encode(open)) == open);
    open.open.resize(Frontier::most_open + 1);
    CHECK(decode_frontier(encode(open)) == frontier);
    check_only_whole(encode(frontier), decode_frontier);

    CHECK(decode_entity(encode(EntityId{0x00012307})) == EntityId{0x00012307});
    check_only_whole(encode(EntityId{0x103}), decode_entity);
}

TEST_CASE("numbers below zero are nobody's") {
    Reserved reserved;
    reserved.sedp_number = SequenceNumber{-1};
    CHECK_FALSE(decode_reserved(encode(reserved)).has_value());
    reserved = {};
    reserved.spdp_number = SequenceNumber{-1};
    CHECK_FALSE(decode_reserved(encode(reserved)).has_value());
    reserved = {};
    reserved.count = -5;
    CHECK_FALSE(decode_reserved(encode(reserved)).has_value());
}

TEST_CASE("the meaning of a process's numbers comes back, run by run") {
    rtps::ReplayNumbers numbers(SequenceNumber{4});
    const std::vector<ArrivalRange> first{{10, 11}, {40, 40}};
    const std::vector<ArrivalRange> second{{5, 5}, {10, 10}};
    std::ignore = numbers.assign(first);
    std::ignore = numbers.assign(second);
    const EntityId writer{0x303};
    const Buffer key = numbers_key(writer, prefix(9));
    const Buffer bytes = encode(numbers);
    const auto back = decode_numbers(key, bytes);
    REQUIRE(back.has_value());
    CHECK(back->replay_writer == writer);
    CHECK(back->process == prefix(9));
    CHECK(back->numbers.last() == numbers.last());
    CHECK(back->numbers.runs() == numbers.runs());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(decode_numbers(key, ByteView(bytes).first(size)).has_value());
    }
    CHECK_FALSE(decode_numbers(ByteView(key).first(key.size() - 1), bytes).has_value());
    CHECK_FALSE(decode_numbers({}, bytes).has_value());
}

TEST_CASE("numbers whose meaning is too long for a record come back as used") {
    std::vector<ArrivalRange> history;
    for (Arrival arrival = 1; arrival < 2'000'000; arrival += 2)
        append(history, arrival);
    rtps::ReplayNumbers numbers;
    std::ignore = numbers.assign(history);
    const Buffer bytes = encode(numbers);
    CHECK(bytes.size() <= store::max_record_value);
    const auto back = decode_numbers(numbers_key(EntityId{0x303}, prefix(9)), bytes);
    REQUIRE(back.has_value());
    CHECK(back->numbers.last() == numbers.last());
    CHECK(back->numbers.runs().empty());
}

TEST_CASE("numbers that contradict one another are refused") {
    const Buffer key = numbers_key(EntityId{0x303}, prefix(9));
    const auto decoded = [&](std::int64_t last, std::initializer_list<std::uint64_t> rest) {
        Buffer bytes;
        ByteWriter out(bytes);
        out.i64(last);
        for (const std::uint64_t value : rest)
            out.varint(value);
        return decode_numbers(key, bytes).has_value();
    };
    // runs, then for each: first number, pieces, and for each of those: hole, count
    CHECK(decoded(5, {1, 1, 1, 7, 5}));
    CHECK_FALSE(decoded(4, {1, 1, 1, 7, 5}));              // above the last
    CHECK_FALSE(decoded(-1, {0}));                         // nobody's
    CHECK_FALSE(decoded(5, {1, 0, 1, 7, 5}));              // number 0
    CHECK_FALSE(decoded(5, {1, 1, 1, 7, 0}));              // an empty piece
    CHECK_FALSE(decoded(5, {1, 1, 0}));                    // an empty run
    CHECK_FALSE(decoded(5, {2, 1, 1, 7, 2, 2, 1, 3, 1}));  // given out twice
    const std::uint64_t huge = ~std::uint64_t{0};
    CHECK_FALSE(decoded(5, {1, 1, 1, huge, 2}));
    CHECK_FALSE(decoded(5, {1, 1, 1, 7, huge}));
    CHECK_FALSE(decoded(5, {1, 1, huge, 7, 1}));
    CHECK_FALSE(decoded(5, {1, huge, 1, 7, 1}));
}

TEST_CASE("record keys of different things differ") {
    const Guid reader{prefix(1), EntityId{0x104}};
    const std::set<Buffer> keys{identity_key(Side::ingest),
                                identity_key(Side::replay),
                                counter_key(Side::ingest),
                                counter_key(Side::replay),
                                entity_key(Side::ingest, "a"),
                                entity_key(Side::replay, "a"),
                                entity_key(Side::ingest, "b"),
                                frontier_key(reader, EntityId{1}),
                                frontier_key(reader, EntityId{2}),
                                numbers_key(EntityId{1}, prefix(1)),
                                numbers_key(EntityId{1}, prefix(2)),
                                numbers_key(EntityId{2}, prefix(1))};
    CHECK(keys.size() == 12);
}

TEST_CASE("an endpoint keeps its entity id in every run") {
    EntityIds first;
    const auto one = first.claim(Side::ingest, "chatter", EntityKind::reader_no_key);
    const auto two = first.claim(Side::ingest, "map", EntityKind::reader_with_key);
    CHECK(one.is_new);
    CHECK(one.id != two.id);
    CHECK(two.id.is_keyed());
    CHECK_FALSE(first.claim(Side::ingest, "chatter", EntityKind::reader_no_key).is_new);
    CHECK(first.claim(Side::replay, "chatter", EntityKind::writer_no_key).is_new);

    EntityIds second;
    second.restore(Side::ingest, "map", two.id);
    second.restore(Side::ingest, "gone", EntityId{0x00000104});
    const auto other = second.claim(Side::ingest, "new", EntityKind::reader_no_key);
    CHECK(other.is_new);
    CHECK((other.id.value >> 8U) != (two.id.value >> 8U));
    CHECK((other.id.value >> 8U) != 1U);
    const auto again = second.claim(Side::ingest, "map", EntityKind::reader_with_key);
    CHECK(again.id == two.id);
    CHECK_FALSE(again.is_new);

    const auto unclaimed = second.unclaimed(Side::ingest);
    REQUIRE(unclaimed.size() == 1);
    CHECK(unclaimed.front().description == "gone");
    second.forget(Side::ingest, "gone");
    CHECK(second.unclaimed(Side::ingest).empty());
}

TEST_CASE("writers belong to one group exactly when the same readers match them") {
    discovery::EndpointData writer;
    writer.guid.entity = EntityId{0x103};
    writer.topic = "chatter";
    writer.type = "Text";
    writer.qos.durability = DurabilityKind::transient;
    const GroupKey key = group_key(writer);
    CHECK_FALSE(key.keyed);

    discovery::EndpointData same = writer;
    same.guid.entity = EntityId{0x203};
    same.qos.reliability = ReliabilityKind::reliable;
    same.qos.history = {HistoryKind::keep_all, 1};
    same.qos.partitions = {""};  // the default partition, written out
    CHECK(group_key(same) == key);

    const auto differs = [&](auto change) {
        discovery::EndpointData other = writer;
        change(other);
        return group_key(other) != key;
    };
    CHECK(differs([](auto& other) { other.topic = "chatters"; }));
    CHECK(differs([](auto& other) { other.type = "Text2"; }));
    CHECK(differs([](auto& other) { other.guid.entity = EntityId{0x102}; }));
    CHECK(differs([](auto& other) { other.qos.partitions = {"a"}; }));
    CHECK(differs([](auto& other) { other.qos.partitions = {"", "a"}; }));
    CHECK(differs([](auto& other) { other.qos.representations = {representation_xcdr2}; }));
    CHECK(differs([](auto& other) { other.qos.durability = DurabilityKind::persistent; }));
    CHECK(differs([](auto& other) { other.qos.ownership = OwnershipKind::exclusive; }));
    CHECK(differs([](auto& other) { other.qos.presentation.coherent_access = true; }));

    writer.qos.partitions = {"b", "a", "b"};
    CHECK(group_key(writer).partitions == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the replay writer is announced as one that every reader of the source matches") {
    GroupMeta meta;
    meta.key.topic = "chatter";
    meta.key.type = "Text";
    meta.key.durability = DurabilityKind::persistent;
    meta.key.partitions = {"a"};
    meta.qos.reliability = ReliabilityKind::best_effort;
    meta.qos.ownership_strength = 9;
    meta.qos.lifespan = {1, 0};
    meta.qos.deadline = {5, 0};
    meta.qos.durability_service = DurabilityServiceQos{};
    const discovery::EndpointData data = replay_announcement(meta);
    CHECK(data.vendor == vendor::own);
    CHECK(data.qos.durability == DurabilityKind::persistent);
    CHECK(data.qos.reliability == ReliabilityKind::reliable);
    CHECK(data.qos.partitions == std::vector<std::string>{"a"});
    CHECK(data.qos.deadline == QosDuration{5, 0});
    CHECK(data.qos.ownership_strength == 0);
    CHECK(data.qos.lifespan.infinite());
    CHECK_FALSE(data.qos.durability_service.has_value());
}
