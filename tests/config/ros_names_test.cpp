// Rules that are written as ROS 2 names topics and types.
#include "config/loader.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::config;
using Catch::Contains;

namespace {

Loaded good(const std::string& text) {
    auto loaded = load_text("d.yaml", text);
    if (!loaded) FAIL(to_text(loaded.error()));
    return *std::move(loaded);
}

// All that is wrong, as printed.
std::string complaints(const std::string& text) {
    const auto loaded = load_text("d.yaml", text);
    return loaded ? std::string("accepted") : to_text(loaded.error());
}

}  // namespace

TEST_CASE("a rule with ROS names matches what DDS calls them") {
    const Loaded loaded = good(
        "topics:\n"
        "  - { ros_topic: /tf_static, ros_type: tf2_msgs/msg/TFMessage }\n"
        "  - { ros_topic: \"/*/map\", type: \"*\" }\n"
        "  - { topic: \"rt/scan\", ros_type: \"*\" }\n");
    const auto& topics = loaded.config.topics;
    REQUIRE(topics.size() == 3);
    CHECK(topics[0].topic == "rt/tf_static");
    CHECK(topics[0].type == "tf2_msgs::msg::dds_::TFMessage_");
    CHECK(topics[0].ros_topic == "/tf_static");
    CHECK(topics[1].topic == "rt/*/map");
    CHECK(topics[1].type == "*");
    CHECK_FALSE(topics[2].ros_topic.has_value());
    CHECK(topics[2].type == "*");
    CHECK(loaded.origin("topics[0].ros_topic") == "d.yaml:2");
    CHECK(loaded.warnings.empty());
}

TEST_CASE("a name that is none in ROS is an error with what was probably meant") {
    CHECK(complaints("topics:\n  - ros_topic: tf_static\n") ==
          "d.yaml:2:16: error: topics[0].ros_topic: 'tf_static': a ROS topic name begins with "
          "'/'; write '/tf_static'\n"
          "    2 |   - ros_topic: tf_static\n"
          "      |                ^~~~~~~~~\n"
          "1 error\n");
    CHECK_THAT(complaints("topics:\n  - ros_topic: rt/tf_static\n"),
               Contains("write '/tf_static', or topic: with the DDS name"));
    CHECK_THAT(complaints("topics:\n  - { ros_topic: /map, ros_type: nav_msgs/OccupancyGrid }\n"),
               Contains("d.yaml:2:34: error: topics[0].ros_type: ") &&
                   Contains("write 'nav_msgs/msg/OccupancyGrid'"));
    CHECK_THAT(complaints("topics:\n  - ros_topik: /map\n"),
               Contains("did you mean 'ros_topic'?") && Contains("the rule has no topic"));
}

TEST_CASE("a rule has its topic and its type once, and both places are named otherwise") {
    CHECK_THAT(complaints("topics:\n  - topic: rt/map\n    ros_topic: /map\n"),
               Contains("d.yaml:3:5: error: topics[0]: topic and ros_topic are both given; the "
                        "first is at d.yaml:2:5"));
    CHECK_THAT(complaints("topics:\n  - ros_topic: /map\n    topic: rt/map\n"),
               Contains("d.yaml:3:5: error: topics[0]: ros_topic and topic are both given; the "
                        "first is at d.yaml:2:5"));
    CHECK_THAT(complaints("topics:\n  - { topic: a, type: T, ros_type: \"*\" }\n"),
               Contains("d.yaml:2:26: error: topics[0]: type and ros_type are both given"));
}

TEST_CASE("one rule under both kinds of name is given twice") {
    CHECK_THAT(complaints("topics:\n  - topic: rt/map\n  - ros_topic: /map\n"),
               Contains("d.yaml:3:5: error: topics[1]: the rule for topic '/map' was already given "
                        "at d.yaml:2"));
    const Loaded shadowed = good("topics:\n  - ros_topic: \"/*\"\n  - topic: rt/map\n");
    REQUIRE(shadowed.warnings.size() == 1);
    CHECK_THAT(to_text(shadowed.warnings[0]), Contains("never reached"));
}

TEST_CASE("a ROS name where DDS wants its own is a warning") {
    const Loaded loaded = good("topics:\n  - topic: /map\n");
    CHECK(loaded.config.topics[0].topic == "/map");
    REQUIRE(loaded.warnings.size() == 1);
    CHECK_THAT(to_text(loaded.warnings[0]),
               Contains("d.yaml:2:12: warning: topics[0].topic: in DDS the ROS topic '/map' is "
                        "called 'rt/map'; write ros_topic: /map"));
}
