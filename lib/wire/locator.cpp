#include "wire/locator.hpp"

namespace durability::wire {
namespace {

// All terms are below 2^32 times 2^32 at most once each, so the sum is checked term by term.
std::optional<std::uint16_t> port(std::uint64_t base,
                                  std::uint64_t domain_part,
                                  std::uint64_t index_part,
                                  std::uint64_t offset) {
    constexpr std::uint64_t highest = 65535;
    if (domain_part > highest || index_part > highest || offset > highest) return std::nullopt;
    const std::uint64_t result = base + domain_part + index_part + offset;
    if (result == 0 || result > highest) return std::nullopt;
    return static_cast<std::uint16_t>(result);
}

std::uint64_t product(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{a} * b;
}

}  // namespace

Decoded<Locator> decode_locator(ByteView value, std::endian order) {
    if (value.size() != locator_size) return decode_failure(DecodeError::bad_length);
    ByteReader in(value, order);
    return read_locator(in);
}

Locator read_locator(ByteReader& in) {
    Locator locator;
    locator.kind = in.i32();
    locator.port = in.u32();
    locator.address = in.octets<16>();
    return locator;
}

void write_locator(ByteWriter& out, const Locator& locator) {
    out.i32(locator.kind);
    out.u32(locator.port);
    out.bytes(locator.address);
}

std::optional<std::uint16_t> PortMapping::multicast_metatraffic(std::uint32_t domain) const {
    return port(port_base, product(domain_gain, domain), 0, d0);
}

std::optional<std::uint16_t> PortMapping::unicast_metatraffic(std::uint32_t domain,
                                                              std::uint32_t index) const {
    return port(port_base, product(domain_gain, domain), product(participant_gain, index), d1);
}

std::optional<std::uint16_t> PortMapping::multicast_user(std::uint32_t domain) const {
    return port(port_base, product(domain_gain, domain), 0, d2);
}

std::optional<std::uint16_t> PortMapping::unicast_user(std::uint32_t domain,
                                                       std::uint32_t index) const {
    return port(port_base, product(domain_gain, domain), product(participant_gain, index), d3);
}

}  // namespace durability::wire
