// Partitions, representations, ownership, reliability: the replay must match whom its source
// matched, and nobody else.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

constexpr std::uint64_t samples = 20;

// Leaves `samples` samples of a writer that has ended. Writers of one topic get different keys:
// between their replays there is no order to be had.
void leave(const World& world,
           const std::string& topic,
           std::uint32_t first_key,
           const Words& more,
           Vendor vendor = Vendor::cyclone) {
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
                  "--count",
                  std::to_string(samples),
                  "--first-key",
                  std::to_string(first_key)};
    options.insert(options.end(), more.begin(), more.end());
    const auto pub = world.publisher(vendor, options);
    INFO("writer of " << topic);
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);
}

std::string read(const World& world,
                 Vendor vendor,
                 const std::string& topic,
                 std::uint64_t expected,
                 const Words& more) {
    Words options{"--topic",
                  topic,
                  "--type",
                  "keyed",
                  "--durability",
                  "transient_local",
                  "--settle",
                  "1",
                  "--expect",
                  std::to_string(expected),
                  "--quiet"};
    options.insert(options.end(), more.begin(), more.end());
    return flaws(*world.subscriber(vendor, options), expected);
}

TEST_CASE("a reader has the history of the partitions it is in, and of no other") {
    World world;
    world.start_daemon();
    leave(world, "parted", 10, {"--partition", "left"});
    leave(world, "parted", 20, {"--partition", "right"}, Vendor::fastdds);
    for (const auto vendor : both_vendors) {
        INFO(name(vendor));
        CHECK(read(world, vendor, "parted", samples, {"--partition", "left"}) == "");
        CHECK(read(world, vendor, "parted", samples, {"--partition", "ri*"}) == "");
        CHECK(read(world, vendor, "parted", 2 * samples, {"--partition", "*"}) == "");
    }
    world.stop_daemon();
}

TEST_CASE("writers whose partitions overlap are recorded once each") {
    World world;
    world.start_daemon();
    leave(world, "overlap", 10, {"--partition", "left"});
    // This one also matches the ingest reader of the first; its own comes with its own group.
    leave(world,
          "overlap",
          20,
          {"--partition", "left", "--partition", "middle", "--wait-matched", "2"});
    for (const auto vendor : both_vendors) {
        INFO(name(vendor));
        CHECK(read(world, vendor, "overlap", 2 * samples, {"--partition", "left"}) == "");
        CHECK(read(world, vendor, "overlap", samples, {"--partition", "middle"}) == "");
        CHECK(read(world, vendor, "overlap", 2 * samples, {"--partition", "*"}) == "");
    }
    world.stop_daemon();
}

TEST_CASE("XCDR2 samples come back as XCDR2, and not to a reader that cannot take them") {
    World world;
    world.start_daemon();
    leave(world, "modern", 10, {"--representation", "xcdr2"});
    leave(world, "modern", 20, {"--representation", "xcdr1"});
    CHECK(read(world, Vendor::cyclone, "modern", 2 * samples, {}) == "");
    CHECK(read(world, Vendor::cyclone, "modern", samples, {"--representation", "xcdr2"}) == "");
    CHECK(read(world, Vendor::cyclone, "modern", samples, {"--representation", "xcdr1"}) == "");
    // Fast DDS 2.9 ends with an uncaught exception on the first XCDR2 payload.
    CHECK(read(world, Vendor::fastdds, "modern", samples, {}) == "");
    world.stop_daemon();
}

TEST_CASE("a reader with exclusive ownership has the history of an exclusive writer") {
    World world;
    world.start_daemon();
    for (const auto writer : both_vendors) {
        const std::string topic = fmt::format("owned_{}", name(writer));
        leave(world, topic, 1, {"--ownership", "exclusive", "--ownership-strength", "5"}, writer);
        for (const auto reader : both_vendors) {
            INFO(topic << " to " << name(reader));
            CHECK(read(world, reader, topic, samples, {"--ownership", "exclusive"}) == "");
        }
    }
    world.stop_daemon();
}

TEST_CASE("a best-effort durable writer is recorded too") {
    World world;
    world.start_daemon();
    const auto pub = world.publisher(Vendor::cyclone,
                                     {"--topic",
                                      "unreliable",
                                      "--type",
                                      "keyed",
                                      "--durability",
                                      "persistent",
                                      "--reliability",
                                      "best_effort",
                                      "--durability-service",
                                      "keep_all",
                                      "--cleanup-delay",
                                      "infinite",
                                      "--keys",
                                      "3",
                                      "--count",
                                      std::to_string(samples),
                                      "--rate",
                                      "200"});
    REQUIRE(not_acknowledged(*pub) == "");
    meet(*pub, Fate::ended);
    for (const auto reader : both_vendors) {
        INFO(name(reader));
        CHECK(read(world, reader, "unreliable", samples, {}) == "");
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
