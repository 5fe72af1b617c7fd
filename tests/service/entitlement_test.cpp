// What a late reader is owed, as a table: each row names one stored sample, the circumstances, the
// verdict.
#include "service/entitlement.hpp"

#include "model/rtps_time.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace durability;
using namespace durability::service;

namespace {

using E = Entitlement;

Guid writer_guid(std::uint8_t which) {
    Guid guid;
    guid.prefix.octets[11] = which;
    guid.entity = EntityId{0x103};
    return guid;
}
// The number of an instance.
std::uint64_t key(std::uint8_t value) {
    return 1'000 + value;
}
Timestamp seconds(std::int32_t value) {
    return Timestamp{value, 0};
}
store::ListedSample stored(Arrival arrival,
                           std::uint8_t writer,
                           std::int64_t number,
                           std::int32_t written = 100,
                           std::uint64_t instance = 0) {
    store::ListedSample listed;
    listed.arrival = arrival;
    listed.id = {writer_guid(writer), SequenceNumber{number}};
    listed.source_timestamp = seconds(written);
    listed.payload_size = 10;
    listed.instance = instance;
    return listed;
}

store::ListedSample held(store::ListedSample sample) {
    sample.lifecycle = Lifecycle::unregister;
    sample.is_held = true;
    return sample;
}

store::ListedSample left(store::ListedSample sample) {
    sample.is_left = true;
    return sample;
}
store::ListedSample disposed(store::ListedSample sample) {
    sample.lifecycle = Lifecycle::dispose;
    return sample;
}

// Who lives, and which of its numbers it sends itself.
using Living = std::unordered_map<Guid, LivingShare>;
Living lives(std::uint8_t writer, std::int64_t first, std::int64_t last) {
    LivingShare share;
    share.history = {SequenceNumber{first}, SequenceNumber{last}};
    return {{writer_guid(writer), share}};
}
Living lives_and_drops(std::uint8_t writer, std::int64_t first, std::int64_t last) {
    Living living = lives(writer, first, last);
    living.begin()->second.drops_unregistered = true;
    return living;
}
Living lives_and_is_not_understood(std::uint8_t writer, std::int64_t first, std::int64_t last) {
    Living living = lives(writer, first, last);
    living.begin()->second.operations_understood = false;
    return living;
}
const Living nobody;
const Living lives_and_sends_nothing = lives(1, 1, 0);

LateReader reader(Arrival matched,
                  Arrival frontier = 0,
                  bool arrival_wins = false,
                  bool wants = true) {
    return LateReader{wants, matched, frontier, arrival_wins};
}

LateReader reader_with_open(Arrival matched, Arrival frontier, std::vector<ArrivalRange> open) {
    LateReader late = reader(matched, frontier);
    late.unsettled = std::move(open);
    return late;
}

EntitlementResult decided(const EntitlementInput& input) {
    EntitlementResult result;
    decide(input, result);
    return result;
}

using Others = std::vector<store::ListedSample>;

struct Row {
    Row(const char* row_what,
        store::ListedSample row_judged,
        LateReader row_reader,
        Living row_living,
        E row_verdict,
        bool row_keyed = false,
        QosDuration row_lifespan = infinite_qos_duration,
        Others row_others = {})
        : what(row_what),
          judged(row_judged),
          reader(row_reader),
          living(std::move(row_living)),
          verdict(row_verdict),
          keyed(row_keyed),
          lifespan(row_lifespan),
          others(std::move(row_others)) {}

    const char* what;
    store::ListedSample judged;
    LateReader reader;
    Living living;
    E verdict;
    bool keyed;
    QosDuration lifespan;
    Others others;
};

E verdict_on(const Row& row) {
    std::vector<store::ListedSample> retained = row.others;
    retained.push_back(row.judged);
    Others others = row.others;
    if (!row.keyed) {
        for (Others* samples : {&retained, &others})
            for (store::ListedSample& sample : *samples)
                sample.instance = 1;
    }
    std::ranges::sort(retained, {}, &store::ListedSample::arrival);
    const auto count_of = [&](const std::vector<store::ListedSample>& samples) {
        return decided(
                   EntitlementInput{
                       samples, row.lifespan, row.reader, row.living, to_wall_time(seconds(1'000))})
            .counts;
    };
    // The verdict on one of several: it alone, with the others only as circumstances.
    const auto with = count_of(retained);
    auto without = count_of(others);
    for (std::size_t i = 0; i < entitlement_count; ++i) {
        if (with[i] == without[i] + 1) return static_cast<E>(i);
    }
    FAIL("no verdict on " << row.what);
    return E::owed;
}

}  // namespace

TEST_CASE("each retained sample is owed to a late reader, or there is one reason why not") {
    const QosDuration minute{60, 0};
    const QosDuration hour{3'600, 0};
    const Row rows[] = {
        // The writer is gone, or the daemon speaks for it for another reason.
        {"the writer is gone", stored(5, 1, 5), reader(10), nobody, E::owed},
        {"it is the last one before the reader", stored(10, 1, 5), reader(10), nobody, E::owed},
        {"it is the very first", stored(1, 1, 1), reader(10), nobody, E::owed},
        {"another writer lives", stored(5, 1, 5), reader(10), lives(2, 1, 100), E::owed},
        {"the writer lives and sends late readers nothing",
         stored(5, 1, 5),
         reader(10),
         lives_and_sends_nothing,
         E::owed},
        {"the writer lives and has dropped it",
         stored(5, 1, 5),
         reader(10),
         lives(1, 6, 9),
         E::owed},
        {"the writer lives and is a new run of numbers",
         stored(5, 1, 50),
         reader(10),
         lives(1, 1, 9),
         E::owed},
        {"no key, nothing live", stored(5, 1, 5), reader(10, 0, true), nobody, E::owed, true},
        // What is not history for this reader.
        {"it came right after the reader", stored(11, 1, 5), reader(10), nobody, E::not_history},
        {"it came long after the reader", stored(1'000, 1, 5), reader(10), nobody, E::not_history},
        {"the reader is VOLATILE",
         stored(5, 1, 5),
         reader(10, 0, false, false),
         nobody,
         E::not_history},
        {"VOLATILE, and the writer lives",
         stored(5, 1, 5),
         reader(10, 0, false, false),
         lives(1, 1, 9),
         E::not_history},
        {"nothing was stored when it came", stored(1, 1, 1), reader(0), nobody, E::not_history},
        {"after the reader and from a living writer",
         stored(11, 1, 5),
         reader(10),
         lives(1, 1, 9),
         E::not_history},
        // What it acknowledged before a restart of the daemon.
        {"at the frontier", stored(5, 1, 5), reader(10, 5), nobody, E::acknowledged},
        {"below the frontier", stored(4, 1, 5), reader(10, 5), nobody, E::acknowledged},
        {"just above the frontier", stored(6, 1, 5), reader(10, 5), nobody, E::owed},
        {"left open below it",
         stored(4, 1, 5),
         reader_with_open(10, 5, {{2, 2}, {4, 4}}),
         nobody,
         E::owed},
        {"not left open",
         stored(3, 1, 5),
         reader_with_open(10, 5, {{2, 2}, {4, 4}}),
         nobody,
         E::acknowledged},
        {"frontier and reader agree", stored(10, 1, 5), reader(10, 10), nobody, E::acknowledged},
        {"acknowledged, and the writer lives",
         stored(4, 1, 5),
         reader(10, 5),
         lives(1, 1, 9),
         E::acknowledged},
        // LIFESPAN. It is second 1000.
        {"its time is over", stored(5, 1, 5, 100), reader(10), nobody, E::expired, false, minute},
        {"its time ends right now",
         stored(5, 1, 5, 940),
         reader(10),
         nobody,
         E::expired,
         false,
         minute},
        {"its time ends in a second",
         stored(5, 1, 5, 941),
         reader(10),
         nobody,
         E::owed,
         false,
         minute},
        {"its living writer has dropped it with the instance",
         left(stored(5, 1, 5, 100, key(1))),
         reader(10),
         lives_and_drops(1, 1, 9),
         E::owed,
         true},
        {"its living writer keeps what it has unregistered",
         left(stored(5, 1, 5, 100, key(1))),
         reader(10),
         lives(1, 1, 9),
         E::living_writer,
         true},
        {"the reader does not understand the living writer's dispose",
         disposed(stored(5, 1, 5, 100, key(1))),
         reader(10),
         lives_and_is_not_understood(1, 1, 9),
         E::deferred,
         true},
        {"it understands its values",
         stored(5, 1, 5, 100, key(1)),
         reader(10),
         lives_and_is_not_understood(1, 1, 9),
         E::living_writer,
         true},
        {"it understands its dispose",
         disposed(stored(5, 1, 5, 100, key(1))),
         reader(10),
         lives(1, 1, 9),
         E::living_writer,
         true},
        {"another writer still holds the instance it unregisters",
         held(stored(5, 1, 5, 100, key(1))),
         reader(10),
         nobody,
         E::held,
         true},
        {"it lives for an hour", stored(5, 1, 5, 100), reader(10), nobody, E::owed, false, hour},
        {"expired, and the writer lives",
         stored(5, 1, 5, 100),
         reader(10),
         lives(1, 1, 9),
         E::expired,
         false,
         minute},
        {"expired and acknowledged",
         stored(5, 1, 5, 100),
         reader(10, 5),
         nobody,
         E::acknowledged,
         false,
         minute},
        // What its living writer sends.
        {"the writer has it", stored(5, 1, 5), reader(10), lives(1, 1, 9), E::living_writer},
        {"it is the first the writer has",
         stored(5, 1, 5),
         reader(10),
         lives(1, 5, 9),
         E::living_writer},
        {"it is the last the writer has",
         stored(5, 1, 5),
         reader(10),
         lives(1, 1, 5),
         E::living_writer},
        {"the only one the writer has",
         stored(5, 1, 5),
         reader(10),
         lives(1, 5, 5),
         E::living_writer},
        {"one past the last the writer has", stored(5, 1, 6), reader(10), lives(1, 1, 5), E::owed},
        // Older than what a living writer gives the reader of the same instance (fact sheet 5.4).
        {"a living writer has a newer one",
         stored(5, 1, 5, 100),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::superseded,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"newer by timestamp, older by arrival",
         stored(5, 1, 5, 100),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::superseded,
         false,
         infinite_qos_duration,
         Others{stored(4, 2, 1, 200)}},
        {"the living one is older",
         stored(5, 1, 5, 300),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::owed,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"the same time",
         stored(5, 1, 5, 200),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::owed,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"the reader keeps order by source time",
         stored(5, 1, 5, 100),
         reader(10, 0, false),
         lives(2, 1, 9),
         E::owed,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"the newer one is of another instance",
         stored(5, 1, 5, 100, key(1)),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::owed,
         true,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200, key(2))}},
        {"the newer one is of the same instance",
         stored(5, 1, 5, 100, key(1)),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::superseded,
         true,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200, key(1))}},
        {"its instance is not known",
         stored(5, 1, 5, 100),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::owed,
         true,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200, key(1))}},
        {"the newer one's instance is not known",
         stored(5, 1, 5, 100, key(1)),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::owed,
         true,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"the newer one comes from the daemon too",
         stored(5, 1, 5, 100),
         reader(10, 0, true),
         lives(2, 2, 9),
         E::owed,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 200)}},
        {"the newest of several counts",
         stored(5, 1, 5, 150),
         reader(10, 0, true),
         lives(2, 1, 9),
         E::superseded,
         false,
         infinite_qos_duration,
         Others{stored(6, 2, 1, 100), stored(7, 2, 2, 200), stored(8, 2, 3, 120)}},
    };
    CHECK(std::size(rows) >= 30);
    std::array<int, entitlement_count> seen{};
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(name(verdict_on(row)) == name(row.verdict));
        ++seen[static_cast<std::size_t>(row.verdict)];
    }
    for (const int count : seen)
        CHECK(count > 0);
}

TEST_CASE("what is owed comes in order of arrival") {
    const std::vector<store::ListedSample> retained{
        stored(3, 1, 1), stored(4, 2, 1), stored(9, 1, 2), stored(12, 1, 3)};
    const EntitlementResult result =
        decided(EntitlementInput{retained, infinite_qos_duration, reader(10), nobody, WallTime{}});
    CHECK(result.owed == std::vector<ArrivalRange>{{3, 4}, {9, 9}});
    CHECK(result.counts[static_cast<std::size_t>(E::owed)] == 3);
    CHECK(result.counts[static_cast<std::size_t>(E::not_history)] == 1);
}

TEST_CASE("a sample without a source timestamp never expires and is never superseded") {
    store::ListedSample timeless = stored(5, 1, 5);
    timeless.source_timestamp = invalid_timestamp;
    const std::vector<store::ListedSample> retained{timeless, stored(6, 2, 1, 200)};
    const Living living = lives(2, 1, 9);
    const EntitlementResult result = decided(EntitlementInput{
        retained, QosDuration{900, 0}, reader(10, 0, true), living, to_wall_time(seconds(1'000))});
    CHECK(result.owed == std::vector<ArrivalRange>{{5, 5}});
}

TEST_CASE("a history may be decided on in pieces unless later samples count") {
    const Living living = lives(1, 2, 3);
    const auto input = [&](const std::vector<store::ListedSample>& retained) {
        return EntitlementInput{retained, infinite_qos_duration, reader(10), living, WallTime{}};
    };
    const std::vector<store::ListedSample> first{stored(1, 1, 1), stored(2, 1, 2)};
    const std::vector<store::ListedSample> second{
        stored(3, 1, 3), stored(4, 1, 4), stored(11, 2, 1)};
    std::vector<store::ListedSample> all = first;
    all.insert(all.end(), second.begin(), second.end());
    EntitlementResult pieces;
    decide(input(first), pieces);
    decide(input(second), pieces);
    const EntitlementResult whole = decided(input(all));
    CHECK(pieces.owed == std::vector<ArrivalRange>{{1, 1}, {4, 4}});
    CHECK(pieces.owed == whole.owed);
    CHECK(pieces.counts == whole.counts);

    CHECK_FALSE(needs_whole_history(reader(10, 0, false), living));
    CHECK(needs_whole_history(reader(10, 0, true), living));
    CHECK_FALSE(needs_whole_history(reader(10, 0, true), lives_and_sends_nothing));
    CHECK_FALSE(needs_whole_history(reader(10, 0, true), nobody));
}

TEST_CASE("what a living router sends in the name of a writer that is gone is the router's share") {
    Living living;
    living[writer_guid(1)].relayed = {{{SequenceNumber{3}, SequenceNumber{4}}, writer_guid(9)},
                                      {{SequenceNumber{6}, SequenceNumber{6}}, writer_guid(8)}};
    std::vector<store::ListedSample> retained;
    for (std::uint8_t i = 1; i <= 6; ++i)
        retained.push_back(stored(i, 1, i, 100 + i, key(1)));
    const EntitlementResult result = decided(EntitlementInput{
        retained, infinite_qos_duration, reader(10, 0, false), living, WallTime{}});
    CHECK(result.owed == std::vector<ArrivalRange>{{1, 2}, {5, 5}});
    const std::map<Guid, std::vector<ArrivalRange>> promised{{writer_guid(9), {{3, 4}}},
                                                             {writer_guid(8), {{6, 6}}}};
    CHECK(result.promised == promised);
    CHECK(needs_whole_history(reader(10, 0, true), living));
    // A newer value from the router makes older ones late.
    const EntitlementResult ordered = decided(
        EntitlementInput{retained, infinite_qos_duration, reader(10, 0, true), living, WallTime{}});
    CHECK(ordered.owed.empty());
}

TEST_CASE("a writer that lives itself and is relayed as well is asked first") {
    Living living = lives(1, 2, 3);
    living.begin()->second.relayed = {{{SequenceNumber{1}, SequenceNumber{9}}, writer_guid(9)}};
    const std::vector<store::ListedSample> retained{stored(1, 1, 1), stored(2, 1, 2)};
    const EntitlementResult result =
        decided(EntitlementInput{retained, infinite_qos_duration, reader(10), living, WallTime{}});
    CHECK(result.owed.empty());
    CHECK(result.promised.at(writer_guid(9)) == std::vector<ArrivalRange>{{1, 1}});
    CHECK(result.promised.at(writer_guid(1)) == std::vector<ArrivalRange>{{2, 2}});
}
