#include "runtime/rule_book.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace durability;
using runtime::RuleBook;

namespace {

TopicRule rule(const std::string& topic, ServeKind serve = ServeKind::transient) {
    TopicRule made;
    made.topic = topic;
    made.serve = serve;
    return made;
}

std::vector<std::string> topics(const RuleBook& book) {
    std::vector<std::string> result;
    for (const TopicRule& one : book.rules())
        result.push_back(one.topic);
    return result;
}

}  // namespace

TEST_CASE("rules that are added come before those of the configuration, the newest first") {
    RuleBook book({rule("configured")}, true);
    REQUIRE(book.add(rule("first")));
    REQUIRE(book.add(rule("second")));
    CHECK(topics(book) == std::vector<std::string>{"second", "first", "configured"});
}

TEST_CASE("a rule for the same topic, type and partition takes the place of the one before") {
    RuleBook book({}, true);
    REQUIRE(book.add(rule("map")));
    REQUIRE(book.add(rule("other")));
    REQUIRE(book.add(rule("map", ServeKind::persistent)));
    REQUIRE(topics(book) == std::vector<std::string>{"map", "other"});
    CHECK(book.rules()[0].serve == ServeKind::persistent);
}

TEST_CASE("to widen a rule keeps its contract and lowers only what is served") {
    RuleBook book({}, true);
    TopicRule kept = rule("map", ServeKind::persistent);
    kept.contract.depth = 7;
    REQUIRE(book.add(kept));
    REQUIRE(book.widen(rule("map", ServeKind::transient_local)));
    REQUIRE(book.widen(rule("map", ServeKind::transient)));
    REQUIRE(book.rules().size() == 1);
    CHECK(book.rules()[0].serve == ServeKind::transient_local);
    CHECK(book.rules()[0].contract.depth == 7);
    REQUIRE(book.widen(rule("new")));
    CHECK(book.rules().size() == 2);
}

TEST_CASE("without auto-discovery nothing is served that no rule names") {
    RuleBook book({rule("configured")}, false);
    const auto rules = book.rules();
    REQUIRE(rules.size() == 2);
    CHECK(rules[1].topic == "*");
    CHECK(rules[1].serve == ServeKind::never);
}

TEST_CASE("what was served when auto-discovery ends goes on being served, until it is back") {
    RuleBook book({}, true);
    book.set_serve_unnamed(false, {{"found", "T"}, {"found", "T"}, {"odd[*]", "T"}});
    CHECK(topics(book) == std::vector<std::string>{"found", "odd??]", "*"});
    // A second call finds nothing new to keep, and forgets nothing.
    book.set_serve_unnamed(false, {});
    CHECK(book.rules().size() == 3);
    book.set_serve_unnamed(true, {});
    CHECK(book.rules().empty());
}

TEST_CASE("no more rules are added than a configuration may have") {
    RuleBook book({}, true);
    for (std::size_t i = 0; i < RuleBook::max_added; ++i)
        REQUIRE(book.add(rule("t" + std::to_string(i))));
    CHECK_FALSE(book.add(rule("one more")));
    CHECK(book.add(rule("t7", ServeKind::persistent)));
    CHECK(book.rules().size() == RuleBook::max_added);
}
