#include "service/rate_limit.hpp"

#include "durability/config.hpp"

#include <algorithm>
#include <chrono>

namespace durability::service {
namespace {

constexpr Duration burst = std::chrono::milliseconds{50};
// Half of it is worth a wake-up: 40 a second at most.
constexpr Duration worth_it = burst / 2;

}  // namespace

bool RateLimit::is_unlimited() const {
    return rate_ == unlimited;
}

Duration RateLimit::time_of(std::uint64_t octets) const {
    const double seconds = static_cast<double>(octets) / static_cast<double>(rate_);
    // Far beyond any sample at the lowest rate; keeps the sum below the end of time.
    constexpr double longest = 86'400.0 * 365;
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::min(seconds, longest)));
}

std::uint64_t RateLimit::credit(MonoTime now) const {
    if (is_unlimited()) return unlimited;
    if (now < ready_at()) return 0;
    const Duration earned =
        earned_at_ < now ? burst : burst - std::min<Duration>(burst, earned_at_ - now);
    const double octets =
        std::chrono::duration<double>(earned).count() * static_cast<double>(rate_);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(octets));
}

MonoTime RateLimit::ready_at() const {
    if (is_unlimited() || earned_at_ == MonoTime::min()) return MonoTime::min();
    return earned_at_ - (burst - worth_it);
}

void RateLimit::spend(std::uint64_t octets, MonoTime now) {
    if (is_unlimited()) return;
    earned_at_ = after(std::max(earned_at_, now), time_of(octets));
}

void RateLimit::give_back(std::uint64_t octets) {
    if (is_unlimited() || earned_at_ == MonoTime::min()) return;
    earned_at_ -= time_of(octets);
}

}  // namespace durability::service
