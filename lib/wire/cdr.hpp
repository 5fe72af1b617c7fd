// The four octets in front of every serialized payload (RTPS 2.5, 10.2.1.2; XTypes 1.3, 7.6.3.1.2).
#pragma once

#include "base/bytes.hpp"
#include "wire/decode_error.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace durability::wire {

inline constexpr std::size_t encapsulation_size = 4;

namespace encapsulation {
inline constexpr std::uint16_t cdr_be = 0x0000;
inline constexpr std::uint16_t cdr_le = 0x0001;
inline constexpr std::uint16_t pl_cdr_be = 0x0002;
inline constexpr std::uint16_t pl_cdr_le = 0x0003;
inline constexpr std::uint16_t cdr2_be = 0x0006;
inline constexpr std::uint16_t cdr2_le = 0x0007;
inline constexpr std::uint16_t d_cdr2_be = 0x0008;
inline constexpr std::uint16_t d_cdr2_le = 0x0009;
inline constexpr std::uint16_t pl_cdr2_be = 0x000a;
inline constexpr std::uint16_t pl_cdr2_le = 0x000b;
}  // namespace encapsulation

struct Encapsulation {
    std::uint16_t kind{0};     // big-endian on the wire
    std::uint16_t options{0};  // low two bits: octets of padding at the end of the payload
    friend bool operator==(const Encapsulation&, const Encapsulation&) = default;

    // The byte order of what follows: the odd kinds are little-endian.
    [[nodiscard]] constexpr std::endian order() const {
        return (kind & 1U) != 0 ? std::endian::little : std::endian::big;
    }
    [[nodiscard]] constexpr bool is_parameter_list() const {
        return kind == encapsulation::pl_cdr_be || kind == encapsulation::pl_cdr_le;
    }
};

// Reads the first four octets; any kind. Error: truncated. Thread-safe.
[[nodiscard]] Decoded<Encapsulation> decode_encapsulation(ByteView payload);
void encode_encapsulation(Buffer& out, const Encapsulation& value);

// The data representation a payload of this kind has to be announced with: 0 (XCDR1) or 2 (XCDR2);
// nothing for kinds that are neither.
[[nodiscard]] std::optional<std::int16_t> representation_of(std::uint16_t kind);

}  // namespace durability::wire
