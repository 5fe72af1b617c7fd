#include "discovery/peer_facts.hpp"

#include <fmt/format.h>

namespace durability::discovery {

PeerFacts peer_facts(VendorId vendor) {
    PeerFacts facts;
    if (vendor == vendor::eclipse) {
        facts.shares_proxy_writer = true;     // ddsi_entity_match.c, q_receive.c; seen on the wire
        facts.ignores_undirected_gap = true;  // seen on the wire
        facts.drops_unregistered = true;      // of TRANSIENT_LOCAL writers; seen on the wire
        facts.ignores_coherent_sets = true;   // ddsi_plist.c reads the parameter, nobody uses it
    }
    if (vendor == vendor::eprosima) {
        facts.needs_expects_inline_qos = true;    // seen on the wire, 2.9.1; harmless from 2.14 on
        facts.orders_by_source_timestamp = true;  // DataReaderHistory.cpp; seen on the wire
        facts.preemptive_base = SequenceNumber{0};  // base 1 is answered with the next period only
        facts.dispose_form = DisposeForm::key_hash_only;
        facts.drops_unregistered = true;  // seen on the wire, 2.9.1
        facts.ignores_coherent_sets = true;
    }
    if (vendor == vendor::opendds) facts.ignores_coherent_sets = true;  // not over RTPS
    return facts;
}

std::string vendor_name(VendorId vendor) {
    if (vendor == vendor::eclipse) return "Cyclone DDS";
    if (vendor == vendor::eprosima) return "Fast DDS";
    if (vendor == vendor::rti) return "RTI Connext";
    if (vendor == vendor::opendds) return "OpenDDS";
    if (vendor == vendor::own) return "durabilityd";
    return fmt::format("vendor 0x{:04x}", vendor.value);
}

bool serves_own_history(VendorId vendor, DurabilityKind offered) {
    switch (offered) {
        case DurabilityKind::volatile_:
            return false;
        case DurabilityKind::transient_local:
            return true;
        case DurabilityKind::transient:
        case DurabilityKind::persistent:
            // Treated like VOLATILE by Cyclone DDS (handle_as_transient_local); the first HEARTBEAT
            // to a late reader says N+1..N.
            return vendor != vendor::eclipse;
    }
    return false;
}

bool understands_operations(VendorId reader, VendorId writer) {
    // Fast DDS sends a key hash alone, which others understand for short keys only, and takes the
    // key payload of others for another instance. Both seen on the wire.
    return reader == writer || (reader != vendor::eprosima && writer != vendor::eprosima);
}

bool reader_pulls_history(VendorId vendor, DurabilityKind requested) {
    // Fast DDS asks for everything a HEARTBEAT names, VOLATILE readers too.
    if (vendor == vendor::eprosima) return true;
    // Cyclone DDS asks for history only when the kind is exactly TRANSIENT_LOCAL.
    if (vendor == vendor::eclipse) return requested == DurabilityKind::transient_local;
    return requested != DurabilityKind::volatile_;
}

}  // namespace durability::discovery
