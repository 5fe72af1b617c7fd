// What a writer sent in the name of others, and what of it a HEARTBEAT of its own names.
#include "service/relayed_samples.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace durability;
using namespace durability::service;

namespace {

Guid origin(std::uint8_t last) {
    Guid guid;
    guid.prefix.octets[11] = last;
    guid.entity = EntityId{0x00000102};
    return guid;
}

SampleId sample(std::uint8_t writer, std::int64_t number) {
    return {origin(writer), SequenceNumber{number}};
}

SequenceRange range(std::int64_t first, std::int64_t last) {
    return {SequenceNumber{first}, SequenceNumber{last}};
}

}  // namespace

TEST_CASE("what a relaying writer holds is told in the numbers of the original writers") {
    RelayedSamples relayed;
    for (std::int64_t i = 1; i <= 5; ++i)
        CHECK(relayed.add(SequenceNumber{i}, sample(1, i + 10)) == (i == 1));
    CHECK(relayed.add(SequenceNumber{6}, sample(2, 1)));
    // A hole on either side.
    CHECK_FALSE(relayed.add(SequenceNumber{7}, sample(1, 17)));
    CHECK_FALSE(relayed.add(SequenceNumber{9}, sample(1, 18)));
    using Parts = std::vector<std::pair<Guid, SequenceRange>>;
    CHECK(relayed.within(range(1, 9)) == Parts{{origin(1), range(11, 15)},
                                               {origin(2), range(1, 1)},
                                               {origin(1), range(17, 17)},
                                               {origin(1), range(18, 18)}});
    CHECK(relayed.within(range(3, 6)) ==
          Parts{{origin(1), range(13, 15)}, {origin(2), range(1, 1)}});
    CHECK(relayed.within(range(8, 8)).empty());
    CHECK(relayed.within({}).empty());
    CHECK(relayed.origins().size() == 2);
}

TEST_CASE("a writer that relays without end and order costs bounded memory") {
    RelayedSamples relayed;
    for (std::int64_t i = 1; i <= 5'000; ++i) {
        Guid writer = origin(1);
        writer.entity.value = static_cast<std::uint32_t>(i);
        relayed.add(SequenceNumber{i}, {writer, SequenceNumber{i}});
    }
    CHECK(relayed.within(range(1, 5'000)).size() == RelayedSamples::max_runs);
    CHECK(relayed.origins().size() == RelayedSamples::max_origins);
    constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
    constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
    RelayedSamples forged;
    for (const std::int64_t number : {greatest, smallest, std::int64_t{0}, std::int64_t{-1}})
        CHECK_FALSE(forged.add(SequenceNumber{1}, sample(1, number)));
    CHECK(forged.within(range(1, greatest)).empty());
}
