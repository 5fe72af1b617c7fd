// `durabilityctl explain` and `readers` with real peers: what is said of each writer and reader.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

using Catch::Contains;
using test::Process;

std::unique_ptr<Process> write(const World& world,
                               Vendor vendor,
                               const std::string& topic,
                               const std::string& durability,
                               const Words& more) {
    Words options{"--topic", topic, "--type", "keyed", "--durability", durability};
    options.insert(options.end(), {"--count", "10", "--keys", "2", "--timeout", "120"});
    options.insert(options.end(), more.begin(), more.end());
    return world.publisher(vendor, options);
}

std::unique_ptr<Process> read(const World& world,
                              Vendor vendor,
                              const std::string& topic,
                              const std::string& durability,
                              const Words& more) {
    Words options{
        "--topic", topic, "--durability", durability, "--stay", "--quiet", "--timeout", "120"};
    options.insert(options.end(), more.begin(), more.end());
    return world.subscriber(vendor, options);
}

// A topic whose every reader has a reason of its own, and what is said of them.
void check_readers(World& world) {
    const auto writer = write(world,
                              Vendor::cyclone,
                              "told",
                              "transient",
                              {"--partition", "left", "--durability-service", "keep_all"});
    REQUIRE(not_acknowledged(*writer) == "");
    const Words keyed_left{"--type", "keyed", "--partition", "left"};
    std::vector<std::unique_ptr<Process>> readers;
    for (const Vendor vendor : both_vendors)
        readers.push_back(read(world, vendor, "told", "transient_local", keyed_left));
    readers.push_back(read(world, Vendor::cyclone, "told", "persistent", keyed_left));
    readers.push_back(read(world, Vendor::cyclone, "told", "volatile", keyed_left));
    readers.push_back(read(world,
                           Vendor::fastdds,
                           "told",
                           "transient_local",
                           {"--type", "keyed", "--partition", "right"}));
    readers.push_back(read(world,
                           Vendor::fastdds,
                           "told",
                           "transient_local",
                           {"--type", "unkeyed", "--partition", "left"}));

    const Words expected{"Served in group 1",
                         "Cyclone DDS, TRANSIENT_LOCAL, reliable",
                         "Fast DDS, TRANSIENT_LOCAL, reliable",
                         "Group 1: complete",
                         "10 owed, 10 sent, 10 acknowledged",
                         "durability: offered TRANSIENT, requested PERSISTENT",
                         "Group 1: unserved: requests VOLATILE",
                         "partition: offered \"left\", requested \"right\"",
                         "type: offered "};
    const std::string text = run_tool_until(world, {"explain", "told"}, expected);
    INFO(text);
    for (const std::string& part : expected)
        CHECK_THAT(text, Contains(part));
    CHECK_THAT(text, Contains("To do: put both into a common partition"));

    const std::string table = run_tool_until(world, {"readers", "told"}, {"unserved", "complete"});
    INFO(table);
    CHECK_THAT(table, Contains("Fast DDS") && Contains("requests VOLATILE"));
    CHECK_THAT(run_tool(world, {"readers", "other"}), Contains("durabilityctl explain other"));
    CHECK_THAT(run_tool(world, {"explain", "tolt"}), Contains("did you mean told?"));
}

void check_writers(const World& world) {
    const Words nobody{"--wait-matched", "0"};
    const auto denied = write(world, Vendor::fastdds, "secret", "transient", nobody);
    const auto latched = write(world, Vendor::fastdds, "latched", "transient_local", nobody);
    const auto live = write(world, Vendor::cyclone, "live", "volatile", nobody);
    const std::string rule = (world.directory() / "durabilityd.yaml").string() + ":2";
    const auto says = [&](const std::string& topic, const std::string& expected) {
        CHECK_THAT(run_tool_until(world, {"explain", topic}, {expected}), Contains(expected));
    };
    says("secret", fmt::format("Not served: the rule at {} says serve: never", rule));
    says("latched", "it offers TRANSIENT_LOCAL, and TRANSIENT is the least that is served");
    says("live", "Not served: it offers VOLATILE");
    const auto reader =
        read(world, Vendor::cyclone, "live", "transient_local", {"--type", "keyed"});
    says("live", "durability: offered VOLATILE, requested TRANSIENT_LOCAL");
}

TEST_CASE("every writer and reader of either vendor is told why it is served or not", "[explain]") {
    World world("  - { topic: secret, serve: never }\n");
    world.start_daemon();
    check_readers(world);
    check_writers(world);
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
