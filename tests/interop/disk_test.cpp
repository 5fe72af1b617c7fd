// Disks that are full, limited, unusable or exchanged, under the real daemon between a real writer
// and a real reader. What is acknowledged is safe, what cannot be stored is not acknowledged, the
// rest of the plant goes on, and all heals by itself.
#include "faults.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <csignal>
#include <fstream>

#include <unistd.h>

namespace durability::interop {
namespace {

// The disk has to be full for the writes, not down to a reserve.
constexpr std::string_view no_reserve = "limits: { reserve_disk: 0 }\n";

// Somebody else takes all the room there is.
void fill(const std::filesystem::path& file) {
    std::ofstream out(file, std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
}

// Everything that has to go on while `topic` cannot be recorded. Takes its time, and at the end of
// it nothing that is not safe has been acknowledged.
void check_rest_goes_on(World& world, Source& held, Source& in_memory, std::uint64_t readable) {
    in_memory.write(5);
    CHECK(in_memory.acknowledged());
    CHECK(late_flaws(world, "memory", in_memory.written()) == "");
    CHECK(late_flaws(world, "readable", readable) == "");
    CHECK_FALSE(held.acknowledged(0ms));
    CHECK_FALSE(world.daemon().wait(0ms).has_value());
}

// After the cause has gone.
void check_healed(World& world, Source& held, const std::string& topic, std::size_t from) {
    require_event(world, "StoreRecovered", from);
    INFO(held.output() << world.daemon().output());
    CHECK(held.acknowledged());
    CHECK(late_flaws(world, topic, held.written()) == "");
    // Nothing depends on what this process remembers.
    held.leave();
    world.stop_daemon();
    world.start_daemon();
    CHECK(late_flaws(world, topic, held.written()) == "");
    world.stop_daemon();
}

TEST_CASE("a limit on the size of files holds one topic up and ends nothing") {
    World world;
    world.start_daemon();
    Source readable(world, "readable", Kind::persistent, 20, "100");
    Source in_memory(world, "memory", Kind::transient, 5, "100");
    Source held(world, "large", Kind::persistent, 5, "50000");

    // A sample of the large topic fits into no file any more, those of the others do.
    limit_file_size(world.daemon().pid(), 32UL << 10U);
    held.write(5);
    require_event(world, "StoreDegraded");
    check_rest_goes_on(world, held, in_memory, 20);
    {
        // What is stored of the topic itself is served as well. What is not acknowledged comes from
        // its writer too, which still holds it; of that a second copy is not excluded.
        const auto reader = world.subscriber(
            Vendor::cyclone,
            {"--topic", "large", "--durability", "transient_local", "--expect", "5", "--quiet"});
        const auto found = summaries(*reader).at(0);
        CHECK(found.valid >= 5);
        CHECK(found.lowest == 1);
        CHECK(found.bad == 0);
    }

    const std::size_t from = world.daemon().line_count();
    unlimit_file_size(world.daemon().pid());
    check_healed(world, held, "large", from);
}

TEST_CASE("a full disk holds its topics up until there is room again") {
    World world("", no_reserve);
    SmallDisk disk(world.state_directory(), 32UL << 20U);
    if (!disk.mounted()) return;
    world.start_daemon();
    Source readable(world, "readable", Kind::persistent, 20, "100");
    Source in_memory(world, "memory", Kind::transient, 5, "100");
    Source held(world, "filling", Kind::persistent, 5, "100000");

    fill(world.state_directory() / "filler");
    held.write(5);
    require_event(world, "StoreDegraded");
    check_rest_goes_on(world, held, in_memory, 20);

    const std::size_t from = world.daemon().line_count();
    std::filesystem::remove(world.state_directory() / "filler");
    check_healed(world, held, "filling", from);
}

TEST_CASE("more writers than file descriptors") {
    constexpr std::size_t descriptors = 64;
    constexpr std::size_t topics = 80;
    World world;
    world.start_daemon_with({"prlimit", fmt::format("--nofile={0}:{0}", descriptors)});
    world.start_daemon();
    require_event(world, "ResourceLimit");

    const auto topic = [](std::size_t i) { return fmt::format("many_{}", i); };
    std::vector<std::unique_ptr<Source>> sources;
    for (std::size_t i = 0; i < topics; ++i) {
        sources.push_back(std::make_unique<Source>(world, topic(i), Kind::persistent, 3, "100"));
        // Some stay, so that the daemon goes back to logs that it had to close.
        if (i % 8 != 0) std::exchange(sources.back(), nullptr)->leave();
    }
    for (int again = 0; again < 2; ++again) {
        const auto reader = world.subscriber(
            Vendor::cyclone,
            {"--durability", "transient_local", "--on-request", "--quiet", "--settle", "0.02"});
        for (std::size_t i = 0; i < topics; ++i) {
            if (sources[i]) {
                sources[i]->write(3);
                CHECK(sources[i]->acknowledged());
            }
            const std::uint64_t expected = sources[i] ? sources[i]->written() : 3;
            const std::size_t from = reader->line_count();
            reader->write_line(fmt::format("join {} {}", topic(i), expected));
            const auto line = reader->wait_line("SUMMARY ", patience, from);
            REQUIRE(line.has_value());
            INFO(topic(i) << ": " << *line);
            const Summary found = parse_summary(*line);
            CHECK(found.valid == expected);
            CHECK(found.duplicates + found.out_of_order + found.bad == 0);
        }
        CHECK_FALSE(world.daemon().wait_line("event=StoreDegraded", 0ms).has_value());
        world.stop_daemon();
        world.start_daemon();
    }
    world.stop_daemon();
}

TEST_CASE("a state directory that was exchanged is noticed and healed") {
    World world;
    world.start_daemon();
    Source held(world, "exchanged", Kind::persistent, 5, "100");
    const auto away = world.directory() / "away";
    std::filesystem::rename(world.state_directory(), away);
    std::filesystem::create_directory(world.state_directory());

    held.write(5);
    REQUIRE(world.daemon().wait_line("event=StoreDegraded", 15s).has_value());
    held.write(5);
    {
        // Discovery goes on, and takes longer than an acknowledgement.
        Source in_memory(world, "memory", Kind::transient, 5, "100");
        CHECK(late_flaws(world, "memory", 5) == "");
    }
    CHECK_FALSE(held.acknowledged(0ms));

    const std::size_t from = world.daemon().line_count();
    std::filesystem::remove_all(world.state_directory());
    std::filesystem::rename(away, world.state_directory());
    check_healed(world, held, "exchanged", from);
}

TEST_CASE("a state directory that was deleted is noticed") {
    World world;
    world.start_daemon();
    Source held(world, "deleted", Kind::persistent, 5, "100");
    std::filesystem::remove_all(world.state_directory());
    held.write(5);
    REQUIRE(world.daemon().wait_line("event=StoreDegraded", 15s).has_value());
    held.write(5);
    Source in_memory(world, "memory", Kind::transient, 5, "100");
    CHECK_FALSE(held.acknowledged(0ms));
    world.kill_daemon();
}

// Status and output of a daemon that is expected to refuse to start.
void check_refused(const World& world, int status, const std::string& reason) {
    const auto daemon = world.launch_daemon();
    const auto ended = daemon->wait(10s);
    INFO(daemon->output());
    REQUIRE(ended.has_value());
    CHECK(ended->status == status);
    const auto line = daemon->wait_line(reason, 0ms);
    REQUIRE(line.has_value());
    CHECK(line->find(world.state_directory().string()) != std::string::npos);
}

constexpr int exit_io = 74;
constexpr int exit_permission = 77;

TEST_CASE("a store that cannot be used is refused by name") {
    World world;
    SECTION("a file in its place") {
        std::filesystem::remove(world.state_directory());
        std::ofstream(world.state_directory()) << "not a directory\n";
        check_refused(world, exit_io, "Not a directory");
    }
    SECTION("a link that leads nowhere in its place") {
        std::filesystem::remove(world.state_directory());
        std::filesystem::create_symlink(world.directory() / "nowhere" / "state",
                                        world.state_directory());
        check_refused(world, exit_io, "Not a directory");
    }
    SECTION("a file in the place of its parent") {
        std::filesystem::remove(world.state_directory());
        std::ofstream(world.directory() / "parent") << "not a directory\n";
        std::filesystem::create_symlink(world.directory() / "parent" / "state",
                                        world.state_directory());
        check_refused(world, exit_io, "Not a directory");
    }
    SECTION("read-only") {
        SmallDisk disk(world.state_directory(), 1UL << 20U);
        if (!disk.mounted()) return;
        disk.make_read_only();
        check_refused(world, exit_permission, "Read-only file system");
    }
    SECTION("somebody else's") {
        if (::getuid() != 0) {
            fmt::print("SKIPPED, only root can start the daemon as somebody else\n");
            return;
        }
        constexpr auto everybody = std::filesystem::perms(0755);
        std::filesystem::permissions(world.directory(), everybody);
        std::filesystem::permissions(world.directory() / "run", std::filesystem::perms(0777));
        world.start_daemon_with(
            {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"});
        check_refused(world, exit_permission, "Permission denied");
    }
}

}  // namespace
}  // namespace durability::interop
