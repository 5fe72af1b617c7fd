#include "discovery/mismatch.hpp"

#include "support/hex.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace durability;
using namespace durability::discovery;

namespace {

// TYPE_INFORMATION of wire::SmallKey (fact sheet 11).
constexpr const char* small_key =
    "60000000 01100040 28000000 24000000 14000000 f12e6f6e762a3e15b7296aaa8616e100 48000000"
    "00000000 04000000 00000000 02100040 28000000 24000000 14000000"
    "f2e1136dd3b6676a4eb09f10c26b1600 73000000 00000000 04000000 00000000";
constexpr const char* small_key_id = "minimal 2e6f6e762a3e15b7296aaa8616e1";

EndpointData a_writer() {
    EndpointData data;
    data.guid = {GuidPrefix{{1}}, EntityId{0x00000102}};
    data.topic = "Square";
    data.type = "ShapeType";
    data.qos.reliability = ReliabilityKind::reliable;
    data.qos.durability = DurabilityKind::transient;
    return data;
}

EndpointData a_reader() {
    EndpointData data = a_writer();
    data.guid = {GuidPrefix{{2}}, EntityId{0x00000107}};
    return data;
}

struct Row {
    MismatchReason reason;
    std::function<void(EndpointData& writer, EndpointData& reader)> change;
    std::string offered;
    std::string requested;
};

std::vector<Row> rows() {
    using R = MismatchReason;
    return {
        {R::topic, [](auto& w, auto&) { w.topic = "Cir\ncle"; }, "Cir\\ncle", "Square"},
        {R::type,
         [](auto& w, auto& r) {
             w.qos.type_information = test::from_hex(small_key);
             r.type = "Shape";
         },
         std::string("ShapeType, description ") + small_key_id,
         "Shape, not described"},
        {R::type_validation,
         [](auto&, auto& r) { r.qos.force_type_validation = true; },
         "ShapeType, not described",
         "ShapeType, not described, and the same description only"},
        {R::keyedness,
         [](auto&, auto& r) { r.guid.entity.value = 0x00000104; },
         "with a key",
         "without a key"},
        {R::reliability,
         [](auto& w, auto&) { w.qos.reliability = ReliabilityKind::best_effort; },
         "BEST_EFFORT",
         "RELIABLE"},
        {R::durability,
         [](auto&, auto& r) { r.qos.durability = DurabilityKind::persistent; },
         "TRANSIENT",
         "PERSISTENT"},
        {R::presentation,
         [](auto&, auto& r) {
             r.qos.presentation = {PresentationScope::topic, true, true};
         },
         "INSTANCE",
         "TOPIC, coherent, ordered"},
        {R::presentation,
         [](auto& w, auto& r) {
             w.qos.presentation = {PresentationScope::group, false, true};
             r.qos.presentation = {PresentationScope::topic, true, false};
         },
         "GROUP, ordered",
         "TOPIC, coherent"},
        {R::deadline,
         [](auto& w, auto& r) {
             // As some vendors write infinite.
             w.qos.deadline = {0x7fffffff, 0x7fffffff};
             r.qos.deadline = {1, 0x80000000U};
         },
         "infinite",
         "1500ms"},
        {R::latency_budget,
         [](auto& w, auto&) {
             w.qos.latency_budget = {2, 0};
         },
         "2s",
         "0s"},
        {R::ownership,
         [](auto& w, auto&) { w.qos.ownership = OwnershipKind::exclusive; },
         "EXCLUSIVE",
         "SHARED"},
        {R::liveliness,
         [](auto&, auto& r) {
             r.qos.liveliness = {LivelinessKind::manual_by_topic, QosDuration{10, 0}};
         },
         "AUTOMATIC, lease infinite",
         "MANUAL_BY_TOPIC, lease 10s"},
        {R::liveliness,
         [](auto& w, auto& r) {
             w.qos.liveliness = {LivelinessKind::manual_by_participant, QosDuration{5, 0}};
             r.qos.liveliness.lease_duration = {1, 0};
         },
         "MANUAL_BY_PARTICIPANT, lease 5s",
         "AUTOMATIC, lease 1s"},
        {R::destination_order,
         [](auto&, auto& r) {
             r.qos.destination_order = DestinationOrderKind::by_source_timestamp;
         },
         "BY_RECEPTION_TIMESTAMP",
         "BY_SOURCE_TIMESTAMP"},
        {R::partition,
         [](auto& w, auto& r) {
             w.qos.partitions = {"left", "a\"b"};
             r.qos.partitions = {};
         },
         R"("left", "a\"b")",
         R"(the default partition "")"},
        {R::representation,
         [](auto& w, auto&) {
             w.qos.representations = {representation_xcdr2, 0};
         },
         "XCDR2",
         "XCDR1 (none is named)"},
        {R::representation,
         [](auto& w, auto& r) {
             w.qos.representations = {};
             r.qos.representations = {representation_xcdr2, representation_xml, 7};
         },
         "XCDR1",
         "XCDR2, XML, representation 7"},
        {R::positive_acks,
         [](auto&, auto& r) { r.disable_positive_acks = true; },
         "waits for acknowledgements",
         "sends none"},
    };
}

}  // namespace

TEST_CASE("a mismatch is told with what either side has") {
    std::set<MismatchReason> seen;
    for (const Row& row : rows()) {
        INFO(name(row.reason));
        EndpointData writer = a_writer();
        EndpointData reader = a_reader();
        row.change(writer, reader);
        const Mismatch mismatch = explain_mismatch(writer, reader);
        CHECK(name(mismatch.reason) == name(row.reason));
        CHECK(mismatch.reason == match(writer, reader));
        CHECK(mismatch.offered == row.offered);
        CHECK(mismatch.requested == row.requested);
        CHECK_FALSE(cure(row.reason).empty());
        seen.insert(row.reason);
    }
    // Every reason but `none`.
    CHECK(seen.size() == static_cast<std::size_t>(MismatchReason::positive_acks));
}

TEST_CASE("of endpoints that match there is nothing to tell") {
    const Mismatch none = explain_mismatch(a_writer(), a_reader());
    CHECK(none.reason == MismatchReason::none);
    CHECK(none.offered.empty());
    CHECK(none.requested.empty());
    CHECK(cure(MismatchReason::none).empty());
}
