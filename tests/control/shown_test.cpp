// Replies to `show` and to `events`, both ways.
#include "control/protocol.hpp"
#include "model/group_values.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace durability;
using namespace durability::control;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

Reply read(const std::string& data) {
    const auto line = encode_reply(data);
    CHECK(line.find('\n') == std::string::npos);
    auto reply = decode_reply(line);
    if (!reply) FAIL(reply.error().text());
    return *std::move(reply);
}

std::string value_of(const std::vector<ShownValue>& values, std::string_view name) {
    const auto found = std::find_if(
        values.begin(), values.end(), [name](const auto& value) { return value.name == name; });
    return found == values.end() ? "?" : found->value;
}

}  // namespace

TEST_CASE("what is shown of a topic is read as it was written") {
    Shown shown;
    for (const std::uint32_t domain : {0U, 7U}) {
        ShownTopic topic{domain, "rt/map", {}};
        for (const char* state : {"served", "stored"}) {
            ShownGroup& group = topic.groups.emplace_back();
            group.topic.topic = "rt/map";
            group.state = state;
            for (const ValueOrigin origin : {ValueOrigin::rule,
                                             ValueOrigin::announced,
                                             ValueOrigin::writer,
                                             ValueOrigin::daemon_default,
                                             ValueOrigin::built_in,
                                             ValueOrigin::stored}) {
                group.values.push_back({"contract.depth", "5", origin, "/etc/d\xff.yaml:3"});
            }
        }
        shown.topics.push_back(topic);
    }
    const Reply reply = read(encode_data(shown));
    REQUIRE(reply.shown.topics.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(reply.shown.topics[i].domain == shown.topics[i].domain);
        CHECK(reply.shown.topics[i].topic == "rt/map");
        REQUIRE(reply.shown.topics[i].groups.size() == 2);
        CHECK(reply.shown.topics[i].groups[1].state == "stored");
        CHECK(reply.shown.topics[i].groups[0].values == shown.topics[i].groups[0].values);
    }
}

TEST_CASE("a group's QoS and contract are shown by name, unlimited and infinite in words") {
    GroupMeta meta;
    meta.key.partitions = {"a\nb", ""};
    meta.key.representation = representation_xcdr2;
    meta.key.presentation.coherent_access = true;
    meta.qos.deadline = {0, 429'496'730};
    meta.qos.liveliness.kind = LivelinessKind::manual_by_topic;
    const std::string hash = "typehash=RIHS01_00ff;";
    meta.qos.user_data.assign(hash.begin(), hash.end());
    const auto qos = qos_values(meta);
    CHECK(value_of(qos, "partitions") == "\"a\\nb\", \"\"");
    CHECK(value_of(qos, "representation") == "XCDR2");
    CHECK(value_of(qos, "qos.presentation") == "INSTANCE, coherent");
    CHECK(value_of(qos, "qos.deadline") == "100ms");
    CHECK(value_of(qos, "qos.lifespan") == "infinite");
    CHECK(value_of(qos, "qos.liveliness") == "MANUAL_BY_TOPIC, lease infinite");
    CHECK(value_of(qos, "qos.user_data") == hash);
    CHECK(value_of(qos, "qos.topic_data") == "none");
    Contract contract;
    contract.cleanup_delay = 90s;
    const auto values = contract_values(contract, {});
    CHECK(values.size() == contract_field_count);
    CHECK(value_of(values, "contract.history") == "keep_last");
    CHECK(value_of(values, "contract.max_samples_per_instance") == "unlimited");
    CHECK(value_of(values, "contract.cleanup_delay") == "90s");
    CHECK(value_of(values, "contract.max_age") == "infinite");
}

TEST_CASE("events come with their number, their severity and the run they are of") {
    Event event;
    event.kind = EventKind::SampleRejected;
    event.number = 4'000'000'000'000;
    event.wall = 5ns;
    event.fields = {{"topic", "rt/m\xff"}, {"limit", "max_samples"}};
    const Reply reply = read(encode_data(std::vector<Event>{event}, "17"));
    CHECK(reply.run == "17");
    CHECK(reply.newest == 4'000'000'000'000);
    REQUIRE(reply.events.size() == 1);
    CHECK(reply.events[0].number == 4'000'000'000'000);
    CHECK(reply.events[0].name == "SampleRejected");
    CHECK(reply.events[0].severity == "warning");
    CHECK(reply.events[0].topic == "rt/m\xff");
    CHECK(reply.events[0].wall_ns == 5);
    CHECK_THAT(reply.events[0].json, Contains("\"event\":\"SampleRejected\""));
    CHECK(read(encode_data(std::vector<Event>{}, "")).newest == 0);
}

TEST_CASE("a question for newer events and one for metrics are read as they were written") {
    Request events{Command::events};
    events.after = std::numeric_limits<std::uint64_t>::max();
    events.run = "17";
    Request show{Command::show};
    show.topic = "rt/map";
    show.domain = 3;
    Request metrics{Command::metrics};
    metrics.prometheus = true;
    for (const Request& request : {events, show, metrics, Request{Command::metrics}}) {
        const auto again = decode_request(encode(request));
        if (!again) FAIL(again.error().text());
        CHECK(*again == request);
    }
    for (const char* line : {R"({"command":"events","after":-1})",
                             R"({"command":"events","after":1.5})",
                             R"({"command":"events","after":"1"})",
                             R"({"command":"events","after":18446744073709551616})",
                             R"({"command":"events","run":1})",
                             R"({"command":"metrics","format":"xml"})",
                             R"({"command":"metrics","after":1})",
                             R"({"command":"status","run":"1"})",
                             R"({"command":"show"})"}) {
        CAPTURE(line);
        CHECK_FALSE(decode_request(line).has_value());
    }
    CHECK_FALSE(decode_request(R"({"command":"events","run":")" + std::string(1'000, '1') + "\"}")
                    .has_value());
}
