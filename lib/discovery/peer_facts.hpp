// How the implementations differ where the standard leaves room, as a table by vendor id. Pure.
// Every entry was seen on the wire or read in the sources; the fact sheet (docs in lib/PROTOCOL.md,
// departures) has the details. Vendors that are not listed get the behaviour of the standard.
#pragma once

#include "model/guid.hpp"
#include "model/qos.hpp"
#include "model/sequence_number.hpp"

#include <cstdint>
#include <string>

namespace durability::discovery {

// How a dispose or unregister of a keyed user sample has to look for the receiver to find the right
// instance (fact sheet 6.8).
enum class DisposeForm : std::uint8_t {
    key_hash_only,  // KEY_HASH and STATUS_INFO, no payload: Fast DDS takes a short key for the
                    // handle
    key_payload_and_hash,  // K payload and STATUS_INFO; the hash does no harm
};

struct PeerFacts {
    // Announce PID_EXPECTS_INLINE_QOS = true to it: the only way to have Fast DDS before 2.14 send
    // key hashes; Cyclone ignores a reader that says so altogether (rule 7, 6.6).
    bool needs_expects_inline_qos{false};
    // All readers of a process share one view of a remote writer, and one expected number (12.1).
    bool shares_proxy_writer{false};
    // A KEEP_LAST history is ordered by source timestamp, not by arrival (5.4).
    bool orders_by_source_timestamp{false};
    // A GAP with reader id 0 is ignored (12.1).
    bool ignores_undirected_gap{false};
    // Base of an ACKNACK that only asks for a HEARTBEAT (6.2).
    SequenceNumber preemptive_base{1};
    DisposeForm dispose_form{DisposeForm::key_payload_and_hash};
    // A writer forgets an instance it unregisters: late readers hear nothing of it (4.1).
    bool drops_unregistered{false};
    // A reader takes no notice of coherent sets, and needs nothing that ends one (7).
    bool ignores_coherent_sets{false};
};

[[nodiscard]] PeerFacts peer_facts(VendorId vendor);

// "Cyclone DDS"; of vendors that are not known, the number: "vendor 0x0123".
[[nodiscard]] std::string vendor_name(VendorId vendor);

// Whether a living writer of that vendor, offering `offered`, sends late readers what it holds
// (4.1).
[[nodiscard]] bool serves_own_history(VendorId vendor, DurabilityKind offered);

// Whether a reader finds the right instance for disposes and unregisters as that vendor's writers
// send them (6.8).
[[nodiscard]] bool understands_operations(VendorId reader, VendorId writer);

// Whether a reader of that vendor, requesting `requested`, asks a foreign writer for the numbers
// below the first HEARTBEAT it sees (4.4, 4.5).
[[nodiscard]] bool reader_pulls_history(VendorId vendor, DurabilityKind requested);

}  // namespace durability::discovery
