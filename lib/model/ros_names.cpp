#include "model/ros_names.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace durability {
namespace {

constexpr std::string_view topic_prefix = "rt";
constexpr std::string_view action_part = "/_action/";
constexpr std::string_view type_part = "::dds_::";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

// Letters, digits, '_', and what globs are made of.
bool is_word_or_glob(char c) {
    return is_word(c) || std::string_view("*?[]!-^").find(c) != std::string_view::npos;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

bool well_formed(std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_word_or_glob);
}

// A type name as DDS has it, or as ROS 1 had it, is what people write by mistake.
std::string type_hint(std::string_view text) {
    if (const auto ros = ros_type_of_dds(text)) return "write '" + *ros + "', or type:";
    const auto parts = split(text, '/');
    if (parts.size() == 2 && well_formed(parts[0]) && well_formed(parts[1]))
        return "write '" + std::string(parts[0]) + "/msg/" + std::string(parts[1]) + "'";
    return "such as tf2_msgs/msg/TFMessage";
}

// The same for a topic: without its slash, or with the prefix of DDS.
std::string topic_hint(std::string_view text) {
    if (text.starts_with('~') || text.find('{') != std::string_view::npos)
        return "write the full name: nothing is put in its place here";
    if (const auto ros = ros_topic_of_dds(text); ros && !check_ros_topic(*ros))
        return "write '" + *ros + "', or topic: with the DDS name";
    const std::string with_slash = "/" + std::string(text);
    return check_ros_topic(with_slash) ? std::string() : "write '" + with_slash + "'";
}

}  // namespace

std::string dds_topic_of_ros(std::string_view ros) {
    return std::string(topic_prefix) + std::string(ros);
}

std::optional<std::string> ros_topic_of_dds(std::string_view topic) {
    const bool ros = topic.size() > topic_prefix.size() + 1 && topic.starts_with(topic_prefix) &&
                     topic[topic_prefix.size()] == '/';
    if (!ros) return std::nullopt;
    return std::string(topic.substr(topic_prefix.size()));
}

std::string dds_type_of_ros(std::string_view ros) {
    const auto parts = split(ros, '/');
    if (parts.size() != 3) return std::string(ros);
    std::string type(parts[0]);
    type += "::";
    type += parts[1];
    type += type_part;
    type += parts[2];
    return type + "_";
}

std::optional<std::string> ros_type_of_dds(std::string_view type) {
    const auto at = type.find(type_part);
    if (at == std::string_view::npos || !type.ends_with('_')) return std::nullopt;
    const std::string_view before = type.substr(0, at);
    std::string_view name = type.substr(at + type_part.size());
    name.remove_suffix(name.empty() ? 0 : 1);
    const auto colons = before.find("::");
    if (colons == std::string_view::npos) return std::nullopt;
    std::string ros(before.substr(0, colons));
    ros += '/';
    ros += before.substr(colons + 2);
    ros += '/';
    ros += name;
    if (ros.find(':') != std::string::npos || check_ros_type(ros)) return std::nullopt;
    return ros;
}

std::optional<RosNameProblem> check_ros_topic(std::string_view text) {
    if (!text.starts_with('/'))
        return RosNameProblem{"a ROS topic name begins with '/'", topic_hint(text)};
    if (text.size() == 1) return RosNameProblem{"'/' alone names no topic", "\"/*\" means all"};
    if (text.ends_with('/')) return RosNameProblem{"a ROS topic name does not end with '/'", {}};
    for (const std::string_view part : split(text.substr(1), '/')) {
        if (part.empty()) return RosNameProblem{"a ROS topic name has no '//'", {}};
        if (!well_formed(part)) {
            return RosNameProblem{"a ROS topic name has letters, digits, '_' and '/' only",
                                  topic_hint(text)};
        }
        if (is_digit(part.front()))
            return RosNameProblem{"no part of a ROS topic name begins with a digit", {}};
    }
    return std::nullopt;
}

std::optional<RosNameProblem> check_ros_type(std::string_view text) {
    if (text == "*") return std::nullopt;
    const auto parts = split(text, '/');
    if (parts.size() == 3 && std::all_of(parts.begin(), parts.end(), well_formed))
        return std::nullopt;
    return RosNameProblem{"a ROS type name is package/msg/Type", type_hint(text)};
}

InternalTopic internal_topic(std::string_view topic) {
    if (topic.starts_with("DCPS")) return InternalTopic::middleware;
    if (topic == "ros_discovery_info") return InternalTopic::ros_graph;
    if (topic.starts_with("rq/") || topic.starts_with("rr/")) return InternalTopic::ros_service;
    if (topic == "rt/rosout") return InternalTopic::ros_log;
    if (topic == "rt/parameter_events") return InternalTopic::ros_parameters;
    const bool action =
        ros_topic_of_dds(topic) && topic.find(action_part) != std::string_view::npos;
    return action ? InternalTopic::ros_action : InternalTopic::none;
}

bool names_internal_topic(std::string_view rule, std::string_view topic) {
    if (rule == topic) return true;
    return internal_topic(topic) == InternalTopic::ros_action &&
           rule.find(action_part) != std::string_view::npos;
}

}  // namespace durability
