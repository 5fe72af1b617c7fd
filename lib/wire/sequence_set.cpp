#include "wire/sequence_set.hpp"

#include <limits>

namespace durability::wire {
namespace {

constexpr std::uint32_t max_fragment_number = std::numeric_limits<std::uint32_t>::max();

[[nodiscard]] constexpr std::uint32_t word_count(std::uint32_t num_bits) {
    return (num_bits + 31U) / 32U;
}

// Precondition: num_bits <= 256.
detail::SetWords read_words(ByteReader& in, std::uint32_t num_bits) {
    detail::SetWords words{};
    for (std::uint32_t i = 0; i < word_count(num_bits); ++i)
        words[i] = in.u32();
    const std::uint32_t partial = num_bits % 32U;
    if (partial != 0) words[num_bits / 32U] &= ~(0xffffffffU >> partial);
    return words;
}

template <class Number>
void write_words(ByteWriter& out, const NumberSet<Number>& set) {
    assert(set.num_bits <= max_set_bits);
    out.u32(set.num_bits);
    for (std::uint32_t i = 0; i < word_count(set.num_bits); ++i)
        out.u32(set.bitmap[i]);
}

bool window_is_valid(SequenceNumber base, std::uint32_t num_bits, ZeroBase zero_base) {
    if (base.value == 0) return zero_base == ZeroBase::if_empty && num_bits == 0;
    return base.value >= 1 && base.value <= max_sequence_number.value - std::int64_t{num_bits};
}

}  // namespace

Decoded<SequenceNumberSet> read_sequence_number_set(ByteReader& in, ZeroBase zero_base) {
    SequenceNumberSet set;
    set.base = read_sequence_number(in);
    set.num_bits = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (set.num_bits > max_set_bits || !window_is_valid(set.base, set.num_bits, zero_base)) {
        return decode_failure(DecodeError::bad_range);
    }
    set.bitmap = read_words(in, set.num_bits);
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return set;
}

Decoded<FragmentNumberSet> read_fragment_number_set(ByteReader& in) {
    FragmentNumberSet set;
    set.base.value = in.u32();
    set.num_bits = in.u32();
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    if (set.num_bits > max_set_bits || set.base.value == 0 ||
        set.base.value > max_fragment_number - set.num_bits) {
        return decode_failure(DecodeError::bad_range);
    }
    set.bitmap = read_words(in, set.num_bits);
    if (!in.ok()) return decode_failure(DecodeError::truncated);
    return set;
}

void write_sequence_number_set(ByteWriter& out, const SequenceNumberSet& set) {
    write_sequence_number(out, set.base);
    write_words(out, set);
}

void write_fragment_number_set(ByteWriter& out, const FragmentNumberSet& set) {
    out.u32(set.base.value);
    write_words(out, set);
}

std::size_t encoded_size(const SequenceNumberSet& set) {
    return 12 + std::size_t{word_count(set.num_bits)} * 4;
}

std::size_t encoded_size(const FragmentNumberSet& set) {
    return 8 + std::size_t{word_count(set.num_bits)} * 4;
}

}  // namespace durability::wire
