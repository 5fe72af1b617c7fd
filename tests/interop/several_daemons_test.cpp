// Two daemons in one domain, each with a state of its own: late readers of either vendor have every
// sample once, whichever daemon is there.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

constexpr std::uint64_t samples = 30;
constexpr std::string_view topics =
    "  - topic: \"*\"\n"
    "    serve: transient_local\n"
    "    contract: { history: keep_all, cleanup_delay: infinite }\n";

// A lease just longer than a restart, so that what follows its end need not be waited for long.
std::string settings(int priority) {
    return fmt::format("network_lease: 5s\nreplay: {{ priority: {}, handover_window: 1s }}\n",
                       priority);
}

// One late reader of each vendor, one after the other; empty, or what was wrong.
std::string late_joins(const World& world, const std::string& topic) {
    std::string wrong;
    for (const auto vendor : both_vendors) {
        const auto sub = world.subscriber(vendor,
                                          {"--topic",
                                           topic,
                                           "--type",
                                           "keyed",
                                           "--durability",
                                           "transient_local",
                                           "--expect",
                                           std::to_string(samples),
                                           "--settle",
                                           "2.5",
                                           "--quiet",
                                           "--timeout",
                                           "60"});
        const std::string flaw = flaws(*sub, samples);
        if (!flaw.empty()) wrong += fmt::format("{}: {}\n", name(vendor), flaw);
    }
    return wrong;
}

TEST_CASE("of two daemons one serves a late reader, and the other takes over when it is killed",
          "[daemons]") {
    for (const auto vendor : both_vendors) {
        World better(topics, settings(2));
        World worse(better.domain(), topics, settings(1));
        worse.start_daemon();
        better.start_daemon();
        for (World* world : {&better, &worse}) {
            INFO(world->daemon().output());
            REQUIRE(world->daemon().wait_line("event=PeerServiceFound", patience).has_value());
        }
        const std::string topic = fmt::format("shared_{}", name(vendor));
        INFO(topic);
        const auto pub = better.publisher(vendor,
                                          {"--topic",
                                           topic,
                                           "--type",
                                           "keyed",
                                           "--durability",
                                           "transient_local",
                                           "--keys",
                                           "3",
                                           "--count",
                                           std::to_string(samples),
                                           "--wait-matched",
                                           "2"});
        REQUIRE(not_acknowledged(*pub) == "");
        meet(*pub, Fate::killed);

        CHECK(late_joins(better, topic) == "");
        better.kill_daemon();
        REQUIRE(worse.daemon().wait_line("event=PeerServiceLost", patience).has_value());
        CHECK(late_joins(worse, topic) == "");
        // It comes back, first as the one that waits.
        better.start_daemon();
        CHECK(late_joins(better, topic) == "");
        worse.kill_daemon();
        worse.start_daemon();
        CHECK(late_joins(worse, topic) == "");
        INFO(better.daemon().output() << worse.daemon().output());
        better.stop_daemon();
        worse.stop_daemon();
    }
}

TEST_CASE("readers that stay while two daemons come and go get nothing twice", "[daemons]") {
    World better(topics, settings(2));
    World worse(better.domain(), topics, settings(1));
    better.start_daemon();
    worse.start_daemon();
    for (World* world : {&better, &worse})
        REQUIRE(world->daemon().wait_line("event=PeerServiceFound", patience).has_value());
    const auto pub = better.publisher(Vendor::cyclone,
                                      {"--topic",
                                       "stays_two",
                                       "--type",
                                       "keyed",
                                       "--durability",
                                       "transient_local",
                                       "--keys",
                                       "3",
                                       "--count",
                                       std::to_string(samples),
                                       "--wait-matched",
                                       "2"});
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);
    std::vector<std::unique_ptr<test::Process>> staying;
    for (const auto vendor : both_vendors) {
        staying.push_back(better.subscriber(vendor,
                                            {"--topic",
                                             "stays_two",
                                             "--type",
                                             "keyed",
                                             "--durability",
                                             "transient_local",
                                             "--stay",
                                             "--expect",
                                             std::to_string(samples),
                                             "--timeout",
                                             "200"}));
    }
    for (auto& sub : staying) {
        INFO(sub->output());
        REQUIRE(sub->wait_line("COMPLETE", patience).has_value());
    }
    // Whoever comes now is served, and by then both daemons know what those that stay were given.
    CHECK(late_joins(better, "stays_two") == "");
    better.kill_daemon();
    better.start_daemon();
    worse.kill_daemon();
    worse.start_daemon();
    CHECK(late_joins(better, "stays_two") == "");
    better.kill_daemon();
    REQUIRE(worse.daemon().wait_line("event=PeerServiceLost", patience).has_value());
    CHECK(late_joins(better, "stays_two") == "");
    for (auto& sub : staying) {
        sub->write_line("exit");
        CHECK(flaws(*sub, samples) == "");
    }
    worse.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
