// Replies to `show`, both ways.
#include "control/protocol.hpp"
#include "control/rows.hpp"

#include <array>
#include <utility>

namespace durability::control {
namespace {

constexpr std::array origins{ValueOrigin::rule,
                             ValueOrigin::announced,
                             ValueOrigin::writer,
                             ValueOrigin::daemon_default,
                             ValueOrigin::built_in,
                             ValueOrigin::stored};

Json value_json(const ShownValue& value) {
    Json json;
    json["name"] = value.name;
    json["value"] = value.value;
    json["origin"] = name(value.origin);
    if (!value.where.empty()) put_name(json, "where", value.where);
    return json;
}

ShownValue read_value(const Json& json) {
    ShownValue value;
    value.name = json.value("name", std::string());
    value.value = json.value("value", std::string());
    value.where = get_name(json, "where");
    const std::string origin = json.value("origin", std::string());
    for (const ValueOrigin one : origins) {
        if (name(one) == origin) value.origin = one;
    }
    return value;
}

}  // namespace

std::string encode_data(const Shown& shown) {
    Json rows = Json::array();
    for (const ShownTopic& topic : shown.topics) {
        for (const ShownGroup& group : topic.groups) {
            Json row = topic_json(topic.domain, group.topic);
            row["state"] = group.state;
            Json values = Json::array();
            for (const ShownValue& value : group.values)
                values.push_back(value_json(value));
            row["values"] = std::move(values);
            rows.push_back(std::move(row));
        }
    }
    Json data;
    data["shown"] = std::move(rows);
    return to_text(data);
}

Shown read_shown(const Json& data) {
    Shown shown;
    for (const Json& row : data.value("shown", Json::array())) {
        const auto domain = row.value("domain", std::uint32_t{0});
        if (shown.topics.empty() || shown.topics.back().domain != domain)
            shown.topics.push_back({domain, get_name(row, "topic"), {}});
        ShownGroup& group = shown.topics.back().groups.emplace_back();
        group.topic = read_topic(row);
        group.state = row.value("state", std::string());
        for (const Json& value : row.value("values", Json::array()))
            group.values.push_back(read_value(value));
    }
    return shown;
}

}  // namespace durability::control
