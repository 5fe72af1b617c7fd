// What the SPDP and SEDP decoders share: walking a parameter list with its encapsulation header,
// the keys of disposes, and what every announcement begins with. Internal to discovery/. Pure.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/locator.hpp"
#include "wire/cdr.hpp"
#include "wire/decode_error.hpp"
#include "wire/parameter_list.hpp"

#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace durability::discovery {

// What is wrong with a parameter; nothing: go on.
using Complaint = std::optional<wire::DecodeError>;

// More locators of one kind than this are ignored: one is enough to reach a participant.
inline constexpr std::size_t max_locators_per_list = 32;

// Single-valued parameters seen so far. Twice the same is damage: peers disagree on which one
// counts (fact sheet 2.5), and there must not be two readings of one announcement.
class SeenParameters {
  public:
    // False when `id` was marked before. `id` is one of the standard's, flags removed.
    [[nodiscard]] bool mark(std::uint16_t id);
    [[nodiscard]] bool contains(std::uint16_t id) const { return seen_.test(id % slots); }

  private:
    static constexpr std::size_t slots = 128;  // all ids we know are below
    std::bitset<slots> seen_;
};

// The rule for a parameter nobody knew: in the standard's range and marked "must understand", it
// makes the whole list unusable (RTPS 2.5, 9.6.2.2.1); everything else is skipped.
[[nodiscard]] Complaint unknown_parameter(std::uint16_t id);

// Takes the value out, or says why there is none.
template <class T>
[[nodiscard]] Complaint assign(wire::Decoded<T> value, T& out) {
    if (!value) return value.error();
    out = std::move(*value);
    return std::nullopt;
}

// Calls `visit(parameter, order)` for each parameter up to the sentinel; stops at the first
// complaint. `payload` begins with the encapsulation header, which says PL_CDR in either order.
template <class Visit>
[[nodiscard]] Complaint walk_parameters(ByteView payload, Visit&& visit) {
    const auto header = wire::decode_encapsulation(payload);
    if (!header) return header.error();
    if (!header->is_parameter_list()) return wire::DecodeError::unsupported;
    wire::ParameterReader reader(payload.subspan(wire::encapsulation_size), header->order());
    while (const auto parameter = reader.next()) {
        if (!*parameter) return parameter->error();
        if (const Complaint complaint = visit(**parameter, header->order())) return complaint;
    }
    return std::nullopt;
}

// Appends what we can send to (UDPv4); other kinds and what exceeds max_locators_per_list are
// skipped.
[[nodiscard]] Complaint append_locator(ByteView value,
                                       std::endian order,
                                       std::vector<Locator>& out);

// The key of a participant or endpoint from the payload of a dispose: `id` or PID_KEY_HASH in a
// parameter list, or sixteen octets in plain CDR.
[[nodiscard]] wire::Decoded<Guid> decode_key_payload(ByteView payload, std::uint16_t id);
[[nodiscard]] Buffer encode_key_payload(const Guid& guid, std::uint16_t id);

// The encapsulation header and the two parameters every announcement begins with.
void begin_announcement(Buffer& out, ProtocolVersion version, VendorId vendor);

}  // namespace durability::discovery
