// The measuring instruments themselves, without a daemon: what these two do not manage between them
// cannot be blamed on it.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <csignal>

namespace durability::interop {
namespace {

using test::Launch;
using test::Process;

TEST_CASE("a process is read line by line, given orders, and waited for") {
    Process cat(Launch{"cat", {}, {}});
    CHECK(cat.write_line("first"));
    CHECK(cat.write_line("second"));
    CHECK(cat.wait_line("second", 10s) == "second");
    CHECK(cat.wait_line("first", 10s, 1) == std::nullopt);
    CHECK(cat.lines() == Words{"first", "second"});
    CHECK(cat.resident_kib().value_or(0) > 0);
    CHECK(cat.cpu_seconds().has_value());
    CHECK_FALSE(cat.wait(0ms).has_value());

    cat.close_stdin();
    const auto ended = cat.wait(10s);
    REQUIRE(ended.has_value());
    CHECK(ended->status == 0);
    CHECK_FALSE(cat.resident_kib().has_value());
}

TEST_CASE("a process tells how it ended, and gets the environment it was given") {
    Process shell(Launch{"sh", {"-c", "echo out $WORD; echo err >&2; exit 3"}, {"WORD=given"}});
    const auto ended = shell.wait(10s);
    REQUIRE(ended.has_value());
    CHECK(ended->status == 3);
    CHECK(shell.wait_line("out given", 0ms).has_value());
    CHECK(shell.wait_line("err", 0ms).has_value());

    Process victim(Launch{"cat", {}, {}});
    victim.kill(SIGKILL);
    const auto killed = victim.wait(10s);
    REQUIRE(killed.has_value());
    CHECK(killed->signal == SIGKILL);

    Process nothing(Launch{"/nonexistent/program", {}, {}});
    const auto refused = nothing.wait(10s);
    REQUIRE(refused.has_value());
    CHECK(refused->status == 127);
}

TEST_CASE(
    "a late reader of either vendor has the whole history of a living transient-local writer") {
    const World world;
    for (const auto writer : both_vendors) {
        for (const std::string type : {"unkeyed", "keyed"}) {
            const std::string topic = fmt::format("direct_{}_{}", name(writer), type);
            auto pub = world.publisher(writer,
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
                                        "30",
                                        "--keys",
                                        "3",
                                        "--sizes",
                                        "0,1,100,1344,3000",
                                        "--wait-matched",
                                        "0"});
            REQUIRE(not_acknowledged(*pub) == "");
            for (const auto reader : both_vendors) {
                INFO(topic << " to " << name(reader));
                auto sub = world.subscriber(reader,
                                            {"--topic",
                                             topic,
                                             "--type",
                                             type,
                                             "--durability",
                                             "transient_local",
                                             "--expect",
                                             "30",
                                             "--quiet"});
                CHECK(flaws(*sub, 30) == "");
            }
        }
    }
}

}  // namespace
}  // namespace durability::interop
