#include "discovery/type_queries.hpp"

#include "discovery/some_types.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;
using namespace std::chrono_literals;

namespace {

constexpr GuidPrefix peer{{1}};
constexpr GuidPrefix other{{2}};
constexpr MonoTime start{1h};

struct QueriesUnderTest {
    explicit QueriesUnderTest(TypeQueryOptions options = {}) : queries(options, 100) {}

    std::vector<TypeQueries::Request> requests(MonoTime now) {
        std::vector<TypeQueries::Request> all;
        while (auto request = queries.next_request(now, events))
            all.push_back(std::move(*request));
        return all;
    }
    void reply(std::int64_t number, const std::vector<SomeType>& types, GuidPrefix from = peer) {
        TypeLookupReply message;
        message.related.number = number;
        for (const SomeType& type : types)
            message.types.push_back({type.id, type.object});
        queries.take({from, entity::type_reply_writer}, message, events);
    }
    template <class Event>
    std::vector<Event> all() {
        std::vector<Event> chosen;
        for (const TypeLookupEvent& event : std::exchange(events, {})) {
            if (const auto* wanted = std::get_if<Event>(&event)) chosen.push_back(*wanted);
        }
        return chosen;
    }

    TypeQueries queries;
    std::deque<TypeLookupEvent> events;
};

}  // namespace

TEST_CASE("many ids are asked for in several requests, none twice") {
    QueriesUnderTest q({.ids_per_request = 2});
    q.queries.ask(peer, {some_type(1).id, some_type(2).id, some_type(3).id}, start, q.events);
    q.queries.ask(peer, {some_type(1).id}, start, q.events);
    q.queries.ask(other, {some_type(1).id}, start, q.events);
    CHECK(q.queries.next_deadline() == start);
    const auto sent = q.requests(start);
    REQUIRE(sent.size() == 3);
    CHECK(sent[0].number == 100);
    CHECK(sent[0].ids == std::vector{some_type(1).id, some_type(2).id});
    CHECK(sent[1].ids == std::vector{some_type(3).id});
    CHECK(sent[2].peer == other);
    CHECK(q.queries.pending() == 4);
    CHECK(q.events.empty());
}

TEST_CASE("a request is repeated under its number, later each time, and given up in the end") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id}, start, q.events);
    std::vector<Duration> sent_at;
    for (MonoTime now = start; now != MonoTime::max(); now = q.queries.next_deadline()) {
        for (const auto& request : q.requests(now)) {
            CHECK(request.number == 100);
            sent_at.push_back(now - start);
        }
    }
    CHECK(sent_at == std::vector<Duration>{0ms, 250ms, 750ms, 1750ms, 3750ms});
    const auto given_up = q.all<TypesUnavailable>();
    REQUIRE(given_up.size() == 1);
    CHECK(given_up[0].peer == peer);
    CHECK(given_up[0].types == std::vector{some_type(1).id});
    CHECK(q.queries.pending() == 0);
}

TEST_CASE("a reply brings what was asked for and says what is not known") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id, some_type(2).id}, start, q.events);
    (void)q.requests(start);
    // Something that was not asked for does no harm.
    q.reply(100, {some_type(9), some_type(2)});
    CHECK(std::get<TypesReceived>(q.events.front()).types ==
          std::vector{std::pair{some_type(2).id, some_type(2).object}});
    const auto unknown = q.all<TypesUnavailable>();
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].types == std::vector{some_type(1).id});
    CHECK(q.queries.pending() == 0);
    // Nobody waits any more.
    q.reply(100, {some_type(1)});
    CHECK(q.events.empty());
}

TEST_CASE("an object whose hash is not its id is reported and dropped") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id}, start, q.events);
    (void)q.requests(start);
    SomeType forged = some_type(1);
    forged.object.back() ^= 1U;
    q.reply(100, {forged});
    CHECK(q.all<MalformedAnnouncement>() ==
          std::vector{MalformedAnnouncement{{peer, entity::type_reply_writer},
                                            wire::DecodeError::bad_parameter}});
    CHECK(q.queries.pending() == 0);
}

TEST_CASE("another participant of the process may answer, but not say that nothing is known") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id, some_type(2).id}, start, q.events);
    (void)q.requests(start);
    q.reply(100, {some_type(1)}, other);
    const auto received = q.all<TypesReceived>();
    REQUIRE(received.size() == 1);
    CHECK(received[0].peer == peer);
    CHECK(q.queries.pending() == 1);
    CHECK(q.requests(start + 1s).at(0).ids == std::vector{some_type(2).id});
    q.reply(100, {some_type(2)}, other);
    CHECK(q.queries.pending() == 0);
    CHECK(q.all<TypesUnavailable>().empty());
}

TEST_CASE("replies under another number, or about dependencies, are none of ours") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id}, start, q.events);
    (void)q.requests(start);
    q.reply(101, {some_type(1)});
    TypeLookupReply dependencies;
    dependencies.related.number = 100;
    dependencies.operation = TypeLookupOperation::get_dependencies;
    q.queries.take({peer, entity::type_reply_writer}, dependencies, q.events);
    CHECK(q.events.empty());
    CHECK(q.queries.pending() == 1);
}

TEST_CASE("when a peer is gone what it was asked for is unavailable") {
    QueriesUnderTest q;
    q.queries.ask(peer, {some_type(1).id}, start, q.events);
    q.queries.ask(other, {some_type(2).id}, start, q.events);
    q.queries.give_up(peer, q.events);
    const auto gone = q.all<TypesUnavailable>();
    REQUIRE(gone.size() == 1);
    CHECK(gone[0].types == std::vector{some_type(1).id});
    CHECK(q.queries.pending() == 1);
}

TEST_CASE("beyond the bound ids are unavailable at once") {
    QueriesUnderTest q({.max_pending = 2});
    q.queries.ask(peer, {some_type(1).id, some_type(2).id, some_type(3).id}, start, q.events);
    const auto refused = q.all<TypesUnavailable>();
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].types == std::vector{some_type(3).id});
    CHECK(q.queries.pending() == 2);
}
