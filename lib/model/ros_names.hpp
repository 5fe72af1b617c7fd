// How ROS 2 names topics and types in DDS, both ways, and what it uses for itself (design article
// "Topic and Service name mapping to DDS"). Text only: nothing here knows whether a topic exists.
// Pure functions; may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace durability {

// "/tf_static" -> "rt/tf_static". Globs stay what they are. `ros` begins with '/'.
[[nodiscard]] std::string dds_topic_of_ros(std::string_view ros);
// "rt/tf_static" -> "/tf_static"; nothing for a topic that is none of ROS 2.
[[nodiscard]] std::optional<std::string> ros_topic_of_dds(std::string_view topic);

// "tf2_msgs/msg/TFMessage" -> "tf2_msgs::msg::dds_::TFMessage_"; "*" stays "*". `ros` has three
// parts between its slashes or is "*".
[[nodiscard]] std::string dds_type_of_ros(std::string_view ros);
// The way back; nothing for a type that does not have this form.
[[nodiscard]] std::optional<std::string> ros_type_of_dds(std::string_view type);

// Why a text is no name of a topic or type as ROS 2 writes it, and how it should be written.
struct RosNameProblem {
    std::string message;
    std::string hint;  // may be empty
};
// A full topic name, with globs (* ? [set]) or without: it begins with '/', has no empty part, and
// its parts have letters, digits and '_' and do not begin with a digit.
[[nodiscard]] std::optional<RosNameProblem> check_ros_topic(std::string_view text);
// package/msg/Type, with globs or without; or "*".
[[nodiscard]] std::optional<RosNameProblem> check_ros_type(std::string_view text);

// What a topic is to ROS 2 or DDS itself. All but `none` mean nothing to a reader that comes late.
enum class InternalTopic : std::uint8_t {
    none,
    middleware,      // DCPS*: built-in topics of DDS implementations
    ros_graph,       // ros_discovery_info: which node has which endpoints
    ros_service,     // rq/..., rr/...: requests and replies, those of actions too
    ros_action,      // rt/NAME/_action/...: feedback and the state of goals
    ros_log,         // rt/rosout
    ros_parameters,  // rt/parameter_events
};
[[nodiscard]] InternalTopic internal_topic(std::string_view topic);

// Whether `rule`, a topic name or a pattern, means this internal topic and does not merely happen
// to match it: the name itself, or, since the topics of an action lie below a name that the
// application chose, a pattern that has "/_action/" written out.
[[nodiscard]] bool names_internal_topic(std::string_view rule, std::string_view topic);

}  // namespace durability
