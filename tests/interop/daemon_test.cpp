// The daemon as its neighbours see it: who owns a directory, and what is on the wire.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace durability::interop {
namespace {

using test::Launch;
using test::Process;

constexpr int exit_directory_in_use = 75;

TEST_CASE("a second daemon on the same directory is refused, and a killed one is no obstacle") {
    World world;
    world.start_daemon();
    const auto second = world.launch_daemon();
    const auto ended = second->wait(10s);
    REQUIRE(ended.has_value());
    CHECK(ended->status == exit_directory_in_use);
    INFO(second->output());
    CHECK(second->wait_line(world.state_directory().string(), 0ms).has_value());
    CHECK(second->wait_line(std::to_string(world.daemon().pid()), 0ms).has_value());

    world.kill_daemon();
    world.start_daemon();
    world.stop_daemon();
    CHECK(world.daemon().wait(0ms)->status == 0);
}

// tshark's verdict on a capture: one line for each packet the filter lets through.
Words packets(const std::filesystem::path& capture, const std::string& filter) {
    Process tshark(Launch{"tshark",
                          {"-n",
                           "-r",
                           capture.string(),
                           "-Y",
                           filter,
                           "-T",
                           "fields",
                           "-e",
                           "frame.number",
                           "-e",
                           "_ws.col.Info"},
                          {}});
    const auto ended = tshark.wait(patience);
    INFO(tshark.output());
    REQUIRE(ended.has_value());
    REQUIRE(ended->status == 0);
    Words lines = tshark.lines();
    // What tshark has to say about running as root.
    lines.erase(std::remove_if(lines.begin(),
                               lines.end(),
                               [](const std::string& line) { return line.starts_with("Running"); }),
                lines.end());
    return lines;
}

TEST_CASE("tshark finds nothing malformed in what the daemon sends") {
    World world(
        "  - topic: \"seen_*\"\n"
        "    serve: transient_local\n"
        "    contract: { history: keep_all, cleanup_delay: infinite }\n");
    const auto capture = world.directory() / "capture.pcapng";
    Process dumpcap(Launch{"dumpcap", {"-q", "-i", "lo", "-B", "64", "-w", capture.string()}, {}});
    INFO(dumpcap.output());
    REQUIRE(dumpcap.wait_line("File: ", patience).has_value());

    world.start_daemon();
    for (const auto writer : both_vendors) {
        for (const std::string type : {"unkeyed", "keyed"}) {
            const std::string topic = fmt::format("seen_{}_{}", name(writer), type);
            const auto pub = world.publisher(writer,
                                             {"--topic",
                                              topic,
                                              "--type",
                                              type,
                                              "--durability",
                                              "transient_local",
                                              "--durability-service",
                                              "keep_all",
                                              "--cleanup-delay",
                                              "infinite",
                                              "--count",
                                              "12",
                                              "--keys",
                                              "3",
                                              "--sizes",
                                              "0,100,5000,70000"});
            REQUIRE(not_acknowledged(*pub) == "");
            if (type == "keyed") {
                CHECK(pub->write_line("dispose 1"));
                CHECK(pub->write_line("unregister 2"));
                CHECK(pub->write_line("wait_acks"));
            }
            meet(*pub, Fate::ended);
            for (const auto reader : both_vendors) {
                const auto sub = world.subscriber(reader,
                                                  {"--topic",
                                                   topic,
                                                   "--type",
                                                   type,
                                                   "--durability",
                                                   "transient_local",
                                                   "--expect",
                                                   "12",
                                                   "--quiet"});
                INFO(topic << " to " << name(reader));
                CHECK(flaws(*sub, 12) == "");
            }
        }
    }
    // Coming back has messages of its own.
    world.kill_daemon();
    world.start_daemon();
    for (const auto reader : both_vendors) {
        const auto sub = world.subscriber(reader,
                                          {"--topic",
                                           "seen_cyclone_keyed",
                                           "--type",
                                           "keyed",
                                           "--durability",
                                           "transient_local",
                                           "--expect",
                                           "12",
                                           "--quiet"});
        CHECK(flaws(*sub, 12) == "");
    }
    world.stop_daemon();
    dumpcap.kill(SIGINT);
    REQUIRE(dumpcap.wait(patience).has_value());

    const std::string ours = "rtps.vendorId == 0x017f";
    const auto seen = packets(capture, ours);
    fmt::print("tshark: {} datagrams of the daemon\n", seen.size());
    CHECK(seen.size() > 50);
    CHECK(packets(capture, ours + " && (_ws.malformed || _ws.expert.group == \"Malformed\")") ==
          Words{});
}

}  // namespace
}  // namespace durability::interop
