// What SEDP says about a writer or a reader (RTPS 2.5, 8.5.4.4 and 9.6.3.2-3): payload <-> value.
// Pure.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "model/qos.hpp"
#include "wire/decode_error.hpp"
#include "wire/qos_parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace durability::discovery {

struct EndpointData {
    Guid guid;
    Guid participant;
    std::string topic;
    std::string type;
    EndpointQos qos;
    std::vector<Locator> unicast;  // empty, like multicast: the participant's default locators
    std::vector<Locator> multicast;
    bool expects_inline_qos{false};
    // Fast DDS: the identity that outlives a restart (0x8002), and a reader that never acknowledges
    // (0x8005). Read from that vendor only: others use these ids for other things (fact sheet 2.5).
    std::optional<Guid> persistence_guid;
    bool disable_positive_acks{false};
    ProtocolVersion version;
    VendorId vendor;
    friend bool operator==(const EndpointData&, const EndpointData&) = default;

    [[nodiscard]] bool is_writer() const { return guid.entity.is_writer(); }
    [[nodiscard]] bool is_reader() const { return guid.entity.is_reader(); }
    [[nodiscard]] bool is_keyed() const { return guid.entity.is_keyed(); }
};

// `payload` begins with the encapsulation header; `sender` is the vendor of the participant. The
// defaults of the standard for writers and readers are filled in by the entity kind of the GUID.
// Endpoint GUID, topic and type name are required; a participant GUID must have the same prefix.
// Errors as for decode_participant().
[[nodiscard]] wire::Decoded<EndpointData> decode_endpoint(ByteView payload,
                                                          const wire::StringLimits& limits,
                                                          VendorId sender);

// PL_CDR_LE with encapsulation header. DURABILITY, RELIABILITY, OWNERSHIP and DATA_REPRESENTATION
// are always explicit (fact sheet, rule 5). Type information must be there only if look-ups of that
// type are answered: Cyclone DDS asks for it, and does not match until it has it (rule 19).
[[nodiscard]] Buffer encode_endpoint(const EndpointData& data);

// The key of a dispose: a parameter list with PID_ENDPOINT_GUID (or PID_KEY_HASH), or the plain
// sixteen octets in CDR (fact sheet 1.5).
[[nodiscard]] wire::Decoded<Guid> decode_endpoint_key(ByteView payload);
[[nodiscard]] Buffer encode_endpoint_key(const Guid& endpoint);

}  // namespace durability::discovery
