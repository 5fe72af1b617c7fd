// What a late reader may ask of its writers besides data: deadline, liveliness, presentation,
// order, ownership. The replay matches every reader that its source matched, and keeps what the
// source promised: no reader is alarmed about the daemon.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::uint64_t samples = 12;

struct Promise {
    std::string name;
    Words writer;
    Words reader;
    bool fastdds{true};  // it can ask for it
};

std::vector<Promise> promises() {
    const Words deadline{"--deadline", "2500"};
    const Words order{"--destination-order", "source"};
    const Words ordered{"--access-scope", "topic", "--ordered-access", "yes"};
    const Words group{"--access-scope", "group", "--ordered-access", "yes"};
    const Words texts{
        "--user-data", "of the user", "--topic-data", "of the topic", "--group-data", "of all"};
    std::vector<Promise> all{
        {"nothing", {}, {}},
        {"deadline", deadline, deadline},
        {"latency_budget", {"--latency-budget", "20"}, {"--latency-budget", "50"}},
        {"order", order, order, false},
        {"topic_access", ordered, ordered},
        {"group_access", group, group},
        {"texts", texts, {}},
        {"lifespan", {"--lifespan", "60000"}, {}},
        {"ownership",
         {"--ownership", "exclusive", "--ownership-strength", "7"},
         {"--ownership", "exclusive"}},
    };
    for (const std::string kind : {"automatic", "manual_by_participant", "manual_by_topic"}) {
        const Words asked{"--liveliness", kind, "--liveliness-lease", "700"};
        all.push_back({kind, asked, asked});
    }
    // Offered more than is asked for.
    all.push_back({"stricter_liveliness",
                   {"--liveliness", "manual_by_topic", "--liveliness-lease", "700"},
                   {"--liveliness", "automatic", "--liveliness-lease", "900"}});
    return all;
}

std::unique_ptr<Process> start_reader(const World& world,
                                      Vendor vendor,
                                      const std::string& topic,
                                      const Words& more) {
    // It stays for several leases after the last sample.
    Words options{"--topic", topic, "--type", "keyed", "--durability", "transient_local"};
    options.insert(options.end(), {"--expect", std::to_string(samples), "--settle", "1.4"});
    options.insert(options.end(), {"--quiet", "--timeout", "45"});
    options.insert(options.end(), more.begin(), more.end());
    return world.subscriber(vendor, options);
}

// The lines in which a reader complains.
std::string alarms(const Process& reader) {
    std::string found;
    for (const std::string& line : reader.lines()) {
        if (!line.starts_with("STATUS ")) continue;
        const bool alive = line.find("liveliness_changed") != std::string::npos &&
                           line.find("not_alive=0") != std::string::npos;
        if (!alive) found += line + "\n";
    }
    return found;
}

TEST_CASE("what a source promised its readers, its replay keeps", "[qos]") {
    World world(serve_latched);
    world.start_daemon();
    std::chrono::steady_clock::time_point written;
    for (const Vendor vendor : both_vendors) {
        for (const Promise& promise : promises()) {
            if (vendor == Vendor::fastdds && !promise.fastdds) continue;
            Words options{"--topic",
                          fmt::format("latched_{}_{}", promise.name, name(vendor)),
                          "--type",
                          "keyed",
                          "--durability",
                          "transient_local",
                          "--durability-service",
                          "keep_all",
                          "--cleanup-delay",
                          "infinite",
                          "--keys",
                          "3",
                          "--count",
                          std::to_string(samples)};
            options.insert(options.end(), promise.writer.begin(), promise.writer.end());
            const auto writer = world.publisher(vendor, options);
            INFO("writer of " << promise.name);
            REQUIRE(not_acknowledged(*writer) == "");
            meet(*writer, Fate::ended);
            written = std::chrono::steady_clock::now();
        }
    }
    // Older than any deadline here: what is late for its writer is not late for its reader.
    std::this_thread::sleep_until(written + 2600ms);

    for (const Promise& promise : promises()) {
        struct Reading {
            std::string what;
            std::unique_ptr<Process> reader;
        };
        std::vector<Reading> readings;
        for (const Vendor writer : both_vendors) {
            if (writer == Vendor::fastdds && !promise.fastdds) continue;
            for (const Vendor reader : both_vendors) {
                if (reader == Vendor::fastdds && !promise.fastdds) continue;
                const std::string topic = fmt::format("latched_{}_{}", promise.name, name(writer));
                readings.push_back({fmt::format("{} to {}", topic, name(reader)),
                                    start_reader(world, reader, topic, promise.reader)});
            }
        }
        for (const Reading& reading : readings) {
            INFO(reading.what);
            CHECK(flaws(*reading.reader, samples) == "");
            CHECK(alarms(*reading.reader) == "");
        }
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
