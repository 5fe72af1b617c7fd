// The twenty octets in front of every RTPS message (RTPS 2.5, 8.3.7.1 and 9.4.4).
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "wire/decode_error.hpp"

#include <cstddef>

namespace durability::wire {

inline constexpr std::size_t header_size = 20;
// The largest UDP payload over IPv4; nothing longer is sent or expected.
inline constexpr std::size_t max_datagram_size = 65507;

struct Header {
    ProtocolVersion version;
    VendorId vendor;
    GuidPrefix prefix;
    friend bool operator==(const Header&, const Header&) = default;
};

// Reads the header at the start of `datagram`. Any minor version of major version 2 is accepted.
// The sixteen octets with which Connext probes an address are a header without a prefix, and all
// there is. Errors: truncated, bad_magic, bad_version. Thread-safe.
[[nodiscard]] Decoded<Header> decode_header(ByteView datagram);

// Appends the twenty octets to `out`.
void encode_header(Buffer& out, const Header& header);

}  // namespace durability::wire
