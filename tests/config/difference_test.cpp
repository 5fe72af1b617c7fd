// What a reload changes, what it may apply, and what has to wait for a restart.
#include "config/difference.hpp"

#include "config/schema.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <tuple>

using namespace durability;
using namespace durability::config;

namespace {

TopicRule rule(std::string topic) {
    TopicRule result;
    result.topic = std::move(topic);
    return result;
}

}  // namespace

TEST_CASE("nothing is different between equal configurations, wherever their rules are written") {
    Config running;
    running.topics = {rule("a"), rule("b")};
    running.topics[0].origin = "d.yaml:3";
    Config wanted = running;
    wanted.topics[0].origin = "d.yaml:17";
    CHECK(compare(running, wanted).empty());
}

TEST_CASE("what follows at once is told from what needs a restart") {
    Config running;
    Config wanted;
    wanted.log.level = LogLevel::debug;
    wanted.replay.max_rate = 8ULL << 20U;
    wanted.domains = {0, 7};
    wanted.network.peers = {"192.0.2.7"};
    const Difference difference = compare(running, wanted);
    CHECK(difference.live == std::vector<OptionChange>{{"replay.max_rate", "unlimited", "8MiB"},
                                                       {"log.level", "info", "debug"}});
    CHECK(difference.restart ==
          std::vector<OptionChange>{{"domains", "[0]", "[0, 7]"},
                                    {"network.peers", "[]", "[\"192.0.2.7\"]"}});
    const Config now = in_force(running, wanted);
    CHECK(now.log.level == LogLevel::debug);
    CHECK(now.replay.max_rate == 8ULL << 20U);
    CHECK(now.domains == running.domains);
    CHECK(now.network.peers.empty());
    // What had to wait still has to: the next reload says so again.
    CHECK(compare(now, wanted).live.empty());
    CHECK(compare(now, wanted).restart == difference.restart);
}

TEST_CASE("rules are added, removed, changed and put in another order") {
    Config running;
    running.topics = {rule("a"), rule("b"), rule("c")};
    Config wanted;
    wanted.topics = {rule("a"), rule("c"), rule("d"), rule("e")};
    wanted.topics[1].serve = ServeKind::never;
    Difference difference = compare(running, wanted);
    CHECK(difference.rules_added == 2);
    CHECK(difference.rules_removed == 1);
    CHECK(difference.rules_changed == 1);
    CHECK_FALSE(difference.rules_reordered);
    CHECK(in_force(running, wanted).topics == wanted.topics);

    wanted.topics = {rule("b"), rule("a"), rule("c")};
    difference = compare(running, wanted);
    CHECK(difference.rules_reordered);
    CHECK(difference.changes_rules());
    CHECK(difference.rules_changed == 0);
    // Another partition is another rule.
    wanted.topics = running.topics;
    wanted.topics[2].partition = "left";
    difference = compare(running, wanted);
    CHECK(difference.rules_added == 1);
    CHECK(difference.rules_removed == 1);
}

TEST_CASE("every option outside of the rules is either applied or kept") {
    for (const Option& option : options()) {
        if (option.path.starts_with("topics[]") || is_list(option.type)) continue;
        CAPTURE(option.path);
        Config running;
        Config wanted;
        const std::string before = format_value(option, option.slot(Target{&wanted, nullptr}));
        // The first of these that the option takes and has not.
        for (const std::string text : {"19", "1999", "65MiB", "7s", "/elsewhere", "false"}) {
            if (!assign(option, option.slot(Target{&wanted, nullptr}), Scalar{text, false}) &&
                format_value(option, option.slot(Target{&wanted, nullptr})) != before)
                break;
        }
        for (const std::string_view choice : option.choices) {
            if (choice != before)
                std::ignore = assign(option,
                                     option.slot(Target{&wanted, nullptr}),
                                     Scalar{std::string(choice), false});
        }
        const std::string after = format_value(option, option.slot(Target{&wanted, nullptr}));
        REQUIRE(after != before);
        Config now = in_force(running, wanted);
        const bool follows = option.reload == Reload::live;
        CHECK(format_value(option, option.slot(Target{&now, nullptr})) ==
              (follows ? after : before));
        const Difference difference = compare(running, wanted);
        CHECK(difference.live.size() == (follows ? 1U : 0U));
        CHECK(difference.restart.size() == (follows ? 0U : 1U));
    }
}
