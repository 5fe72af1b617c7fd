#include "discovery/peer_facts.hpp"

#include <catch2/catch.hpp>

using namespace durability;
using namespace durability::discovery;

namespace {
constexpr VendorId unassigned{0x0177};
}

TEST_CASE("only Fast DDS is told that inline QoS is expected") {
    CHECK(peer_facts(vendor::eprosima).needs_expects_inline_qos);
    CHECK_FALSE(peer_facts(vendor::eclipse).needs_expects_inline_qos);
    CHECK_FALSE(peer_facts(vendor::rti).needs_expects_inline_qos);
    CHECK_FALSE(peer_facts(unassigned).needs_expects_inline_qos);
}

TEST_CASE("a Cyclone process has one view of a writer and ignores undirected GAPs") {
    CHECK(peer_facts(vendor::eclipse).shares_proxy_writer);
    CHECK(peer_facts(vendor::eclipse).ignores_undirected_gap);
    CHECK_FALSE(peer_facts(vendor::eprosima).shares_proxy_writer);
    CHECK_FALSE(peer_facts(vendor::opendds).shares_proxy_writer);
}

TEST_CASE("the pre-emptive ACKNACK has base 0 for Fast DDS and 1 for the others") {
    CHECK(peer_facts(vendor::eprosima).preemptive_base == SequenceNumber{0});
    CHECK(peer_facts(vendor::eclipse).preemptive_base == SequenceNumber{1});
    CHECK(peer_facts(unassigned).preemptive_base == SequenceNumber{1});
}

TEST_CASE("Fast DDS gets disposes without a payload") {
    CHECK(peer_facts(vendor::eprosima).dispose_form == DisposeForm::key_hash_only);
    CHECK(peer_facts(vendor::eclipse).dispose_form == DisposeForm::key_payload_and_hash);
    CHECK(peer_facts(vendor::opendds).dispose_form == DisposeForm::key_payload_and_hash);
}

TEST_CASE("Fast DDS orders by source timestamp") {
    CHECK(peer_facts(vendor::eprosima).orders_by_source_timestamp);
    CHECK_FALSE(peer_facts(vendor::eclipse).orders_by_source_timestamp);
}

TEST_CASE("a Cyclone writer serves late readers only when it is TRANSIENT_LOCAL") {
    using enum DurabilityKind;
    CHECK_FALSE(serves_own_history(vendor::eclipse, volatile_));
    CHECK(serves_own_history(vendor::eclipse, transient_local));
    CHECK_FALSE(serves_own_history(vendor::eclipse, transient));
    CHECK_FALSE(serves_own_history(vendor::eclipse, persistent));
}

TEST_CASE("other writers serve late readers from TRANSIENT_LOCAL on") {
    using enum DurabilityKind;
    for (const VendorId vendor : {vendor::eprosima, vendor::rti, vendor::opendds, unassigned}) {
        CHECK_FALSE(serves_own_history(vendor, volatile_));
        CHECK(serves_own_history(vendor, transient_local));
        CHECK(serves_own_history(vendor, transient));
        CHECK(serves_own_history(vendor, persistent));
    }
}

TEST_CASE("which readers ask a foreign writer for its history") {
    using enum DurabilityKind;
    CHECK_FALSE(reader_pulls_history(vendor::eclipse, volatile_));
    CHECK(reader_pulls_history(vendor::eclipse, transient_local));
    CHECK_FALSE(reader_pulls_history(vendor::eclipse, transient));
    CHECK_FALSE(reader_pulls_history(vendor::eclipse, persistent));
    CHECK(reader_pulls_history(vendor::eprosima, volatile_));
    CHECK(reader_pulls_history(vendor::eprosima, transient));
    CHECK_FALSE(reader_pulls_history(unassigned, volatile_));
    CHECK(reader_pulls_history(unassigned, persistent));
}

TEST_CASE("vendors have names, or at least a number") {
    CHECK(vendor_name(vendor::eclipse) == "Cyclone DDS");
    CHECK(vendor_name(vendor::eprosima) == "Fast DDS");
    CHECK(vendor_name(VendorId{0x0123}) == "vendor 0x0123");
}
