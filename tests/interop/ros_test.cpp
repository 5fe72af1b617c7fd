// ROS 2 as it is on the wire: mangled names and the QoS of its latched topics, with the examples we
// ship as the configuration.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace durability::interop {
namespace {

using Catch::Contains;
using test::Process;

struct RosTopic {
    std::string topic;
    std::string type;
};

const RosTopic transforms{"rt/tf_static", "tf2_msgs::msg::dds_::TFMessage_"};
const std::array newest_only{
    RosTopic{"rt/robot_description", "std_msgs::msg::dds_::String_"},
    RosTopic{"rt/map", "nav_msgs::msg::dds_::OccupancyGrid_"},
};

// The daemon's configuration is what the examples say and nothing else, as rules of packages.
void use_examples(const World& world, const Words& names) {
    const auto rules = world.directory() / "conf.d";
    std::filesystem::create_directory(rules);
    for (const std::string& name : names)
        std::filesystem::copy_file(std::filesystem::path(EXAMPLES_DIRECTORY) / name, rules / name);
}

// qos_profile: RELIABLE, TRANSIENT_LOCAL, KEEP_LAST; no key.
Words latched(const RosTopic& of, int depth) {
    return {"--topic",
            of.topic,
            "--type-name",
            of.type,
            "--durability",
            "transient_local",
            "--reliability",
            "reliable",
            "--history",
            fmt::format("keep_last:{}", depth),
            "--timeout",
            "120"};
}

// A node that latches one sample, with this number in it.
std::unique_ptr<Process> node(const World& world, Vendor vendor, const RosTopic& of, int number) {
    Words options = latched(of, 1);
    options.insert(options.end(), {"--count", "1", "--start-seq", std::to_string(number)});
    auto process = world.publisher(vendor, options);
    CHECK(not_acknowledged(*process) == "");
    return process;
}

// A node that comes when the others have gone. tf2 listens with depth 100.
std::unique_ptr<Process> late_node(const World& world,
                                   Vendor vendor,
                                   const RosTopic& of,
                                   int expect) {
    Words options = latched(of, of.topic == transforms.topic ? 100 : 1);
    options.insert(options.end(), {"--expect", std::to_string(expect)});
    return world.subscriber(vendor, options);
}

void check_late_nodes(const World& world, int round) {
    for (const Vendor vendor : both_vendors) {
        CAPTURE(name(vendor), round);
        const auto all = late_node(world, vendor, transforms, round);
        std::vector<std::unique_ptr<Process>> newest;
        for (const RosTopic& of : newest_only)
            newest.push_back(late_node(world, vendor, of, 1));
        CHECK(flaws(*all, static_cast<std::uint64_t>(round)) == "");
        for (const auto& one : newest) {
            const auto found = summaries(*one);
            INFO(one->output());
            REQUIRE(found.size() == 1);
            CHECK(found[0].valid == 1);
            CHECK(found[0].lowest == static_cast<std::uint64_t>(round));
        }
    }
}

TEST_CASE("latched topics of a ROS 2 robot outlive their nodes by the rules that are shipped",
          "[ros]") {
    World world;
    use_examples(world, {"ros2-map.yaml", "ros2-robot_description.yaml", "ros2-tf_static.yaml"});
    world.start_daemon();
    int round = 0;
    for (const Vendor vendor : both_vendors) {
        ++round;
        std::vector<std::unique_ptr<Process>> nodes;
        nodes.push_back(node(world, vendor, transforms, round));
        for (const RosTopic& of : newest_only)
            nodes.push_back(node(world, vendor, of, round));
        for (const auto& one : nodes)
            meet(*one, Fate::killed);
        // Of the transforms every broadcaster counts, of the others the newest sample.
        check_late_nodes(world, round);
    }
    world.kill_daemon();
    world.start_daemon();
    check_late_nodes(world, round);
    CHECK_THAT(run_tool(world, {"writers", "/tf_static"}), Contains("rt/tf_static is taken"));
    world.stop_daemon();
}

TEST_CASE("two broadcasters of static transforms that live and end together are both kept",
          "[ros]") {
    World world;
    use_examples(world, {"ros2.yaml"});
    world.start_daemon();
    const auto first = node(world, Vendor::cyclone, transforms, 1);
    const auto second = node(world, Vendor::fastdds, transforms, 2);
    for (const Fate fate : {Fate::alive, Fate::killed}) {
        meet(*first, fate);
        meet(*second, fate);
        for (const Vendor vendor : both_vendors) {
            CAPTURE(name(vendor), name(fate));
            // Between writers there is no order.
            const auto got = summaries(*late_node(world, vendor, transforms, 2));
            REQUIRE(got.size() == 1);
            CHECK(got.front().valid == 2);
            CHECK(got.front().duplicates + got.front().bad == 0);
        }
    }
    world.stop_daemon();
}

// A writer that needs nobody to listen.
std::unique_ptr<Process> unheard(const World& world,
                                 Vendor vendor,
                                 const std::string& topic,
                                 const std::string& durability) {
    return world.publisher(vendor,
                           {"--topic",
                            topic,
                            "--type-name",
                            "some_msgs::msg::dds_::Some_",
                            "--durability",
                            durability,
                            "--history",
                            "keep_last:1",
                            "--count",
                            "1",
                            "--wait-matched",
                            "0",
                            "--timeout",
                            "120"});
}

// What the all-latched example leaves alone, and the words that explain it.
const std::array<std::pair<std::string, std::string>, 6> excluded{{
    {"rq/add_two_intsRequest", "requests or replies of a ROS 2 service"},
    {"rr/add_two_intsReply", "requests or replies of a ROS 2 service"},
    {"rt/spin/_action/status", "belongs to a ROS 2 action"},
    {"rt/rosout", "is the log of ROS 2"},
    {"rt/parameter_events", "parameter changes of ROS 2"},
    {"ros_discovery_info", "graph of nodes"},
}};

void check_excluded(const World& world, Vendor vendor, const std::string& durability) {
    CAPTURE(name(vendor), durability);
    std::vector<std::unique_ptr<Process>> writers;
    for (const auto& [topic, reason] : excluded)
        writers.push_back(unheard(world, vendor, topic, durability));
    for (const auto& [topic, reason] : excluded) {
        const std::string text = run_tool_until(world, {"explain", topic}, {reason});
        CHECK_THAT(text, Contains("Not served: ") && Contains(reason) && Contains("To do: "));
    }
    for (const auto& one : writers)
        meet(*one, Fate::ended);
}

TEST_CASE("every latched ROS 2 topic can be kept, and services, actions and logs are not",
          "[ros]") {
    World world;
    use_examples(world, {"ros2-latched.yaml"});
    world.start_daemon();
    for (const Vendor vendor : both_vendors) {
        check_excluded(world, vendor, "transient_local");
        const RosTopic goal{fmt::format("rt/goal_{}", name(vendor)), "a_msgs::msg::dds_::Goal_"};
        const auto writer = node(world, vendor, goal, 1);
        meet(*writer, Fate::killed);
        for (const Vendor reader : both_vendors)
            CHECK(flaws(*late_node(world, reader, goal, 1), 1) == "");
    }
    // A durable writer would need no rule, were it of any other topic.
    check_excluded(world, Vendor::cyclone, "transient");
    const auto camera = unheard(world, Vendor::cyclone, "rt/camera/info", "transient_local");
    CHECK_THAT(run_tool_until(world, {"explain", "/camera/info"}, {"serve: never"}),
               Contains("rt/camera/info is taken, which is /camera/info in ROS") &&
                   Contains("rt/camera/info (/camera/info in ROS) in domain"));
    CHECK(run_tool(world, {"topics", "--names"}) == "rt/goal_cyclone\nrt/goal_fastdds\n");
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
