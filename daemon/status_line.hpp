// The line that the service manager shows: `14 topics, 31 writers (4 retired), 2.1 GiB,
// 830 samples/s`. Pure.
#pragma once

#include "base/time.hpp"
#include "runtime/summary.hpp"

#include <optional>
#include <string>

namespace durability::daemon {

class StatusLine {
  public:
    // The line for what is now, if it differs from the last one. The rate is that since the last
    // call.
    [[nodiscard]] std::optional<std::string> update(const runtime::Summary& summary, MonoTime now);
    // The last one, or an empty one.
    [[nodiscard]] const std::string& text() const { return text_; }
    // Without any activity the next line differs all the same: the rate goes down.
    [[nodiscard]] bool shows_rate() const { return shows_rate_; }

  private:
    std::string text_;
    std::optional<std::uint64_t> samples_;
    MonoTime updated_{};
    bool shows_rate_{false};
};

}  // namespace durability::daemon
