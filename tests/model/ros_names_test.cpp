#include "model/ros_names.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace durability;
using Catch::Contains;
using Pairs = std::vector<std::pair<std::string, std::string>>;
using Triples = std::vector<std::tuple<std::string, std::string, std::string>>;

TEST_CASE("a ROS topic has rt in front of it in DDS, both ways") {
    for (const auto& [ros, dds] :
         Pairs{{"/map", "rt/map"}, {"/arm/joint_states", "rt/arm/joint_states"}, {"/*", "rt/*"}}) {
        CHECK(dds_topic_of_ros(ros) == dds);
        CHECK(ros_topic_of_dds(dds) == ros);
    }
    for (const char* const none : {"map", "rt", "rt/", "rtx/map", "rq/addRequest", "", "/map"})
        CHECK_FALSE(ros_topic_of_dds(none).has_value());
}

TEST_CASE("a ROS type is mangled as its type support does it, both ways") {
    for (const auto& [ros, dds] :
         Pairs{{"tf2_msgs/msg/TFMessage", "tf2_msgs::msg::dds_::TFMessage_"},
               {"std_msgs/msg/*", "std_msgs::msg::dds_::*_"},
               {"nav2_msgs/action/Spin_FeedbackMessage",
                "nav2_msgs::action::dds_::Spin_FeedbackMessage_"}}) {
        CHECK(dds_type_of_ros(ros) == dds);
        CHECK(ros_type_of_dds(dds) == ros);
    }
    CHECK(dds_type_of_ros("*") == "*");
    for (const char* const none : {"peers::Keyed",
                                   "::dds_::",
                                   "a::dds_::B_",
                                   "a::msg::dds_::B",
                                   "a::b::c::dds_::D_",
                                   "a::msg::dds_::_",
                                   "_",
                                   ""}) {
        CAPTURE(none);
        CHECK_FALSE(ros_type_of_dds(none).has_value());
    }
}

TEST_CASE("ROS topic names are full names, with globs or without") {
    for (const char* const good : {"/map", "/a/b_2/C", "/*", "/robot?/tf", "/[ab]*/scan", "/_x"}) {
        CAPTURE(good);
        CHECK_FALSE(check_ros_topic(good).has_value());
    }
    for (const auto& [bad, message, hint] :
         Triples{{"tf_static", "begins with '/'", "write '/tf_static'"},
                 {"rt/tf_static", "begins with '/'", "write '/tf_static', or topic:"},
                 {"*", "begins with '/'", "write '/*'"},
                 {"~/map", "begins with '/'", "full name"},
                 {"{ns}/map", "begins with '/'", "full name"},
                 {"", "begins with '/'", ""},
                 {"/", "names no topic", "\"/*\""},
                 {"/map/", "does not end", ""},
                 {"/a//b", "no '//'", ""},
                 {"/two words", "letters, digits", ""},
                 {"/a\\b", "letters, digits", ""},
                 {"/{ns}/map", "letters, digits", "full name"},
                 {"/3d/map", "begins with a digit", ""}}) {
        CAPTURE(bad);
        const auto problem = check_ros_topic(bad);
        REQUIRE(problem.has_value());
        CHECK_THAT(problem->message, Contains(message));
        CHECK_THAT(problem->hint, Contains(hint));
    }
}

TEST_CASE("ROS type names have three parts") {
    for (const char* const good : {"std_msgs/msg/String", "*", "*/msg/*"})
        CHECK_FALSE(check_ros_type(good).has_value());
    for (const auto& [bad, hint] :
         Pairs{{"std_msgs/String", "write 'std_msgs/msg/String'"},
               {"std_msgs::msg::dds_::String_", "write 'std_msgs/msg/String', or type:"},
               {"String", "such as tf2_msgs/msg/TFMessage"},
               {"a/b/c/d", "such as"},
               {"/msg/String", "such as"},
               {"", "such as"}}) {
        CAPTURE(bad);
        const auto problem = check_ros_type(bad);
        REQUIRE(problem.has_value());
        CHECK_THAT(problem->hint, Contains(hint));
    }
}
