#include "control/protocol.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using namespace durability::control;

namespace {

const std::string odd("a\xff\0b", 4);

}  // namespace

TEST_CASE("a verdict comes back as it was given") {
    ReloadVerdict verdict;
    verdict.accepted = true;
    verdict.problems = {
        {false, "/etc/d.yaml", 3, 7, "topics[2]", "is never reached", "remove it", "text\n"}};
    verdict.files = {"/etc/d.yaml", "/etc/conf.d/" + odd};
    verdict.applied = {{"log.level", "info", "debug"}, {"replay.max_rate", "unlimited", "8MiB"}};
    verdict.restart = {{"domains", "[0]", "[0, 7]"}};
    verdict.rules = 5;
    verdict.rules_added = 1;
    verdict.rules_removed = 2;
    verdict.rules_changed = 3;
    verdict.rules_reordered = true;
    for (const auto kind : {TopicEffect::Kind::served,
                            TopicEffect::Kind::not_served,
                            TopicEffect::Kind::contract,
                            TopicEffect::Kind::storage_kept}) {
        verdict.topics.push_back({7, odd, "Map", kind});
    }
    const auto reply = decode_reply(encode_reply(encode_data(verdict)));
    REQUIRE(reply.has_value());
    CHECK(reply->reload == verdict);
}

TEST_CASE("a refusal is an answer like any other") {
    ReloadVerdict verdict;
    verdict.problems = {{true, "/etc/d.yaml", 1, 1, "", "unknown option", "", "two\nlines\n"}};
    const auto reply = decode_reply(encode_reply(encode_data(verdict)));
    REQUIRE(reply.has_value());
    CHECK(reply->reload == verdict);
    CHECK_FALSE(reply->reload.accepted);
    CHECK(decode_request(encode(Request{Command::reload}))->command == Command::reload);
    CHECK_FALSE(decode_request(R"({"version":1,"command":"reload","topic":"a"})").has_value());
}
