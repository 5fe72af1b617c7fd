#include "base/clock.hpp"

namespace durability {

Now system_now() {
    const auto mono = std::chrono::steady_clock::now().time_since_epoch();
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return Now{MonoTime{std::chrono::duration_cast<Duration>(mono)},
               WallTime{std::chrono::duration_cast<Duration>(wall)}};
}

}  // namespace durability
