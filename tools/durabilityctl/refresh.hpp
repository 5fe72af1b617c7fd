// When a view that is alive looks again, and what ends it.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace durability::ctl {

// Once a second.
class Refresh {
  public:
    // Until the next look; keys and a new size of the screen do not put it off.
    [[nodiscard]] std::chrono::milliseconds left() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - system_now().mono);
        return std::max(std::chrono::milliseconds{0}, left);
    }
    // True when it is time, and then not again before the next one is.
    [[nodiscard]] bool due() {
        const MonoTime now = system_now().mono;
        if (now < next_) return false;
        next_ = after(now, interval);
        return true;
    }

  private:
    static constexpr Duration interval = std::chrono::seconds{1};
    MonoTime next_{after(system_now().mono, interval)};
};

// q, or Ctrl-C.
[[nodiscard]] constexpr bool is_quit(char key) {
    return key == 'q' || key == '\x03';
}

}  // namespace durability::ctl
