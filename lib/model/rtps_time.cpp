#include "model/rtps_time.hpp"

namespace durability {
namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

std::int64_t fraction_to_nanoseconds(std::uint32_t fraction) {
    return static_cast<std::int64_t>((std::uint64_t{fraction} * 1'000'000'000ULL + 0x80000000ULL) >>
                                     32U);
}

std::uint32_t nanoseconds_to_fraction(std::int64_t nanoseconds) {
    // Rounded up, so that the way back rounds to the same nanosecond.
    const std::uint64_t scaled = static_cast<std::uint64_t>(nanoseconds) << 32U;
    return static_cast<std::uint32_t>((scaled + 999'999'999ULL) / 1'000'000'000ULL);
}

}  // namespace

Duration to_duration(QosDuration duration) {
    if (duration.infinite()) return infinite_duration;
    if (duration.seconds < 0) return Duration::zero();
    return Duration{std::int64_t{duration.seconds} * nanoseconds_per_second +
                    fraction_to_nanoseconds(duration.fraction)};
}

QosDuration to_qos_duration(Duration duration) {
    if (duration < Duration::zero()) return {};
    const std::int64_t seconds = duration.count() / nanoseconds_per_second;
    if (duration == infinite_duration || seconds >= 0x7fffffff) return infinite_qos_duration;
    return {static_cast<std::int32_t>(seconds),
            nanoseconds_to_fraction(duration.count() % nanoseconds_per_second)};
}

WallTime to_wall_time(Timestamp timestamp) {
    return WallTime{Duration{std::int64_t{timestamp.seconds} * nanoseconds_per_second +
                             fraction_to_nanoseconds(timestamp.fraction)}};
}

Timestamp to_timestamp(WallTime time) {
    const std::int64_t count = time.time_since_epoch().count();
    std::int64_t seconds = count / nanoseconds_per_second;
    std::int64_t rest = count % nanoseconds_per_second;
    if (rest < 0) {
        rest += nanoseconds_per_second;
        --seconds;
    }
    return {static_cast<std::int32_t>(seconds), nanoseconds_to_fraction(rest)};
}

}  // namespace durability
