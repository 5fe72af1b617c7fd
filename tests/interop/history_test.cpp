// Histories of every size, read by either vendor after their writer has gone.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <random>

namespace durability::interop {
namespace {

// Writes `count` samples through `writer` and lets it end once the daemon has them.
void leave_history(const World& world,
                   Vendor writer,
                   const std::string& topic,
                   std::size_t count,
                   const Words& more) {
    Words options{"--topic",
                  topic,
                  "--durability",
                  "transient_local",
                  "--durability-service",
                  "keep_all",
                  "--cleanup-delay",
                  "infinite",
                  "--count",
                  std::to_string(count)};
    options.insert(options.end(), more.begin(), more.end());
    const auto pub = world.publisher(writer, options);
    INFO("writer of " << topic);
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);
}

TEST_CASE("samples of every size come back, fragments included") {
    // Nothing, one octet, both sides of Cyclone's fragment of 1344 octets (16 of them are header
    // and fixed members), both sides of Fast DDS's of 65324, and samples of very many fragments.
    const Words sizes{"0",
                      "1",
                      "1300",
                      "1326",
                      "1327",
                      "1328",
                      "1329",
                      "1344",
                      "1400",
                      "65000",
                      "65307",
                      "65308",
                      "65309",
                      "66000",
                      "1048576",
                      "8388608"};
    World world(serve_latched);
    world.start_daemon();
    for (const auto writer : both_vendors) {
        const std::string topic = fmt::format("latched_sizes_{}", name(writer));
        leave_history(world,
                      writer,
                      topic,
                      sizes.size(),
                      {"--type", "keyed", "--sizes", fmt::format("{}", fmt::join(sizes, ","))});
        for (const auto reader : both_vendors) {
            INFO(topic << " to " << name(reader));
            const auto sub = world.subscriber(reader,
                                              {"--topic",
                                               topic,
                                               "--type",
                                               "keyed",
                                               "--durability",
                                               "transient_local",
                                               "--expect",
                                               std::to_string(sizes.size()),
                                               "--quiet",
                                               "--timeout",
                                               "60"});
            CHECK(flaws(*sub, sizes.size()) == "");
        }
    }
    world.stop_daemon();
}

TEST_CASE("two hundred late joins of each vendor, none short of a sample") {
    constexpr std::size_t joins_per_process = 100;
    constexpr std::size_t samples = 20;
    World world(serve_latched);
    world.start_daemon();
    leave_history(world, Vendor::cyclone, "latched_joins", samples, {"--keys", "3"});

    // Two processes a vendor, joining at random moments of their own and of each other.
    const std::uint32_t seed = Catch::rngSeed() != 0 ? Catch::rngSeed() : std::random_device{}();
    fmt::print("late joins: seed {}\n", seed);
    std::vector<std::unique_ptr<test::Process>> joiners;
    for (std::uint32_t i = 0; i < 2; ++i) {
        for (const auto vendor : both_vendors) {
            joiners.push_back(world.subscriber(vendor,
                                               {"--topic",
                                                "latched_joins",
                                                "--durability",
                                                "transient_local",
                                                "--expect",
                                                std::to_string(samples),
                                                "--settle",
                                                "0.05",
                                                "--quiet",
                                                "--joins",
                                                std::to_string(joins_per_process),
                                                "--join-delay-max",
                                                "40",
                                                "--join-seed",
                                                std::to_string(seed + i),
                                                "--timeout",
                                                "20"}));
        }
    }
    for (auto& joiner : joiners)
        CHECK(flaws(*joiner, samples, joins_per_process) == "");
    world.stop_daemon();
}

TEST_CASE("a thousand small samples arrive, and how soon") {
    constexpr std::size_t samples = 1000;
    World world;
    world.start_daemon();
    {
        const auto pub = world.publisher(Vendor::cyclone,
                                         {"--topic",
                                          "thousand",
                                          "--durability",
                                          "transient",
                                          "--durability-service",
                                          "keep_all",
                                          "--cleanup-delay",
                                          "infinite",
                                          "--count",
                                          std::to_string(samples),
                                          "--size",
                                          "100"});
        REQUIRE(not_acknowledged(*pub) == "");
        meet(*pub, Fate::ended);
    }
    for (const auto reader : both_vendors) {
        for (const auto kind : {Kind::transient_local, Kind::transient}) {
            // Fast DDS writes what a TRANSIENT reader receives to SQLite sample by sample; the
            // matrix shows that it gets them, and how soon is not for the daemon to say.
            if (reader == Vendor::fastdds && kind == Kind::transient) continue;
            const auto sub = world.subscriber(reader,
                                              {"--topic",
                                               "thousand",
                                               "--durability",
                                               std::string(name(kind)),
                                               "--expect",
                                               std::to_string(samples),
                                               "--quiet"});
            INFO(name(reader) << " " << name(kind));
            CHECK(flaws(*sub, samples) == "");
            for (const auto& summary : summaries(*sub)) {
                fmt::print(
                    "1000 samples to a {} {} reader: matched after {:.1f} ms, first sample "
                    "{:.1f} ms and last {:.1f} ms later\n",
                    name(reader),
                    name(kind),
                    summary.match_ms,
                    summary.first_ms,
                    summary.last_ms);
            }
        }
    }
    world.stop_daemon();
}

TEST_CASE("what was acknowledged survives a kill of daemon and writer at that very moment") {
    constexpr std::size_t samples = 500;
    World world;
    world.start_daemon();
    for (const auto writer : both_vendors) {
        const std::string topic = fmt::format("acknowledged_{}", name(writer));
        const std::string kind = writer == Vendor::cyclone ? "persistent" : "transient";
        const auto pub = world.publisher(writer,
                                         {"--topic",
                                          topic,
                                          "--type",
                                          "keyed",
                                          "--durability",
                                          kind,
                                          "--durability-service",
                                          "keep_all",
                                          "--cleanup-delay",
                                          "infinite",
                                          "--count",
                                          std::to_string(samples),
                                          "--keys",
                                          "7",
                                          "--size",
                                          "200"});
        REQUIRE(not_acknowledged(*pub) == "");
        world.kill_daemon();
        meet(*pub, Fate::killed);
        world.start_daemon();
        for (const auto reader : both_vendors) {
            INFO(topic << " to " << name(reader));
            const auto sub = world.subscriber(reader,
                                              {"--topic",
                                               topic,
                                               "--type",
                                               "keyed",
                                               "--durability",
                                               "transient_local",
                                               "--expect",
                                               std::to_string(samples),
                                               "--settle",
                                               "1",
                                               "--quiet"});
            CHECK(flaws(*sub, samples) == "");
        }
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
