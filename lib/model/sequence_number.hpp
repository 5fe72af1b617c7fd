// Sequence and fragment numbers (RTPS 2.5, 8.3.5.4 and 8.3.5.5): types, so that they cannot be
// mixed up.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace durability {

struct SequenceNumber {
    std::int64_t value{0};
    friend constexpr auto operator<=>(const SequenceNumber&, const SequenceNumber&) = default;
    constexpr SequenceNumber& operator++() {
        ++value;
        return *this;
    }
};
// No number on the wire may reach this one, so `number + 1` never wraps for an accepted number.
inline constexpr SequenceNumber max_sequence_number{std::numeric_limits<std::int64_t>::max() - 1};

[[nodiscard]] constexpr SequenceNumber next(SequenceNumber number) {
    return {number.value + 1};
}
[[nodiscard]] constexpr SequenceNumber previous(SequenceNumber number) {
    return {number.value - 1};
}

struct FragmentNumber {
    std::uint32_t value{0};  // the first fragment of a sample is 1
    friend constexpr auto operator<=>(const FragmentNumber&, const FragmentNumber&) = default;
};

// first..last, both included; empty when last < first.
struct SequenceRange {
    SequenceNumber first{1};
    SequenceNumber last{0};
    friend constexpr bool operator==(const SequenceRange&, const SequenceRange&) = default;
    [[nodiscard]] constexpr bool empty() const { return last < first; }
    [[nodiscard]] constexpr bool contains(SequenceNumber number) const {
        return first <= number && number <= last;
    }
};

}  // namespace durability

template <>
struct std::hash<durability::SequenceNumber> {
    std::size_t operator()(const durability::SequenceNumber& number) const noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(number.value) *
                                        0x9e3779b97f4a7c15ULL);
    }
};
