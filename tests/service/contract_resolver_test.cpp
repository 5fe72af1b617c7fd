#include "service/contract_resolver.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::service;
using namespace std::chrono_literals;

namespace {

DurabilityServiceQos announced(HistoryKind kind, std::int32_t depth, QosDuration delay = {}) {
    DurabilityServiceQos service;
    service.history = {kind, depth};
    service.service_cleanup_delay = delay;
    return service;
}
TopicRule rule(std::string topic, ServeKind serve = ServeKind::transient) {
    TopicRule result;
    result.topic = std::move(topic);
    result.serve = serve;
    return result;
}

}  // namespace

TEST_CASE("a rule wins over what is announced, that over the daemon's default, field by field") {
    Contract standard;
    standard.max_samples = 77;
    CHECK(resolve(nullptr, std::nullopt, standard).contract == standard);
    CHECK(resolve(nullptr, std::nullopt, standard).source == ContractSource::daemon_default);

    const auto spoken = resolve(nullptr, announced(HistoryKind::keep_last, 5), standard);
    CHECK(spoken.source == ContractSource::announced);
    CHECK(spoken.contract.depth == 5);
    CHECK(spoken.contract.max_samples == unlimited);

    TopicRule ruled = rule("*");
    ruled.contract.depth = 9;
    const auto both = resolve(&ruled, announced(HistoryKind::keep_all, 5), standard);
    CHECK(both.source == ContractSource::rule);
    CHECK(both.contract.depth == 9);
    CHECK(both.contract.history ==
          ContractHistory::keep_last);              // a depth alone means keep that many
    CHECK(both.contract.max_samples == unlimited);  // not ruled: as announced

    ruled.contract = {};
    ruled.contract.scope = ContractScope::writer;
    const auto scope = resolve(&ruled, std::nullopt, standard);
    CHECK(scope.contract.scope == ContractScope::writer);
    CHECK(scope.contract.max_samples == 77);

    const TopicRule silent = rule("*");
    CHECK(resolve(&silent, std::nullopt, standard).source == ContractSource::daemon_default);
}

TEST_CASE("a writer that is not served hears why, by which rule, and what helps") {
    TopicRule denying = rule("rt/*", ServeKind::never);
    denying.origin = "/etc/durabilityd/durabilityd.yaml:12";
    const auto denied = explain(judge(&denying, "rt/map", DurabilityKind::transient),
                                &denying,
                                "rt/map",
                                DurabilityKind::transient);
    CHECK(denied.text == "the rule at /etc/durabilityd/durabilityd.yaml:12 says serve: never");
    CHECK_FALSE(denied.cure.empty());

    TopicRule strict = rule("*", ServeKind::persistent);
    strict.origin = "a.yaml:3";
    const auto weak = explain(judge(&strict, "rt/map", DurabilityKind::transient),
                              &strict,
                              "rt/map",
                              DurabilityKind::transient);
    CHECK(
        weak.text ==
        "it offers TRANSIENT, and PERSISTENT is the least that is served by the rule at a.yaml:3");
    CHECK(weak.cure == "let it offer PERSISTENT, or give that rule serve: transient");

    const auto latched = explain(judge(nullptr, "rt/map", DurabilityKind::transient_local),
                                 nullptr,
                                 "rt/map",
                                 DurabilityKind::transient_local);
    CHECK(latched.text ==
          "it offers TRANSIENT_LOCAL, and TRANSIENT is the least that is served by default");
    CHECK(latched.cure == "let it offer TRANSIENT, or add a rule with serve: transient_local");

    CHECK(explain(ServeVerdict::volatile_writer, nullptr, "a", DurabilityKind::volatile_).text ==
          "it offers VOLATILE: by its own word there is nothing to keep");
    CHECK(explain(ServeVerdict::serve, nullptr, "a", DurabilityKind::transient).text.empty());
}

TEST_CASE("an announced policy that equals the standard's default counts as not announced") {
    Contract standard;
    standard.depth = 12;
    CHECK(resolve(nullptr, DurabilityServiceQos{}, standard).contract.depth == 12);
    CHECK(resolve(nullptr, DurabilityServiceQos{}, standard).source ==
          ContractSource::daemon_default);
}

TEST_CASE("an announced cleanup delay of zero is what everybody announces, any other is meant") {
    const Contract standard;
    CHECK(resolve(nullptr, announced(HistoryKind::keep_last, 5), standard).contract.cleanup_delay ==
          standard.cleanup_delay);
    CHECK(resolve(nullptr, announced(HistoryKind::keep_last, 5, {30, 0}), standard)
              .contract.cleanup_delay == 30s);
    TopicRule ruled = rule("*");
    ruled.contract.cleanup_delay = 0ns;
    CHECK(resolve(&ruled, announced(HistoryKind::keep_last, 5, {30, 0}), standard)
              .contract.cleanup_delay == 0s);
}

TEST_CASE("KEEP_ALL is taken whatever depth comes with it, and no depth is below one") {
    for (const std::int32_t depth : {-1, 0, 1, 7}) {
        CAPTURE(depth);
        const Contract contract =
            resolve(nullptr, announced(HistoryKind::keep_all, depth), {}).contract;
        CHECK(contract.history == ContractHistory::keep_all);
        CHECK(contract.depth >= 1);
    }
}

TEST_CASE("the first rule whose topic, type and partition match applies") {
    std::vector<TopicRule> rules{rule("rt/map"), rule("rt/*"), rule("*")};
    rules[0].partition = "floor?";
    rules[2].type = "Text";
    const auto found =
        [&](std::string_view topic, std::string_view type, std::vector<std::string> partitions) {
            const TopicRule* one = find_rule(rules, topic, type, partitions);
            return one == nullptr ? -1 : static_cast<int>(one - rules.data());
        };
    CHECK(found("rt/map", "Map", {"floor1"}) == 0);
    CHECK(found("rt/map", "Map", {"cellar", "floor2"}) == 0);
    CHECK(found("rt/map", "Map", {"cellar"}) == 1);
    CHECK(found("rt/map", "Map", {}) == 1);
    CHECK(found("chatter", "Text", {}) == 2);
    CHECK(found("chatter", "Map", {}) == -1);
}

TEST_CASE("what is served depends on the rule, the topic and what the writer offers") {
    const TopicRule persistent = rule("*", ServeKind::persistent);
    const TopicRule local = rule("*", ServeKind::transient_local);
    const TopicRule never = rule("*", ServeKind::never);
    using D = DurabilityKind;
    CHECK(judge(nullptr, "a", D::volatile_) == ServeVerdict::volatile_writer);
    CHECK(judge(nullptr, "a", D::transient_local) == ServeVerdict::too_weak);
    CHECK(judge(nullptr, "a", D::transient) == ServeVerdict::serve);
    CHECK(judge(nullptr, "a", D::persistent) == ServeVerdict::serve);
    CHECK(judge(&local, "a", D::transient_local) == ServeVerdict::serve);
    CHECK(judge(&local, "a", D::volatile_) == ServeVerdict::volatile_writer);
    CHECK(judge(&persistent, "a", D::transient) == ServeVerdict::too_weak);
    CHECK(judge(&never, "a", D::persistent) == ServeVerdict::denied);
}

TEST_CASE("internal topics are served only where a rule names them exactly") {
    const TopicRule all = rule("*", ServeKind::transient_local);
    for (const char* const topic : {"DCPSParticipant",
                                    "ros_discovery_info",
                                    "rq/add_two_intsRequest",
                                    "rr/add_two_intsReply",
                                    "rr/spin/_action/get_resultReply",
                                    "rt/spin/_action/status",
                                    "rt/rosout",
                                    "rt/parameter_events"}) {
        CAPTURE(topic);
        const TopicRule named = rule(topic);
        CHECK(judge(nullptr, topic, DurabilityKind::transient) == ServeVerdict::internal_topic);
        CHECK(judge(&all, topic, DurabilityKind::transient) == ServeVerdict::internal_topic);
        CHECK(judge(&named, topic, DurabilityKind::transient) == ServeVerdict::serve);
    }
    for (const char* const topic : {"rt/DCPS", "rt/map", "rq", "rt/rosout/more", "a/_action/b"}) {
        CAPTURE(topic);
        CHECK(judge(&all, topic, DurabilityKind::transient) == ServeVerdict::serve);
    }
}

TEST_CASE("a pattern names what belongs to an action only where it says so") {
    const auto served = [](const char* pattern, const char* topic) {
        const TopicRule one = rule(pattern, ServeKind::transient_local);
        return judge(&one, topic, DurabilityKind::transient_local) == ServeVerdict::serve;
    };
    CHECK(served("rt/*/_action/status", "rt/arm/spin/_action/status"));
    CHECK_FALSE(served("rt/arm/*", "rt/arm/spin/_action/status"));
    CHECK_FALSE(served("rq/*", "rq/spin/_action/send_goalRequest"));
    CHECK_FALSE(served("rt/ros*", "rt/rosout"));
}

TEST_CASE("an internal topic is explained by what it is, and by how to keep it all the same") {
    TopicRule all = rule("rt/*", ServeKind::transient_local);
    all.origin = "a.yaml:2";
    const auto said = [](const TopicRule* by, const char* topic) {
        return explain(ServeVerdict::internal_topic, by, topic, DurabilityKind::transient);
    };
    CHECK_THAT(said(nullptr, "rr/addReply").text, Catch::Contains("a ROS 2 service"));
    CHECK_THAT(said(nullptr, "rt/spin/_action/status").text, Catch::Contains("a ROS 2 action"));
    CHECK_THAT(said(nullptr, "rt/rosout").text, Catch::Contains("log of ROS 2"));
    CHECK_THAT(said(nullptr, "rt/parameter_events").text, Catch::Contains("parameter changes"));
    CHECK_THAT(said(nullptr, "ros_discovery_info").text, Catch::Contains("graph of nodes"));
    CHECK_THAT(said(nullptr, "DCPSTopic").text, Catch::Contains("internal to the middleware"));
    CHECK(said(nullptr, "rr/addReply").cure ==
          "should it be kept all the same, add a rule that names it exactly (topic: rr/addReply)");
    CHECK(said(&all, "rt/rosout").cure ==
          "should it be kept all the same, add a rule that names it exactly (ros_topic: /rosout), "
          "in front of the one at a.yaml:2");
}

TEST_CASE("the ingest reader requests the weakest kind that is served") {
    const TopicRule persistent = rule("*", ServeKind::persistent);
    const TopicRule local = rule("*", ServeKind::transient_local);
    CHECK(weakest_served(nullptr) == DurabilityKind::transient);
    CHECK(weakest_served(&local) == DurabilityKind::transient_local);
    CHECK(weakest_served(&persistent) == DurabilityKind::persistent);
}

TEST_CASE("only TRANSIENT goes to memory by itself; a rule may say otherwise") {
    TopicRule ruled = rule("*");
    CHECK(resolve_storage(nullptr, DurabilityKind::transient) == StorageKind::memory);
    CHECK(resolve_storage(nullptr, DurabilityKind::persistent) == StorageKind::disk);
    CHECK(resolve_storage(&ruled, DurabilityKind::transient_local) == StorageKind::disk);
    ruled.storage = StorageChoice::disk;
    CHECK(resolve_storage(&ruled, DurabilityKind::transient) == StorageKind::disk);
    ruled.storage = StorageChoice::memory;
    CHECK(resolve_storage(&ruled, DurabilityKind::persistent) == StorageKind::memory);
}
