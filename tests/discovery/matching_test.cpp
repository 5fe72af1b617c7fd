#include "discovery/matching.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace durability;
using namespace durability::discovery;

namespace {

constexpr QosDuration one_second{1, 0};
constexpr QosDuration two_seconds{2, 0};
// How some vendors write infinite.
constexpr QosDuration other_infinite{0x7fffffff, 0x7fffffff};

// TYPE_INFORMATION of wire::SmallKey (fact sheet 11), of the same with other names of its members,
// and of another type.
constexpr const char* small_key =
    "60000000 01100040 28000000 24000000 14000000 f12e6f6e762a3e15b7296aaa8616e100 48000000"
    "00000000 04000000 00000000 02100040 28000000 24000000 14000000"
    "f2e1136dd3b6676a4eb09f10c26b1600 73000000 00000000 04000000 00000000";
constexpr const char* small_key_other_complete =
    "60000000 01100040 28000000 24000000 14000000 f12e6f6e762a3e15b7296aaa8616e100 48000000"
    "00000000 04000000 00000000 02100040 28000000 24000000 14000000"
    "f2ffffffd3b6676a4eb09f10c26b1600 73000000 00000000 04000000 00000000";
constexpr const char* other_type =
    "60000000 01100040 28000000 24000000 14000000 f1ffffff762a3e15b7296aaa8616e100 48000000"
    "00000000 04000000 00000000 02100040 28000000 24000000 14000000"
    "f2e1136dd3b6676a4eb09f10c26b1600 73000000 00000000 04000000 00000000";

EndpointData a_writer() {
    EndpointData data;
    data.guid = {GuidPrefix{{1}}, EntityId{0x00000102}};
    data.topic = "Square";
    data.type = "ShapeType";
    data.qos.reliability = ReliabilityKind::reliable;
    return data;
}

EndpointData a_reader() {
    EndpointData data = a_writer();
    data.guid = {GuidPrefix{{2}}, EntityId{0x00000107}};
    data.qos.reliability = ReliabilityKind::best_effort;
    return data;
}

using Change = std::function<void(EndpointData& writer, EndpointData& reader)>;
struct Row {
    const char* what;
    Change change;
    MismatchReason expected;
};

void check(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(row.what);
        EndpointData writer = a_writer();
        EndpointData reader = a_reader();
        row.change(writer, reader);
        CHECK(name(match(writer, reader)) == name(row.expected));
    }
}

bool partitions(std::vector<std::string> writer, std::vector<std::string> reader) {
    return partitions_match(writer, reader);
}

}  // namespace

TEST_CASE("a writer and a reader of one topic and type match") {
    CHECK(match(a_writer(), a_reader()) == MismatchReason::none);
}

TEST_CASE("topic, type and entity kind have to be equal") {
    check({
        {"topic", [](auto& w, auto&) { w.topic = "Circle"; }, MismatchReason::topic},
        {"topic names are no patterns",
         [](auto& w, auto&) { w.topic = "*"; },
         MismatchReason::topic},
        {"type", [](auto&, auto& r) { r.type = "Other"; }, MismatchReason::type},
        {"keyed writer, unkeyed reader",
         [](auto&, auto& r) { r.guid.entity.value = 0x00000104; },
         MismatchReason::keyedness},
        {"unkeyed writer, keyed reader",
         [](auto& w, auto&) { w.guid.entity.value = 0x00000103; },
         MismatchReason::keyedness},
        {"both unkeyed",
         [](auto& w, auto& r) {
             w.guid.entity.value = 0x00000103;
             r.guid.entity.value = 0x00000104;
         },
         MismatchReason::none},
    });
}

TEST_CASE("types are compared by name unless both say the same of their type") {
    const Buffer small = test::from_hex(small_key);
    const Buffer same = test::from_hex(small_key_other_complete);
    const Buffer other = test::from_hex(other_type);
    check({
        {"type information on one side only",
         [&](auto& w, auto&) { w.qos.type_information = small; },
         MismatchReason::none},
        {"the same type under another name",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = same;
             r.type = "Shape";
         },
         MismatchReason::none},
        {"different types of one name",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = other;
         },
         MismatchReason::none},
        {"different types under different names",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = other;
             r.type = "Shape";
         },
         MismatchReason::type},
        {"what cannot be read is the same for both",
         [](auto& w, auto& r) {
             w.qos.type_information = {1};
             r.qos.type_information = {1};
             r.type = "Shape";
         },
         MismatchReason::type},
    });
}

TEST_CASE("a reader that forces type validation matches the same type only") {
    const Buffer small = test::from_hex(small_key);
    const Buffer same = test::from_hex(small_key_other_complete);
    const Buffer other = test::from_hex(other_type);
    check({
        {"no type information",
         [](auto&, auto& r) { r.qos.force_type_validation = true; },
         MismatchReason::type_validation},
        {"different types",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = other;
             r.qos.force_type_validation = true;
         },
         MismatchReason::type_validation},
        {"type information that cannot be read",
         [](auto& w, auto& r) {
             w.qos.type_information = {1};
             r.qos.type_information = {1};
             r.qos.force_type_validation = true;
         },
         MismatchReason::type_validation},
        {"the same minimal type",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = same;
             r.qos.force_type_validation = true;
         },
         MismatchReason::none},
        {"the same minimal type under another name",
         [&](auto& w, auto& r) {
             w.qos.type_information = small;
             r.qos.type_information = same;
             r.type = "Shape";
             r.qos.force_type_validation = true;
         },
         MismatchReason::none},
    });
}

TEST_CASE("every pair of durability and reliability kinds follows offered >= requested") {
    for (int offered = 0; offered <= 3; ++offered) {
        for (int requested = 0; requested <= 3; ++requested) {
            EndpointData writer = a_writer();
            EndpointData reader = a_reader();
            writer.qos.durability = static_cast<DurabilityKind>(offered);
            reader.qos.durability = static_cast<DurabilityKind>(requested);
            INFO(offered << " offered, " << requested << " requested");
            CHECK((match(writer, reader) == MismatchReason::none) == (offered >= requested));
            CHECK((match(writer, reader) == MismatchReason::durability) == (offered < requested));
        }
    }
    check({
        {"reliable for reliable",
         [](auto&, auto& r) { r.qos.reliability = ReliabilityKind::reliable; },
         MismatchReason::none},
        {"best effort for best effort",
         [](auto& w, auto&) { w.qos.reliability = ReliabilityKind::best_effort; },
         MismatchReason::none},
        {"best effort for reliable",
         [](auto& w, auto& r) {
             w.qos.reliability = ReliabilityKind::best_effort;
             r.qos.reliability = ReliabilityKind::reliable;
         },
         MismatchReason::reliability},
    });
}

TEST_CASE("presentation: scope, coherent and ordered access each have to be offered") {
    using Scope = PresentationScope;
    check({
        {"wider scope offered",
         [](auto& w, auto& r) {
             w.qos.presentation.access_scope = Scope::group;
             r.qos.presentation.access_scope = Scope::topic;
         },
         MismatchReason::none},
        {"narrower scope offered",
         [](auto& w, auto& r) {
             w.qos.presentation.access_scope = Scope::instance;
             r.qos.presentation.access_scope = Scope::topic;
         },
         MismatchReason::presentation},
        {"coherent offered only",
         [](auto& w, auto&) { w.qos.presentation.coherent_access = true; },
         MismatchReason::none},
        {"coherent requested only",
         [](auto&, auto& r) { r.qos.presentation.coherent_access = true; },
         MismatchReason::presentation},
        {"ordered offered only",
         [](auto& w, auto&) { w.qos.presentation.ordered_access = true; },
         MismatchReason::none},
        {"ordered requested only",
         [](auto&, auto& r) { r.qos.presentation.ordered_access = true; },
         MismatchReason::presentation},
    });
}

TEST_CASE("deadline and latency budget: the offer may not be longer than the request") {
    check({
        {"shorter deadline offered",
         [](auto& w, auto& r) {
             w.qos.deadline = one_second;
             r.qos.deadline = two_seconds;
         },
         MismatchReason::none},
        {"equal deadline",
         [](auto& w, auto& r) { w.qos.deadline = r.qos.deadline = one_second; },
         MismatchReason::none},
        {"longer deadline offered",
         [](auto& w, auto& r) {
             w.qos.deadline = two_seconds;
             r.qos.deadline = one_second;
         },
         MismatchReason::deadline},
        {"no deadline offered",
         [](auto&, auto& r) { r.qos.deadline = one_second; },
         MismatchReason::deadline},
        {"infinite written differently",
         [](auto&, auto& r) { r.qos.deadline = other_infinite; },
         MismatchReason::none},
        {"shorter latency budget offered",
         [](auto& w, auto& r) {
             w.qos.latency_budget = one_second;
             r.qos.latency_budget = two_seconds;
         },
         MismatchReason::none},
        {"longer latency budget offered",
         [](auto& w, auto&) { w.qos.latency_budget = one_second; },
         MismatchReason::latency_budget},
    });
}

TEST_CASE("ownership kinds are equal, strengths do not matter") {
    check({
        {"exclusive offered",
         [](auto& w, auto&) { w.qos.ownership = OwnershipKind::exclusive; },
         MismatchReason::ownership},
        {"exclusive requested",
         [](auto&, auto& r) { r.qos.ownership = OwnershipKind::exclusive; },
         MismatchReason::ownership},
        {"both exclusive",
         [](auto& w, auto& r) {
             w.qos.ownership = r.qos.ownership = OwnershipKind::exclusive;
             w.qos.ownership_strength = 7;
         },
         MismatchReason::none},
    });
}

TEST_CASE("liveliness: kind offered >= requested, lease offered <= requested") {
    using Kind = LivelinessKind;
    check({
        {"stronger kind",
         [](auto& w, auto& r) {
             w.qos.liveliness.kind = Kind::manual_by_topic;
             r.qos.liveliness.kind = Kind::manual_by_participant;
         },
         MismatchReason::none},
        {"weaker kind",
         [](auto& w, auto& r) {
             w.qos.liveliness.kind = Kind::automatic;
             r.qos.liveliness.kind = Kind::manual_by_participant;
         },
         MismatchReason::liveliness},
        {"shorter lease",
         [](auto& w, auto& r) {
             w.qos.liveliness.lease_duration = one_second;
             r.qos.liveliness.lease_duration = two_seconds;
         },
         MismatchReason::none},
        {"no lease offered",
         [](auto&, auto& r) { r.qos.liveliness.lease_duration = two_seconds; },
         MismatchReason::liveliness},
    });
}

TEST_CASE("destination order: offered >= requested") {
    constexpr auto by_source = DestinationOrderKind::by_source_timestamp;
    check({
        {"by source offered",
         [](auto& w, auto&) { w.qos.destination_order = by_source; },
         MismatchReason::none},
        {"by source requested",
         [](auto&, auto& r) { r.qos.destination_order = by_source; },
         MismatchReason::destination_order},
        {"both by source",
         [](auto& w, auto& r) { w.qos.destination_order = r.qos.destination_order = by_source; },
         MismatchReason::none},
    });
}

TEST_CASE("the writer's first data representation has to be in the reader's list") {
    using List = std::vector<std::int16_t>;
    struct Case {
        List offered;
        List requested;
        bool matches;
    };
    const std::vector<Case> cases{
        {{}, {}, true},
        {{0}, {}, true},
        {{0, 2}, {}, true},
        {{2}, {}, false},
        {{2, 0}, {}, false},
        {{}, {0, 2}, true},
        {{2}, {0, 2}, true},
        {{2}, {2}, true},
        {{}, {2}, false},
        {{0, 2}, {2}, false},
        {{2}, {0}, false},
        {{1}, {0, 2}, false},
    };
    for (const Case& row : cases) {
        EndpointData writer = a_writer();
        EndpointData reader = a_reader();
        writer.qos.representations = row.offered;
        reader.qos.representations = row.requested;
        const auto expected = row.matches ? MismatchReason::none : MismatchReason::representation;
        CHECK(name(match(writer, reader)) == name(expected));
    }
}

TEST_CASE("a reader that never acknowledges needs a writer that agreed to it") {
    check({
        {"reader only",
         [](auto&, auto& r) { r.disable_positive_acks = true; },
         MismatchReason::positive_acks},
        {"writer only",
         [](auto& w, auto&) { w.disable_positive_acks = true; },
         MismatchReason::none},
        {"both",
         [](auto& w, auto& r) { w.disable_positive_acks = r.disable_positive_acks = true; },
         MismatchReason::none},
    });
}

TEST_CASE("policies without a rule do not decide") {
    check({{"history, limits, service, lifespan, strength, filter, data",
            [](auto& w, auto& r) {
                w.qos.history = {HistoryKind::keep_all, 1};
                w.qos.resource_limits.max_samples = 3;
                w.qos.durability_service = DurabilityServiceQos{one_second, {}, {}};
                w.qos.lifespan = one_second;
                w.qos.ownership_strength = 5;
                w.qos.transport_priority = 9;
                w.qos.user_data = {1};
                w.qos.group_data = {2};
                w.qos.topic_data = {3};
                r.qos.time_based_filter = one_second;
            },
            MismatchReason::none}});
}

TEST_CASE("partitions match by a common name or a pattern on one side") {
    CHECK(partitions({}, {}));
    CHECK(partitions({}, {""}));
    CHECK(partitions({""}, {}));
    CHECK(partitions({"A"}, {"A"}));
    CHECK(partitions({"A", "B"}, {"C", "B"}));
    CHECK(partitions({"A"}, {"*"}));
    CHECK(partitions({"*"}, {"A"}));
    CHECK(partitions({"robot1/arm"}, {"robot?/a*"}));
    CHECK(partitions({"zone[1-3]"}, {"zone2"}));
    CHECK(partitions({}, {"*"}));

    CHECK_FALSE(partitions({"A"}, {}));
    CHECK_FALSE(partitions({}, {"A"}));
    CHECK_FALSE(partitions({"A"}, {"B"}));
    CHECK_FALSE(partitions({"A"}, {"a"}));
    CHECK_FALSE(partitions({"A"}, {"?B"}));
    CHECK_FALSE(partitions({}, {"?"}));
}

TEST_CASE("a partition pattern never matches a pattern") {
    CHECK_FALSE(partitions({"*"}, {"*"}));
    CHECK_FALSE(partitions({"A*"}, {"A*"}));
    CHECK_FALSE(partitions({"A?"}, {"A*"}));
    CHECK_FALSE(partitions({"[ab]"}, {"*"}));
    // Cyclone DDS takes brackets for plain characters.
    CHECK(partitions({"cell[1]"}, {"cell[1]"}));
}

TEST_CASE("the partition rule decides about the match") {
    check({
        {"different partitions",
         [](auto& w, auto& r) {
             w.qos.partitions = {"A"};
             r.qos.partitions = {"B"};
         },
         MismatchReason::partition},
        {"pattern",
         [](auto& w, auto& r) {
             w.qos.partitions = {"A"};
             r.qos.partitions = {"?"};
         },
         MismatchReason::none},
    });
}

TEST_CASE("globs match as fnmatch does") {
    struct Case {
        const char* pattern;
        const char* text;
        bool matches;
    };
    const std::vector<Case> cases{
        {"", "", true},           {"", "a", false},          {"*", "", true},
        {"**", "abc", true},      {"a", "a", true},          {"a", "ab", false},
        {"a*", "a", true},        {"*c", "abc", true},       {"*b*", "abc", true},
        {"a*c*e", "abcde", true}, {"a*c*f", "abcde", false}, {"?", "", false},
        {"a?c", "abc", true},     {"a?c", "ac", false},      {"*?", "a", true},
        {"*?", "", false},        {"[abc]", "b", true},      {"[abc]", "d", false},
        {"[a-c]x", "bx", true},   {"[!a-c]", "d", true},     {"[!a-c]", "b", false},
        {"[^a]", "b", true},      {"[]]", "]", true},        {"[]-]", "-", true},
        {"[a-]", "-", true},      {"[a", "[a", true},        {"[a", "a", false},
        {"*[0-9]", "abc7", true}, {"*.log", ".log", true},   {"rt/*", "rt/a/b", true},
        {"\\*", "\\abc", true},   {"[c-a]", "b", false},
    };
    for (const Case& row : cases) {
        INFO(row.pattern << " and " << row.text);
        CHECK(glob_matches(row.pattern, row.text) == row.matches);
    }
}

TEST_CASE("a hostile pattern costs no more than pattern times text") {
    std::string pattern;
    for (int i = 0; i < 128; ++i)
        pattern += "*a";
    pattern += "b";
    const std::string text(256, 'a');
    CHECK_FALSE(glob_matches(pattern, text));
}
