#include "control/protocol.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::control;

namespace {

const std::string odd("a\xff\0b", 4);

Explanation rich() {
    Explanation explanation;
    TopicExplanation& topic = explanation.topics.emplace_back();
    topic.domain = 7;
    topic.topic = odd;
    GroupExplanation& group = topic.groups.emplace_back();
    group.topic.topic = odd;
    group.topic.type = "Map";
    group.topic.partitions = {odd};
    group.topic.durability = DurabilityKind::persistent;
    group.topic.retained_samples = 17;
    group.state = "served";
    group.reason = "the store refuses its samples";
    group.cure = "see the events";
    group.rule = "/etc/d.yaml:12";
    group.type_description = "known";
    group.key = "the description of its type";
    WriterExplanation& writer = topic.writers.emplace_back();
    writer.guid = *parse_guid("0110aabbccddeeff00112233:00000102");
    writer.vendor = "Cyclone DDS";
    writer.type = "Map";
    writer.durability = DurabilityKind::transient;
    writer.reliable = true;
    writer.partitions = {"left", odd};
    writer.group = 0;
    topic.writers.emplace_back().reason = "it offers VOLATILE";
    ReaderExplanation& reader = topic.readers.emplace_back();
    reader.vendor = "Fast DDS";
    reader.reason = "its participant is not known";
    reader.cure = "wait";
    ReaderMatch& served = reader.groups.emplace_back();
    served.served.emplace().owed = 5;
    served.served->not_owed = {{"expired", 3}};
    served.served->state = "complete";
    ReaderMatch& other = reader.groups.emplace_back();
    other.group = 1;
    other.policy = "partition";
    other.offered = "\"left\"";
    other.requested = "\"right\"";
    other.cure = "put both into a common partition";
    topic.remarks = {"limits.remote_writers (5) is reached"};
    return explanation;
}

}  // namespace

TEST_CASE("explain needs a topic and takes a domain") {
    Request request{Command::explain};
    request.topic = odd;
    request.domain = 3;
    CHECK(decode_request(encode(request)) == request);
    CHECK_FALSE(decode_request(R"({"command":"explain"})"));
    CHECK_FALSE(decode_request(
        R"({"command":"explain","topic":"a","writer":"0110aabbccddeeff00112233:00000102"})"));
}

TEST_CASE("an explanation comes back as it was sent") {
    const std::string line = encode_reply(encode_data(rich()));
    CHECK(line.find('\n') == std::string::npos);
    const auto reply = decode_reply(line);
    if (!reply) FAIL(reply.error().text());
    const Explanation sent = rich();
    REQUIRE(reply->explanation.topics.size() == 1);
    const TopicExplanation& topic = reply->explanation.topics.front();
    CHECK(topic.domain == 7);
    CHECK(topic.topic == odd);
    CHECK(topic.remarks == sent.topics.front().remarks);
    REQUIRE(topic.groups.size() == 1);
    const GroupExplanation& group = topic.groups.front();
    CHECK(group.topic.topic == odd);
    CHECK(group.topic.partitions == std::vector<std::string>{odd});
    CHECK(group.topic.durability == DurabilityKind::persistent);
    CHECK(group.topic.retained_samples == 17);
    CHECK(group.state == "served");
    CHECK(group.reason == "the store refuses its samples");
    CHECK(group.cure == "see the events");
    CHECK(group.rule == "/etc/d.yaml:12");
    CHECK(group.type_description == "known");
    CHECK(group.key == "the description of its type");
    REQUIRE(topic.writers.size() == 2);
    const WriterExplanation& writer = topic.writers.front();
    CHECK(writer.guid == sent.topics.front().writers.front().guid);
    CHECK(writer.vendor == "Cyclone DDS");
    CHECK(writer.durability == DurabilityKind::transient);
    CHECK(writer.reliable);
    CHECK(writer.partitions == std::vector<std::string>{"left", odd});
    CHECK(writer.group == 0U);
    CHECK_FALSE(topic.writers.back().group);
    CHECK(topic.writers.back().reason == "it offers VOLATILE");
    REQUIRE(topic.readers.size() == 1);
    const ReaderExplanation& reader = topic.readers.front();
    CHECK(reader.reason == "its participant is not known");
    CHECK(reader.cure == "wait");
    REQUIRE(reader.groups.size() == 2);
    REQUIRE(reader.groups[0].served);
    CHECK(reader.groups[0].served->owed == 5);
    CHECK(reader.groups[0].served->not_owed == std::vector<UnowedSamples>{{"expired", 3}});
    CHECK(reader.groups[0].served->state == "complete");
    CHECK_FALSE(reader.groups[1].served);
    CHECK(reader.groups[1].group == 1);
    CHECK(reader.groups[1].policy == "partition");
    CHECK(reader.groups[1].offered == "\"left\"");
    CHECK(reader.groups[1].requested == "\"right\"");
    CHECK(reader.groups[1].cure == "put both into a common partition");
}

TEST_CASE("what no daemon explains is an error, not an exception") {
    for (const char* data : {R"({"explained":[7]})",
                             R"({"explained":[{"readers":[{"groups":[{"group":"x"}]}]}]})",
                             R"({"explained":[{"writers":[{"group":-1,"guid":5}]}]})"}) {
        CAPTURE(data);
        CHECK_FALSE(decode_reply(encode_reply(data)).has_value());
    }
}
