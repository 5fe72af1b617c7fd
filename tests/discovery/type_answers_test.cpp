#include "discovery/type_answers.hpp"

#include "discovery/some_types.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;
using namespace std::chrono_literals;

namespace {

constexpr GuidPrefix peer{{1}};
constexpr GuidPrefix other{{2}};
constexpr MonoTime start{1h};

TypeLookupRequest request_for(std::vector<types::TypeId> ids, std::int64_t number = 1) {
    TypeLookupRequest request;
    request.identity.number = number;
    request.identity.writer[0] = 7;
    request.ids = std::move(ids);
    return request;
}

struct Described {
    std::vector<types::TypeId> ids;
    RequestIdentity related;
};

// What the replies to the next request say.
std::vector<Described> next_replies(TypeAnswers& answers, MonoTime now) {
    std::vector<Described> all;
    const auto answer = answers.next_answer(now);
    if (!answer) return all;
    for (const Buffer& payload : answer->replies) {
        const auto reply = decode_type_lookup_reply(payload, {});
        REQUIRE(reply.has_value());
        Described described;
        described.related = reply->related;
        for (const auto& type : reply->types)
            described.ids.push_back(type.id);
        all.push_back(described);
    }
    return all;
}

}  // namespace

TEST_CASE("what is offered is described once, what is not is left out") {
    TypeAnswers answers({});
    answers.offer(some_type(1).id, some_type(1).object, {});
    answers.take(peer, request_for({some_type(2).id, some_type(1).id, some_type(1).id}, 77));
    CHECK(answers.next_deadline() <= start);
    const auto replies = next_replies(answers, start);
    REQUIRE(replies.size() == 1);
    CHECK(replies[0].ids == std::vector{some_type(1).id});
    CHECK(replies[0].related == request_for({}, 77).identity);
    CHECK(answers.next_deadline() == MonoTime::max());

    answers.withdraw(some_type(1).id);
    answers.take(peer, request_for({some_type(1).id}));
    CHECK(next_replies(answers, start).at(0).ids.empty());
}

TEST_CASE("more than fits one reply goes into several of the same identity") {
    TypeAnswers answers({.max_reply_bytes = 150});
    std::vector<types::TypeId> ids;
    for (const std::uint8_t which : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}}) {
        answers.offer(some_type(which).id, some_type(which).object, {});
        ids.push_back(some_type(which).id);
    }
    CHECK_FALSE(answers.offer(some_type(4, 151).id, some_type(4, 151).object, {}));
    CHECK(answers.offered() == 3);
    answers.take(peer, request_for(ids, 5));
    const auto replies = next_replies(answers, start);
    REQUIRE(replies.size() == 2);
    CHECK(replies[0].ids.size() == 2);
    CHECK(replies[1].ids == std::vector{some_type(3).id});
    CHECK(replies[1].related.number == 5);
}

TEST_CASE("one peer is answered at a limited rate, what waits is answered later") {
    TypeAnswers answers({.burst = 3, .interval = 20ms});
    for (int i = 0; i < 10; ++i)
        answers.take(peer, request_for({some_type(1).id}));
    answers.take(other, request_for({some_type(1).id}));
    int answered = 0;
    while (answers.next_answer(start))
        ++answered;
    CHECK(answered == 3 + 1 + 1);
    CHECK(answers.next_deadline() == start + 20ms);
    MonoTime now = start;
    for (; answers.next_deadline() != MonoTime::max(); ++answered) {
        now = answers.next_deadline();
        REQUIRE(answers.next_answer(now));
    }
    CHECK(answered == 11);
    CHECK(now == start + 120ms);
}

TEST_CASE("what waits of one peer is bounded") {
    TypeAnswers answers({.burst = 1, .max_waiting_ids = 3});
    for (int i = 0; i < 5; ++i)
        answers.take(peer, request_for({some_type(1).id}));
    CHECK(answers.dropped() == 2);
    answers.forget(peer);
    CHECK(answers.next_deadline() == MonoTime::max());
}

TEST_CASE("dependencies are listed with the size of their description") {
    TypeAnswers answers({});
    answers.offer(some_type(1).id, some_type(1).object, {some_type(2, 80).id, some_type(3).id});
    answers.offer(some_type(2, 80).id, some_type(2, 80).object, {});
    TypeLookupRequest request = request_for({some_type(1).id});
    request.operation = TypeLookupOperation::get_dependencies;
    answers.take(peer, request);
    const auto answer = answers.next_answer(start);
    REQUIRE(answer.has_value());
    REQUIRE(answer->replies.size() == 1);
    const auto reply = decode_type_lookup_reply(answer->replies[0], {});
    REQUIRE(reply.has_value());
    // The third type cannot be had from us.
    REQUIRE(reply->dependencies.size() == 1);
    CHECK(reply->dependencies[0] == TypeLookupReply::Dependency{some_type(2, 80).id, 80});
}

TEST_CASE("only what has the id and the length it claims is offered") {
    TypeAnswers answers({});
    CHECK_FALSE(answers.offer(some_type(1).id, some_type(2).object, {}));
    Buffer cut = some_type(1).object;
    cut.pop_back();
    CHECK_FALSE(answers.offer(types::type_id_of(cut), cut, {}));
    CHECK_FALSE(answers.offer(types::type_id_of(Buffer{1, 2}), {1, 2}, {}));
    CHECK(answers.offered() == 0);
}
