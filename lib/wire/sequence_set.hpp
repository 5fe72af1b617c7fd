// Sets of at most 256 numbers near a base (RTPS 2.5, 8.3.5.5, 8.3.5.7, 9.4.2.6 and 9.4.2.8).
// Bit n of the set is number base + n; bit 0 is the most significant bit of the first word.
#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "model/sequence_number.hpp"
#include "wire/decode_error.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace durability::wire {

inline constexpr std::uint32_t max_set_bits = 256;

namespace detail {

using SetWords = std::array<std::uint32_t, max_set_bits / 32>;

[[nodiscard]] constexpr std::uint32_t bit_mask(std::uint32_t bit) {
    return 0x80000000U >> (bit % 32U);
}

}  // namespace detail

// The part both sets share. `Number` has a member `value`; all arithmetic is unsigned and 64 bits
// wide.
template <class Number>
struct NumberSet {
    Number base{1};
    std::uint32_t num_bits{0};
    detail::SetWords bitmap{};

    // Whether `number` lies in the window of 256 numbers that can be inserted.
    [[nodiscard]] constexpr bool fits(Number number) const {
        return number.value >= base.value && offset(number) < max_set_bits;
    }
    [[nodiscard]] constexpr bool contains(Number number) const {
        if (number.value < base.value || offset(number) >= num_bits) return false;
        const auto bit = static_cast<std::uint32_t>(offset(number));
        return (bitmap[bit / 32U] & detail::bit_mask(bit)) != 0;
    }
    // Adds `number` and extends the set up to it. Precondition: fits(number).
    constexpr void insert(Number number) {
        assert(fits(number));
        if (!fits(number)) return;
        const auto bit = static_cast<std::uint32_t>(offset(number));
        bitmap[bit / 32U] |= detail::bit_mask(bit);
        if (bit >= num_bits) num_bits = bit + 1U;
    }
    // Calls `visit(Number)` for each member in increasing order; at most 256 calls.
    template <class F>
    constexpr void for_each(F&& visit) const {
        for (std::uint32_t word = 0; word * 32U < num_bits; ++word) {
            std::uint32_t left = bitmap[word];
            while (left != 0) {
                const auto zeros = static_cast<std::uint32_t>(std::countl_zero(left));
                const std::uint32_t bit = word * 32U + zeros;
                if (bit >= num_bits) return;
                left &= ~detail::bit_mask(bit);
                Number number = base;
                number.value = static_cast<decltype(number.value)>(number.value + bit);
                visit(number);
            }
        }
    }
    // Whether no number is in the set (whatever num_bits says).
    [[nodiscard]] constexpr bool empty() const {
        bool any = false;
        for_each([&any](Number) { any = true; });
        return !any;
    }
    friend bool operator==(const NumberSet&, const NumberSet&) = default;

  private:
    [[nodiscard]] constexpr std::uint64_t offset(Number number) const {
        return static_cast<std::uint64_t>(number.value) - static_cast<std::uint64_t>(base.value);
    }
};

using SequenceNumberSet = NumberSet<SequenceNumber>;
using FragmentNumberSet = NumberSet<FragmentNumber>;

// Whether the base 0 of an empty set is let through: the pre-emptive ACKNACK of Fast DDS has it.
enum class ZeroBase : std::uint8_t {
    refused,
    if_empty
};

// Two 32-bit words, high first (9.4.2.5); any value, also SEQUENCENUMBER_UNKNOWN.
[[nodiscard]] inline SequenceNumber read_sequence_number(ByteReader& in) {
    const std::uint64_t high = in.u32();
    const std::uint64_t low = in.u32();
    return {static_cast<std::int64_t>((high << 32U) | low)};
}
inline void write_sequence_number(ByteWriter& out, SequenceNumber number) {
    const auto bits = static_cast<std::uint64_t>(number.value);
    out.u32(static_cast<std::uint32_t>(bits >> 32U));
    out.u32(static_cast<std::uint32_t>(bits));
}
// A number that a sample can have: 1 .. max_sequence_number.
[[nodiscard]] constexpr bool is_valid(SequenceNumber number) {
    return number.value >= 1 && number <= max_sequence_number;
}

// Reads a set where `in` stands. Errors: truncated (words missing too), bad_range (base below 1,
// more than 256 bits, or a window that passes the largest number). Bits behind num_bits are
// cleared.
[[nodiscard]] Decoded<SequenceNumberSet> read_sequence_number_set(ByteReader& in,
                                                                  ZeroBase zero_base);
[[nodiscard]] Decoded<FragmentNumberSet> read_fragment_number_set(ByteReader& in);

// Writes as many words as num_bits needs.
void write_sequence_number_set(ByteWriter& out, const SequenceNumberSet& set);
void write_fragment_number_set(ByteWriter& out, const FragmentNumberSet& set);
// Octets that write_* produces.
[[nodiscard]] std::size_t encoded_size(const SequenceNumberSet& set);
[[nodiscard]] std::size_t encoded_size(const FragmentNumberSet& set);

}  // namespace durability::wire
