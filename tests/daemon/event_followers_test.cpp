#include "daemon/event_followers.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;

namespace {

// Followers on a loop that the test turns, and events that it makes.
struct Loop {
    boost::asio::io_context context{1};
    std::vector<Event> events;
    std::unique_ptr<EventFollowers> followers;

    explicit Loop(std::chrono::milliseconds wait = 20s) {
        followers = std::make_unique<EventFollowers>(
            context, [this] { return events; }, "17", wait);
    }
    void report() {
        Event event;
        event.kind = EventKind::SampleLost;
        event.number = events.size() + 1;
        events.push_back(event);
        followers->notify();
    }
    // The reply that comes into the returned place.
    std::shared_ptr<std::optional<control::Reply>> ask(std::optional<std::uint64_t> after,
                                                       const std::string& run = "17") {
        auto place = std::make_shared<std::optional<control::Reply>>();
        control::Request request{control::Command::events};
        request.after = after;
        request.run = run;
        followers->ask(request, [place](const std::string& line) {
            auto reply = control::decode_reply(line);
            REQUIRE(reply.has_value());
            CHECK_FALSE(place->has_value());
            *place = *std::move(reply);
        });
        return place;
    }
    void run_until(const std::shared_ptr<std::optional<control::Reply>>& place) {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!place->has_value() && std::chrono::steady_clock::now() < until) {
            context.restart();
            context.run_one_for(100ms);
        }
        REQUIRE(place->has_value());
    }
};

}  // namespace

TEST_CASE("who asks for events without a number has those that are kept, at once") {
    Loop loop;
    CHECK((*loop.ask(std::nullopt))->events.empty());
    loop.report();
    loop.report();
    const auto all = loop.ask(std::nullopt);
    REQUIRE(all->has_value());
    CHECK((*all)->events.size() == 2);
    CHECK((*all)->run == "17");
}

TEST_CASE("who has seen everything waits for what comes, and has it once") {
    Loop loop;
    loop.report();
    const auto newer = loop.ask(0);
    REQUIRE(newer->has_value());
    CHECK((*newer)->newest == 1);
    const auto waits = loop.ask(1);
    CHECK_FALSE(waits->has_value());
    CHECK(loop.followers->waiting() == 1);
    loop.report();
    loop.report();
    loop.run_until(waits);
    REQUIRE((*waits)->events.size() == 2);
    CHECK((*waits)->events.front().number == 2);
    CHECK(loop.followers->waiting() == 0);
}

TEST_CASE("a number of another run is of no use, and everything is given") {
    Loop loop;
    loop.report();
    const auto other = loop.ask(900, "16");
    REQUIRE(other->has_value());
    CHECK((*other)->events.size() == 1);
    Loop fresh;
    const auto nothing = fresh.ask(900, "16");
    REQUIRE(nothing->has_value());
    CHECK((*nothing)->events.empty());
    CHECK((*nothing)->run == "17");
}

TEST_CASE("nobody waits for ever") {
    Loop loop(50ms);
    const auto waits = loop.ask(0);
    CHECK_FALSE(waits->has_value());
    loop.run_until(waits);
    CHECK((*waits)->events.empty());
    CHECK((*waits)->run == "17");
}

TEST_CASE("those who wait are bounded: the longest waiting one is let go") {
    Loop loop;
    std::vector<std::shared_ptr<std::optional<control::Reply>>> waiting;
    for (std::size_t i = 0; i < EventFollowers::most_waiting + 2; ++i)
        waiting.push_back(loop.ask(0));
    CHECK(loop.followers->waiting() == EventFollowers::most_waiting);
    CHECK(waiting[0]->has_value());
    CHECK(waiting[1]->has_value());
    CHECK_FALSE(waiting[2]->has_value());
    loop.report();
    loop.run_until(waiting.back());
    for (const auto& one : waiting)
        CHECK(one->has_value());
    CHECK(loop.followers->waiting() == 0);
}

TEST_CASE("at the end nobody is answered") {
    Loop loop;
    const auto waits = loop.ask(0);
    loop.followers->close();
    loop.report();
    loop.context.run_for(200ms);
    CHECK_FALSE(waits->has_value());
}
