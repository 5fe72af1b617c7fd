#include "daemon/check_config.hpp"

#include "config/schema.hpp"
#include "durability/version.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::daemon;
using Catch::Contains;

namespace {

constexpr const char* busy = R"(
domains: [3, 4]
network: { interfaces: [eth0], peers: ["192.0.2.7:7410"], port_base: auto, multicast: no }
store: { directory: "/srv/a b", runtime_directory: /run/x }
topics:
  - topic: "rt/\u00e4*"
    partition: ""
    serve: transient_local
    contract: { scope: writer, cleanup_delay: 90s, max_samples: unlimited }
  - topic: other
    storage: memory
)";

std::string effective(const char* text) {
    const auto loaded = config::load_text("d.yaml", text);
    REQUIRE(loaded.has_value());
    return effective_configuration(*loaded);
}

}  // namespace

TEST_CASE("the effective configuration is a configuration that says the same") {
    for (const char* text : {"", busy}) {
        const std::string printed = effective(text);
        INFO(printed);
        const auto again = config::load_text("d.yaml", printed);
        if (!again) FAIL(config::to_text(again.error()));
        auto first = config::load_text("d.yaml", text);
        REQUIRE(first.has_value());
        REQUIRE(again->config.topics.size() == first->config.topics.size());
        Config before = first->config;
        Config after = again->config;
        for (const config::Option& option : config::options()) {
            CAPTURE(option.path);
            if (option.path.starts_with("topics[]")) {
                for (std::size_t i = 0; i < before.topics.size(); ++i) {
                    CHECK(config::format_value(option, option.slot({&before, &before.topics[i]})) ==
                          config::format_value(option, option.slot({&after, &after.topics[i]})));
                }
            } else {
                CHECK(config::format_value(option, option.slot({&before, nullptr})) ==
                      config::format_value(option, option.slot({&after, nullptr})));
            }
        }
    }
}

TEST_CASE("options two sections deep are printed as they are written") {
    if (!has_realtime()) return;
    const auto loaded = config::load_text(
        "d.yaml", "threads: { loop: { policy: rr, priority: 5 }, sync: { cpus: [0] } }\n");
    REQUIRE(loaded.has_value());
    const auto again = config::load_text("printed.yaml", effective_configuration(*loaded));
    if (!again) FAIL(config::to_text(again.error()));
    CHECK(again->config.threads.loop == loaded->config.threads.loop);
    CHECK(again->config.threads.sync == loaded->config.threads.sync);
    CHECK(again->config.threads.store.empty());
}

TEST_CASE("a rule is printed with the names it has in DDS and in ROS") {
    const std::string printed = effective(
        "topics:\n"
        "  - { ros_topic: /map, ros_type: nav_msgs/msg/OccupancyGrid }\n"
        "  - { topic: rt/tf_static, type: \"tf2_msgs::msg::dds_::TFMessage_\" }\n"
        "  - topic: other\n");
    CHECK_THAT(printed,
               Contains("  - ros_topic: \"/map\"") && Contains("# d.yaml:2; in DDS rt/map\n") &&
                   Contains("    ros_type: \"nav_msgs/msg/OccupancyGrid\"") &&
                   Contains("# d.yaml:2; in DDS nav_msgs::msg::dds_::OccupancyGrid_\n"));
    CHECK_THAT(printed, !Contains("topic: \"rt/map\""));
    CHECK_THAT(printed,
               Contains("# d.yaml:3; in ROS /tf_static\n") &&
                   Contains("# d.yaml:3; in ROS tf2_msgs/msg/TFMessage\n"));
    CHECK_THAT(printed, Contains("  - topic: \"other\"                          # d.yaml:4\n"));
    const auto again = config::load_text("d.yaml", printed);
    REQUIRE(again.has_value());
    CHECK(again->config.topics[0].topic == "rt/map");
    CHECK(again->config.topics[1].topic == "rt/tf_static");
}

TEST_CASE("a store directory in memory is warned of") {
    const auto checked = [](const std::string& directory) {
        const auto loaded =
            config::load_text("d.yaml", "store:\n  directory: " + directory + "/not/made/yet\n");
        REQUIRE(loaded.has_value());
        return config::to_text(check_surroundings(*loaded));
    };
    CHECK(checked("/proc").empty());
    // /dev/shm is a tmpfs wherever POSIX shared memory works.
    CHECK_THAT(checked("/dev/shm"),
               Contains("d.yaml:2:14: warning: store.directory: '/dev/shm/not/made/yet' lies in "
                        "memory"));
}

TEST_CASE("every value is printed with where it came from") {
    const std::string printed = effective(busy);
    CHECK_THAT(printed, Contains("domains: [3, 4]                             # d.yaml:2\n"));
    CHECK_THAT(printed, Contains("  sync: commit                              # default\n"));
    CHECK_THAT(printed, Contains("  - topic: \"rt/ä*\""));
    CHECK_THAT(printed, Contains("# d.yaml:9\n"));
    CHECK_THAT(effective(""), Contains("topics: []"));
}
