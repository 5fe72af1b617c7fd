// The two time forms of the protocol: 32 bits of seconds and a 2^-32 s fraction (RTPS 2.5, 9.3.2).
#pragma once

#include "base/time.hpp"

#include <compare>
#include <cstdint>

namespace durability {

// A source timestamp exactly as it was received, so that it can be sent again unchanged.
struct Timestamp {
    std::int32_t seconds{-1};
    std::uint32_t fraction{0xffffffffU};
    friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;
    // TIME_INVALID stands for "the writer gave none".
    [[nodiscard]] constexpr bool valid() const {
        return !(seconds == -1 && fraction == 0xffffffffU);
    }
};
inline constexpr Timestamp invalid_timestamp{};

// A QoS duration; {0x7fffffff, 0xffffffff} is infinite.
struct QosDuration {
    std::int32_t seconds{0};
    std::uint32_t fraction{0};
    friend constexpr auto operator<=>(const QosDuration&, const QosDuration&) = default;
    [[nodiscard]] constexpr bool infinite() const {
        return seconds == 0x7fffffff && fraction == 0xffffffffU;
    }
};
inline constexpr QosDuration infinite_qos_duration{0x7fffffff, 0xffffffffU};

// Nanoseconds, rounded to nearest; infinite and everything that does not fit become
// infinite_duration; negative durations become zero.
[[nodiscard]] Duration to_duration(QosDuration duration);
[[nodiscard]] QosDuration to_qos_duration(Duration duration);
[[nodiscard]] WallTime to_wall_time(Timestamp timestamp);
[[nodiscard]] Timestamp to_timestamp(WallTime time);

}  // namespace durability
