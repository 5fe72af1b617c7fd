// Moments as people write them. Pure but for the time zone of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace durability::ctl {

// Nanoseconds since 1970 UTC: a duration before `now` ("10min"), seconds since 1970
// ("@1714557600"), a local time ("2024-05-01", "2024-05-01 12:00", "2024-05-01T12:00:05", "12:00"
// of today), the same with "Z" behind it for UTC. Nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> parse_since(std::string_view text, std::int64_t now_ns);

}  // namespace durability::ctl
