#include "daemon/status_line.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace durability::daemon {

std::optional<std::string> StatusLine::update(const runtime::Summary& summary, MonoTime now) {
    std::uint64_t rate = 0;
    if (samples_ && summary.samples > *samples_ && now > updated_) {
        const double seconds = std::chrono::duration<double>(now - updated_).count();
        rate = static_cast<std::uint64_t>(
            std::ceil(static_cast<double>(summary.samples - *samples_) / seconds));
    }
    samples_ = summary.samples;
    updated_ = now;
    shows_rate_ = rate > 0;
    std::string line = counted(summary.topics, "topic") + ", " + counted(summary.writers, "writer");
    if (summary.retired > 0) line += fmt::format(" ({} retired)", summary.retired);
    line += fmt::format(", {}, {} samples/s", rounded_size(summary.bytes), rate);
    if (line == text_) return std::nullopt;
    text_ = line;
    return line;
}

}  // namespace durability::daemon
