// Replies to `explain`, both ways.
#include "control/protocol.hpp"
#include "control/rows.hpp"

#include <string_view>
#include <utility>

namespace durability::control {
namespace {

void put_if_any(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) put_name(json, key, text);
}

Json group_json(std::uint32_t domain, const GroupExplanation& group) {
    Json json = topic_json(domain, group.topic);
    json["state"] = group.state;
    put_if_any(json, "reason", group.reason);
    put_if_any(json, "cure", group.cure);
    put_if_any(json, "rule", group.rule);
    json["type_description"] = group.type_description;
    put_if_any(json, "key", group.key);
    return json;
}

Json endpoint_json(const EndpointExplanation& endpoint) {
    Json json;
    json["guid"] = to_string(endpoint.guid);
    json["vendor"] = endpoint.vendor;
    put_name(json, "type", endpoint.type);
    json["durability"] = name(endpoint.durability);
    json["reliable"] = endpoint.reliable;
    Json partitions = Json::array();
    for (const std::string& partition : endpoint.partitions) {
        Json one;
        put_name(one, "name", partition);
        partitions.push_back(std::move(one));
    }
    json["partitions"] = std::move(partitions);
    put_if_any(json, "reason", endpoint.reason);
    put_if_any(json, "cure", endpoint.cure);
    return json;
}

Json writer_json(const WriterExplanation& writer) {
    Json json = endpoint_json(writer);
    json["served"] = writer.group.has_value();
    if (writer.group) json["group"] = *writer.group;
    return json;
}

Json match_json(std::uint32_t domain, const ReaderMatch& match) {
    Json json;
    json["group"] = match.group;
    json["matches"] = match.served.has_value();
    if (match.served) {
        json["served"] = reader_json(domain, *match.served);
        return json;
    }
    put_if_any(json, "policy", match.policy);
    put_if_any(json, "offered", match.offered);
    put_if_any(json, "requested", match.requested);
    put_if_any(json, "cure", match.cure);
    return json;
}

Json reader_explanation_json(std::uint32_t domain, const ReaderExplanation& reader) {
    Json json = endpoint_json(reader);
    Json groups = Json::array();
    for (const ReaderMatch& match : reader.groups)
        groups.push_back(match_json(domain, match));
    json["groups"] = std::move(groups);
    return json;
}

Json topic_explanation_json(const TopicExplanation& topic) {
    Json json;
    json["domain"] = topic.domain;
    put_name(json, "topic", topic.topic);
    Json groups = Json::array();
    for (const GroupExplanation& group : topic.groups)
        groups.push_back(group_json(topic.domain, group));
    json["groups"] = std::move(groups);
    Json writers = Json::array();
    for (const WriterExplanation& writer : topic.writers)
        writers.push_back(writer_json(writer));
    json["writers"] = std::move(writers);
    Json readers = Json::array();
    for (const ReaderExplanation& reader : topic.readers)
        readers.push_back(reader_explanation_json(topic.domain, reader));
    json["readers"] = std::move(readers);
    json["remarks"] = topic.remarks;
    return json;
}

GroupExplanation read_group(const Json& json) {
    GroupExplanation group;
    group.topic = read_topic(json);
    group.state = json.value("state", std::string());
    group.reason = get_name(json, "reason");
    group.cure = get_name(json, "cure");
    group.rule = get_name(json, "rule");
    group.type_description = json.value("type_description", std::string());
    group.key = get_name(json, "key");
    return group;
}

void read_endpoint(const Json& json, EndpointExplanation& endpoint) {
    endpoint.guid = parse_guid(json.value("guid", std::string())).value_or(unknown_guid);
    endpoint.vendor = json.value("vendor", std::string());
    endpoint.type = get_name(json, "type");
    endpoint.durability = read_durability(json);
    endpoint.reliable = json.value("reliable", false);
    for (const Json& partition : json.value("partitions", Json::array()))
        endpoint.partitions.push_back(get_name(partition, "name"));
    endpoint.reason = get_name(json, "reason");
    endpoint.cure = get_name(json, "cure");
}

ReaderMatch read_match(const Json& json) {
    ReaderMatch match;
    match.group = json.value("group", match.group);
    if (json.value("matches", false))
        match.served = read_reader(json.value("served", Json::object()));
    match.policy = get_name(json, "policy");
    match.offered = get_name(json, "offered");
    match.requested = get_name(json, "requested");
    match.cure = get_name(json, "cure");
    return match;
}

TopicExplanation read_topic_explanation(const Json& json) {
    TopicExplanation topic;
    topic.domain = json.value("domain", topic.domain);
    topic.topic = get_name(json, "topic");
    for (const Json& row : json.value("groups", Json::array()))
        topic.groups.push_back(read_group(row));
    for (const Json& row : json.value("writers", Json::array())) {
        WriterExplanation& writer = topic.writers.emplace_back();
        read_endpoint(row, writer);
        if (row.contains("group")) writer.group = row.value("group", std::size_t{0});
    }
    for (const Json& row : json.value("readers", Json::array())) {
        ReaderExplanation& reader = topic.readers.emplace_back();
        read_endpoint(row, reader);
        for (const Json& match : row.value("groups", Json::array()))
            reader.groups.push_back(read_match(match));
    }
    for (const Json& remark : json.value("remarks", Json::array()))
        topic.remarks.push_back(remark.is_string() ? remark.get<std::string>() : std::string());
    return topic;
}

}  // namespace

std::string encode_data(const Explanation& explanation) {
    Json rows = Json::array();
    for (const TopicExplanation& topic : explanation.topics)
        rows.push_back(topic_explanation_json(topic));
    Json data;
    data["explained"] = std::move(rows);
    return to_text(data);
}

Explanation read_explanation(const Json& data) {
    Explanation explanation;
    for (const Json& row : data.value("explained", Json::array()))
        explanation.topics.push_back(read_topic_explanation(row));
    return explanation;
}

}  // namespace durability::control
