// What other programs get of the configuration (durability/load_config.hpp).
#include "durability/load_config.hpp"
#include "durability/version.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace durability;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::vector<std::string> paths(const std::vector<ConfigProblem>& problems) {
    std::vector<std::string> result;
    for (const ConfigProblem& problem : problems)
        result.push_back(problem.path);
    return result;
}

}  // namespace

TEST_CASE("a program gets every problem of a text with its place") {
    const auto parsed = parse_config("domains: [233]\nstore: { sync: sometimes }\n", "robot");
    REQUIRE_FALSE(parsed.has_value());
    REQUIRE(parsed.error().size() == 2);
    CHECK(parsed.error()[0].file == "robot");
    CHECK(parsed.error()[0].line == 1);
    CHECK(parsed.error()[1].path == "store.sync");
    CHECK_FALSE(parsed.error()[1].is_warning);
    CHECK_THAT(parsed.error()[1].text, Contains("robot:2:16: error: store.sync"));
}

TEST_CASE("a program gets the warnings beside the configuration") {
    const auto parsed = parse_config("topics: [{ topic: \"*\" }, { topic: rt/map }]\n");
    REQUIRE(parsed.has_value());
    CHECK(parsed->config.topics.size() == 2);
    REQUIRE(parsed->warnings.size() == 1);
    CHECK(parsed->warnings[0].is_warning);
}

TEST_CASE("a file that is not there is a problem of the configuration") {
    const auto loaded = load_config("/nonexistent/durability.yaml");
    REQUIRE_FALSE(loaded.has_value());
    CHECK_THAT(loaded.error()[0].text, Contains("/nonexistent/durability.yaml"));
}

TEST_CASE("the defaults are a configuration without problems") {
    CHECK(check_config(Config{}).empty());
}

TEST_CASE("a configuration made by a program is checked like a file") {
    Config config;
    config.domains = {233};
    config.network.peers = {"somewhere"};
    config.network_lease = -1s;
    config.limits.served_groups = 0;
    config.log.level = static_cast<LogLevel>(17);
    TopicRule rule;
    rule.topic = "two words";
    rule.contract.depth = 0;
    rule.key = {"skip int32"};
    config.topics = {rule};
    const auto found = paths(check_config(config));
    for (const char* path : {"domains",
                             "network.peers",
                             "network_lease",
                             "limits.served_groups",
                             "log.level",
                             "topics[0].topic",
                             "topics[0].contract.depth",
                             "topics[0].key"}) {
        CAPTURE(path);
        CHECK(std::count(found.begin(), found.end(), path) == 1);
    }
    CHECK(found.size() == 8);
}

TEST_CASE("values that contradict each other are found in a program's configuration too") {
    Config config;
    config.default_contract.depth = 20;
    config.default_contract.max_samples = 10;
    TopicRule rule;
    rule.topic = "rt/map";
    config.topics = {rule, rule};
    const auto problems = check_config(config);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].path == "default_contract.depth");
    CHECK_THAT(problems[1].message, Contains("already given at topics[0]"));
}

TEST_CASE("thread settings of a program need a build that has them") {
    Config config;
    config.threads.loop.cpus = {0};
    const auto problems = check_config(config);
    REQUIRE(problems.size() == (has_realtime() ? 0U : 1U));
    if (!has_realtime()) CHECK_THAT(problems[0].message, Contains("feature missing"));
}
