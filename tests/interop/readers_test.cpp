// Several readers in one process, and readers that outlive the daemon: nobody gets anything twice.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

constexpr std::uint64_t samples = 30;

std::unique_ptr<test::Process> write_samples(const World& world,
                                             const std::string& topic,
                                             const Words& more) {
    Words options{"--topic",
                  topic,
                  "--type",
                  "keyed",
                  "--durability",
                  "transient",
                  "--durability-service",
                  "keep_all",
                  "--cleanup-delay",
                  "infinite",
                  "--keys",
                  "3",
                  "--size",
                  "100"};
    options.insert(options.end(), more.begin(), more.end());
    return world.publisher(Vendor::cyclone, options);
}

Words reader_options(const std::string& topic, const Words& more) {
    Words options{"--topic", topic, "--type", "keyed", "--quiet"};
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

TEST_CASE("readers created later in a process that was served before have everything once") {
    World world;
    world.start_daemon();
    const auto pub = write_samples(world, "same_process", {"--count", std::to_string(samples)});
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);

    // A Cyclone reader asking for TRANSIENT is served when it is the first of its process; what
    // follows must ask for TRANSIENT_LOCAL there.
    const std::string local = "transient_local,transient_local,transient_local";
    const std::string mixed = "transient,transient_local,transient_local";
    for (const auto vendor : both_vendors) {
        for (const auto& kinds : {local, mixed}) {
            INFO(name(vendor) << " " << kinds);
            const auto sub = world.subscriber(vendor,
                                              reader_options("same_process",
                                                             {"--expect",
                                                              std::to_string(samples),
                                                              "--settle",
                                                              "1",
                                                              "--readers",
                                                              "3",
                                                              "--one-by-one",
                                                              "--reader-delay",
                                                              "20",
                                                              "--reader-durability",
                                                              kinds}));
            CHECK(flaws(*sub, samples, 3) == "");
        }
    }
    world.stop_daemon();
}

TEST_CASE("a reader that stays through restarts of the daemon gets nothing twice") {
    World world;
    world.start_daemon();
    auto pub = write_samples(world, "stays", {"--count", std::to_string(samples)});
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);

    std::vector<std::unique_ptr<test::Process>> staying;
    for (const auto vendor : both_vendors) {
        staying.push_back(world.subscriber(vendor,
                                           {"--topic",
                                            "stays",
                                            "--type",
                                            "keyed",
                                            "--durability",
                                            "transient_local",
                                            "--stay",
                                            "--expect",
                                            std::to_string(samples),
                                            "--timeout",
                                            "120"}));
    }
    for (auto& sub : staying) {
        INFO(sub->output());
        REQUIRE(sub->wait_line("COMPLETE", patience).has_value());
    }

    world.stop_daemon();
    world.start_daemon();
    world.kill_daemon();
    world.start_daemon();

    // Five more, for the two that stayed and the daemon.
    pub = write_samples(
        world, "stays", {"--count", "5", "--start-seq", "1001", "--wait-matched", "3"});
    REQUIRE(not_acknowledged(*pub) == "");
    for (auto& sub : staying) {
        INFO(sub->output());
        REQUIRE(sub->wait_line("seq=1005 ", patience).has_value());
    }
    // A reader that comes now has all thirty-five; when it does, the daemon has met everybody
    // again.
    for (const auto vendor : both_vendors) {
        const auto sub = world.subscriber(vendor,
                                          reader_options("stays",
                                                         {"--durability",
                                                          "transient_local",
                                                          "--settle",
                                                          "2.5",
                                                          "--expect",
                                                          std::to_string(samples + 5)}));
        CHECK(flaws(*sub, samples + 5) == "");
    }
    for (auto& sub : staying) {
        sub->write_line("exit");
        CHECK(flaws(*sub, samples + 5) == "");
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
