#include "model/qos.hpp"

#include <catch2/catch.hpp>

using namespace durability;

TEST_CASE("kinds have the names of the standard") {
    CHECK(name(DurabilityKind::volatile_) == "VOLATILE");
    CHECK(name(DurabilityKind::persistent) == "PERSISTENT");
    CHECK(name(ReliabilityKind::best_effort) == "BEST_EFFORT");
    CHECK(name(ReliabilityKind::reliable) == "RELIABLE");
    CHECK(name(HistoryKind::keep_last) == "KEEP_LAST");
    CHECK(name(HistoryKind::keep_all) == "KEEP_ALL");
}

TEST_CASE("the default DURABILITY_SERVICE cannot be told from an unset one, any other can") {
    CHECK(DurabilityServiceQos{}.is_default());
    DurabilityServiceQos service;
    service.history.depth = 2;
    CHECK_FALSE(service.is_default());
    service = {};
    service.service_cleanup_delay.fraction = 1;
    CHECK_FALSE(service.is_default());
    service = {};
    service.limits.max_samples = 1;
    CHECK_FALSE(service.is_default());
}

TEST_CASE("a writer offers the first representation of its list, XCDR1 without one") {
    EndpointQos qos;
    CHECK(offered_representation(qos) == representation_xcdr1);
    qos.representations = {representation_xcdr2, representation_xcdr1};
    CHECK(offered_representation(qos) == representation_xcdr2);
}
