// What the TypeLookup service says (XTypes 1.3, 7.6.3.3): requests and replies, payload <-> value.
// Pure. Nothing that cannot be read leads to more than an error; everything is bounded by limits.
#pragma once

#include "types/type_id.hpp"

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "wire/decode_error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace durability::discovery {

enum class TypeLookupOperation : std::uint32_t {
    get_types = 0x018252d3,
    get_dependencies = 0x05aafb31,
};

// SampleIdentity of DDS-RPC. The octets of the GUID are kept as they stand: Cyclone DDS swaps them
// on little-endian machines, so they are good for nothing but being sent back (fact sheet 6.7).
struct RequestIdentity {
    std::array<std::uint8_t, 16> writer{};
    std::int64_t number{0};
    friend bool operator==(const RequestIdentity&, const RequestIdentity&) = default;
};

struct TypeLookupRequest {
    RequestIdentity identity;
    std::string instance_name;  // whom it is for: type_lookup_instance() of that participant
    TypeLookupOperation operation{TypeLookupOperation::get_types};
    std::vector<types::TypeId> ids;
    // The outermost structure has a header of its own (encapsulation 0009): Fast DDS 3 sends and
    // expects it so, Cyclone DDS does not (0007).
    bool delimited{false};
    friend bool operator==(const TypeLookupRequest&, const TypeLookupRequest&) = default;
};

// RemoteExceptionCode of DDS-RPC; more exist.
namespace remote_exception {
inline constexpr std::int32_t ok = 0;
inline constexpr std::int32_t unsupported = 1;
}  // namespace remote_exception

struct TypeLookupReply {
    struct FoundType {
        types::TypeId id;
        // The serialized TypeObject. Of a decoded reply: borrowed from its payload, and in its byte
        // order, so that of a big-endian one no hash will fit. Nothing is verified.
        ByteView object;
    };
    struct Dependency {
        types::TypeId id;
        std::uint32_t object_size{0};
        friend bool operator==(const Dependency&, const Dependency&) = default;
    };

    RequestIdentity related;
    std::int32_t exception{remote_exception::ok};
    TypeLookupOperation operation{TypeLookupOperation::get_types};
    std::vector<FoundType> types;
    std::vector<Dependency> dependencies;
    bool delimited{false};
};

struct TypeLookupLimits {
    // Of one message. Ids beyond are not looked at, as if they were not known.
    std::size_t ids{1'024};
};

// `payload` begins with the encapsulation header: XCDR2 in either byte order. Errors: truncated,
// bad_length, bad_string; unsupported for another encoding, another operation, and for identifiers
// of types without description (such as `long`), for which nobody has to ask.
[[nodiscard]] wire::Decoded<TypeLookupRequest> decode_type_lookup_request(
    ByteView payload, const TypeLookupLimits& limits);
[[nodiscard]] Buffer encode_type_lookup_request(const TypeLookupRequest& request);

// The same of a reply; one that reports an exception, or no result, has no types.
[[nodiscard]] wire::Decoded<TypeLookupReply> decode_type_lookup_reply(
    ByteView payload, const TypeLookupLimits& limits);
[[nodiscard]] Buffer encode_type_lookup_reply(const TypeLookupReply& reply);

// "dds.builtin.TOS." and the 32 hexadecimal digits of the participant's GUID.
[[nodiscard]] std::string type_lookup_instance(const GuidPrefix& participant);
// Whether a request with that instance name has to be answered by this participant: its own name,
// no name, or the GUID of zeros that Cyclone DDS writes when it asks everybody.
[[nodiscard]] bool concerns_instance(const std::string& name, const GuidPrefix& participant);

}  // namespace durability::discovery
