// System calls of the daemon that fail or do not return, by way of strace: what a disk that breaks
// looks like from inside the program. Skipped, visibly, where a process may not trace another.
#include "faults.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <thread>

namespace durability::interop {
namespace {

// Longer than any test waits.
constexpr std::string_view for_ever = "delay_enter=600000000";

// SIGTERM has to have its effect within this time, whatever the disk does (durabilityd(8)).
constexpr auto stop_limit = 5s;

std::uint64_t bytes_below(const std::filesystem::path& directory) {
    std::uint64_t sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        std::error_code gone;
        if (entry.is_regular_file(gone)) sum += entry.file_size(gone);
    }
    return sum;
}

TEST_CASE("a disk that refuses writes or syncs holds acknowledgements back until it works") {
    if (!can_inject()) return;
    const auto inject = GENERATE(as<std::string>{},
                                 "pwrite64:error=EDQUOT",
                                 "pwrite64:error=EROFS",
                                 "pwrite64:error=EIO",
                                 "fdatasync:error=EIO");
    INFO(inject);
    World world;
    world.start_daemon();
    Source readable(world, "readable", Kind::persistent, 20, "100");
    Source held(world, "held", Kind::persistent, 20, "1000");
    {
        Injection fault(world.daemon().pid(), inject);
        held.write(20);
        require_event(world, "StoreDegraded");
        // What is readable is served. That takes longer than an acknowledgement would.
        CHECK(late_flaws(world, "readable", 20) == "");
        CHECK_FALSE(held.acknowledged(0ms));
        fault.lift();
    }
    require_event(world, "StoreRecovered");
    CHECK(held.acknowledged());
    held.leave();
    world.kill_daemon();
    world.start_daemon();
    CHECK(late_flaws(world, "held", 40) == "");
    world.stop_daemon();
}

TEST_CASE("calls that are interrupted or fail now and then lose nothing") {
    if (!can_inject()) return;
    const auto inject = GENERATE(as<std::string>{},
                                 "pwrite64:error=EINTR:when=1+2",
                                 "pread64:error=EINTR:when=1+2",
                                 "ftruncate:error=EINTR:when=1+2",
                                 "fdatasync:error=EINTR:when=1+3",
                                 "fdatasync:error=EIO:when=2+5");
    INFO(inject);
    World world;
    world.start_daemon();
    {
        Source source(world, "now_and_then", Kind::persistent, 10, "1000");
        Injection fault(world.daemon().pid(), inject);
        for (int burst = 0; burst < 6; ++burst) {
            source.write(30);
            REQUIRE(source.acknowledged());
        }
        CHECK(late_flaws(world, "now_and_then", 190) == "");
        source.leave();
    }
    world.kill_daemon();
    world.start_daemon();
    CHECK(late_flaws(world, "now_and_then", 190) == "");
    world.stop_daemon();
}

TEST_CASE("renames that fail for a while cost no sample") {
    if (!can_inject()) return;
    // What failed is tried again by the regular clean-up at the latest.
    World world("", "cleanup: { interval: 1s }\n");
    world.start_daemon();
    const auto publisher = world.publisher(Vendor::cyclone,
                                           {"--topic",
                                            "newest",
                                            "--durability",
                                            "persistent",
                                            "--durability-service",
                                            "keep_last:1",
                                            "--cleanup-delay",
                                            "infinite",
                                            "--count",
                                            "2",
                                            "--size",
                                            "50000"});
    REQUIRE(not_acknowledged(*publisher) == "");
    {
        Injection fault(world.daemon().pid(), "rename,renameat,renameat2:error=EIO");
        publisher->write_line("write 100");
        publisher->write_line("wait_acks");
        // Either nothing needs the new name yet, or the topic waits, visibly.
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!publisher->wait_line("ACKED 102", 20ms) &&
               !world.daemon().wait_line("event=StoreDegraded", 0ms)) {
            REQUIRE(std::chrono::steady_clock::now() < end);
        }
        fault.lift();
    }
    REQUIRE(publisher->wait_line("ACKED 102", patience).has_value());
    publisher->write_line("write 60");
    publisher->write_line("wait_acks");
    REQUIRE(publisher->wait_line("ACKED 162", patience).has_value());
    CHECK(late_flaws(world, "newest", 1) == "");
    // Of more than eight megabytes one sample is left, and what is not worth rewriting.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (bytes_below(world.state_directory()) > 3'000'000) {
        REQUIRE(std::chrono::steady_clock::now() < deadline);
        std::this_thread::sleep_for(20ms);
    }
    meet(*publisher, Fate::ended);
    world.kill_daemon();
    world.start_daemon();
    CHECK(late_flaws(world, "newest", 1) == "");
    world.stop_daemon();
}

// Whether the process has done all it does by itself. The kernel does not take it away before the
// thread that waits for the disk has gone, and neither does a tracer.
bool has_ended(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("State:")) return line.find('Z') != std::string::npos;
    }
    return true;
}

TEST_CASE("a disk that does not answer stops nothing but what waits for it") {
    if (!can_inject()) return;
    World world;
    world.start_daemon();
    Source readable(world, "readable", Kind::persistent, 20, "100");
    Source held(world, "held", Kind::persistent, 20, "100");
    Source in_memory(world, "memory", Kind::transient, 5, "100");
    Injection stuck(world.daemon().pid(), fmt::format("fdatasync,fsync:{}", for_ever));
    held.write(20);
    // Long enough for the first sync to be stuck.
    CHECK(late_flaws(world, "readable", 20) == "");
    in_memory.write(5);
    REQUIRE(in_memory.acknowledged(15s));
    CHECK(late_flaws(world, "memory", 10) == "");
    CHECK_FALSE(held.acknowledged(0ms));

    const auto deadline = std::chrono::steady_clock::now() + stop_limit;
    world.daemon().kill(SIGTERM);
    while (!has_ended(world.daemon().pid()) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(20ms);
    CHECK(has_ended(world.daemon().pid()));
    stuck.lift();
    const auto ended = world.daemon().wait(patience);
    REQUIRE(ended.has_value());
    CHECK(ended->signal == 0);
    CHECK(ended->status == 0);
    // The writer has kept what was not acknowledged, so nothing is missing.
    world.start_daemon();
    CHECK(held.acknowledged());
    CHECK(late_flaws(world, "held", 40) == "");
    CHECK(late_flaws(world, "readable", 20) == "");
    world.stop_daemon();
}

TEST_CASE("a disk that does not answer holds up a new topic on it and no other") {
    if (!can_inject()) return;
    World world;
    world.start_daemon();
    Source readable(world, "readable", Kind::persistent, 20, "100");
    Injection stuck(world.daemon().pid(), fmt::format("fdatasync,fsync:{}", for_ever));
    // On disk: it cannot be served before its files are made.
    const auto fresh = world.publisher(Vendor::cyclone,
                                       {"--topic",
                                        "fresh",
                                        "--durability",
                                        "persistent",
                                        "--durability-service",
                                        "keep_all",
                                        "--cleanup-delay",
                                        "infinite",
                                        "--count",
                                        "5"});
    Source in_memory(world, "memory", Kind::transient, 5, "100");
    CHECK(late_flaws(world, "memory", 5) == "");
    CHECK(late_flaws(world, "readable", 20) == "");
    CHECK_FALSE(fresh->wait_line("ACKED ", 0ms).has_value());
    stuck.lift();
    CHECK(fresh->wait_line("ACKED 5", patience).has_value());
    CHECK(late_flaws(world, "fresh", 5) == "");
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
