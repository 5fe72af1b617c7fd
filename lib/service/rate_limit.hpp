// So many octets a second over all late readers (`replay.max_rate`; semantics.md, section 7). Pure:
// time is an argument.
#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace durability::service {

class RateLimit {
  public:
    // Octets a second; `unlimited` (config.hpp) for no limit. Not 0.
    explicit RateLimit(std::uint64_t octets_per_second) : rate_(octets_per_second) {}

    // Begins anew: what was spent at the old rate is not waited for.
    [[nodiscard]] std::uint64_t rate() const { return rate_; }
    void set_rate(std::uint64_t octets_per_second) { *this = RateLimit(octets_per_second); }

    // What may be sent now, at once; 0 while it is too little to be worth it. After a pause no more
    // than 50 ms' worth.
    [[nodiscard]] std::uint64_t credit(MonoTime now) const;
    // When credit() is not 0 any more.
    [[nodiscard]] MonoTime ready_at() const;
    // More than the credit may be spent, a large sample at once: what follows waits the longer.
    void spend(std::uint64_t octets, MonoTime now);
    // Of what was spent, so much was not sent after all.
    void give_back(std::uint64_t octets);

  private:
    [[nodiscard]] bool is_unlimited() const;
    [[nodiscard]] Duration time_of(std::uint64_t octets) const;

    std::uint64_t rate_;
    // When everything that was spent has been earned.
    MonoTime earned_at_{MonoTime::min()};
};

}  // namespace durability::service
