// durabilityctl explain TOPIC
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"
#include "model/ros_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace durability::ctl {
namespace {

// A sentence under the line it belongs to; nothing for no text. Foreign names in it were made safe
// by whoever put it together.
std::string line(std::string_view text) {
    return text.empty() ? std::string() : fmt::format("    {}.\n", text);
}

std::string to_do(std::string_view cure) {
    return cure.empty() ? std::string() : line(fmt::format("To do: {}", cure));
}

std::string partitions_text(const std::vector<std::string>& partitions) {
    if (partitions.empty()) return "";
    std::vector<std::string> names;
    for (const std::string& partition : partitions)
        names.push_back(fmt::format("\"{}\"", printable(partition)));
    return fmt::format(", partition{} {}", names.size() > 1 ? "s" : "", fmt::join(names, ", "));
}

std::string_view representation_text(std::int16_t representation) {
    if (representation == representation_xcdr1) return "XCDR1";
    return representation == representation_xcdr2 ? "XCDR2" : "another representation";
}

std::string type_text(const GroupExplanation& group) {
    if (group.type_description == "known") return "its description is known";
    if (group.type_description == "asked") return "its description is being asked for";
    if (group.type_description == "unavailable") return "its description is not to be had";
    return "no writer describes it";
}

std::string group_text(std::size_t number, const GroupExplanation& group) {
    const TopicStatus& topic = group.topic;
    std::string text = fmt::format("  {}  {}: {}, type {}{}, {}\n",
                                   number,
                                   group.state,
                                   name(topic.durability),
                                   printable(topic.type),
                                   partitions_text(topic.partitions),
                                   representation_text(topic.representation));
    text += line(
        fmt::format("{} kept ({}); writers: {}, readers: {}; contract: {}{}",
                    counted(topic.retained_samples, "sample"),
                    name(topic.storage),
                    topic.writers,
                    topic.readers,
                    name(topic.contract_source),
                    group.rule.empty() ? "" : fmt::format("; rule {}", printable(group.rule))));
    if (group.state != "stored") {
        const std::string key =
            topic.keyed ? "Instances are told apart by: " + group.key : "It has no key";
        text += line(fmt::format("Type: {}. {}", type_text(group), key));
    }
    text += line(group.reason);
    return text + to_do(group.cure);
}

std::string endpoint_text(const EndpointExplanation& endpoint) {
    return fmt::format("  {}  {}, {}, {}, type {}{}\n",
                       to_string(endpoint.guid),
                       printable(endpoint.vendor),
                       name(endpoint.durability),
                       endpoint.reliable ? "reliable" : "best effort",
                       printable(endpoint.type),
                       partitions_text(endpoint.partitions));
}

std::string writer_text(const WriterExplanation& writer) {
    std::string text = endpoint_text(writer);
    if (writer.group) {
        text += line(fmt::format("Served in group {}", *writer.group + 1));
        return text + line(writer.reason) + to_do(writer.cure);
    }
    const std::string reason = writer.reason.empty() ? "it was met a moment ago" : writer.reason;
    return text + line(fmt::format("Not served: {}", reason)) + to_do(writer.cure);
}

std::string history_text(std::size_t group, const ReaderStatus& reader) {
    std::string text = line(fmt::format(
        "Group {}: {}{}{}", group, reader.state, reader.reason.empty() ? "" : ": ", reader.reason));
    if (reader.state != "unserved" && reader.state != "waiting") {
        std::string counts = fmt::format(
            "{} owed, {} sent, {} acknowledged", reader.owed, reader.sent, reader.acknowledged);
        for (const UnowedSamples& unowed : reader.not_owed)
            counts += fmt::format("; {} not owed: {}", unowed.samples, unowed.why);
        text += line(counts);
    }
    return text + to_do(reader.cure);
}

std::string match_text(const ReaderMatch& match) {
    const std::size_t group = match.group + 1;
    if (match.served) return history_text(group, *match.served);
    if (match.policy.empty()) return line(fmt::format("Group {}: it is not open yet", group));
    return line(fmt::format("Group {}: does not match. {}: offered {}, requested {}",
                            group,
                            match.policy,
                            match.offered,
                            match.requested)) +
           to_do(match.cure);
}

std::string reader_text(const ReaderExplanation& reader) {
    std::string text = endpoint_text(reader) + line(reader.reason) + to_do(reader.cure);
    for (const ReaderMatch& match : reader.groups)
        text += match_text(match);
    return text;
}

std::string topic_text(const TopicExplanation& topic) {
    const auto ros = ros_topic_of_dds(topic.topic);
    std::string text = fmt::format("{}{} in domain {}\n",
                                   printable(topic.topic),
                                   ros ? fmt::format(" ({} in ROS)", printable(*ros)) : "",
                                   topic.domain);
    text += topic.groups.empty() ? "Nothing of it is served.\n" : "Groups\n";
    for (std::size_t i = 0; i < topic.groups.size(); ++i)
        text += group_text(i + 1, topic.groups[i]);
    text += topic.writers.empty() ? "No writer is there.\n" : "Writers\n";
    for (const WriterExplanation& writer : topic.writers)
        text += writer_text(writer);
    text += topic.readers.empty() ? "No reader is there.\n" : "Readers\n";
    for (const ReaderExplanation& reader : topic.readers)
        text += reader_text(reader);
    for (const std::string& remark : topic.remarks)
        text += fmt::format("Note: {}.\n", printable(remark));
    return text;
}

}  // namespace

Outcome run_explain(const Arguments& arguments) {
    control::Request request{control::Command::explain};
    request.topic = arguments.words.front();
    if (arguments.domain >= 0) request.domain = static_cast<std::uint32_t>(arguments.domain);
    const auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    std::string text;
    for (const TopicExplanation& topic : reply->explanation.topics)
        text += (text.empty() ? "" : "\n") + topic_text(topic);
    print(text);
    return 0;
}

}  // namespace durability::ctl
