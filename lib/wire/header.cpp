#include "wire/header.hpp"

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"

#include <algorithm>
#include <array>

namespace durability::wire {
namespace {

constexpr std::array<std::uint8_t, 4> magic{'R', 'T', 'P', 'S'};
// Connext probes addresses with sixteen octets that end in this word instead of a prefix.
constexpr std::array<std::uint8_t, 8> ping{'N', 'D', 'D', 'S', 'P', 'I', 'N', 'G'};
constexpr std::size_t ping_size = 16;

bool is_ping(ByteView datagram) {
    return datagram.size() == ping_size &&
           std::equal(ping.begin(), ping.end(), datagram.end() - ping.size());
}

}  // namespace

Decoded<Header> decode_header(ByteView datagram) {
    ByteReader in(datagram, std::endian::big);
    const auto start = in.octets<4>();
    Header header;
    header.version.major = in.u8();
    header.version.minor = in.u8();
    header.vendor.value = in.u16();
    if (!is_ping(datagram)) header.prefix.octets = in.octets<12>();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (start != magic) return decode_failure(DecodeError::bad_magic);
    if (header.version.major != 2) return decode_failure(DecodeError::bad_version);
    return header;
}

void encode_header(Buffer& out, const Header& header) {
    ByteWriter writer(out, std::endian::big);
    writer.bytes(magic);
    writer.u8(header.version.major);
    writer.u8(header.version.minor);
    writer.u16(header.vendor.value);
    writer.bytes(header.prefix.octets);
}

}  // namespace durability::wire
