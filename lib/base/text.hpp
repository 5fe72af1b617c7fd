// Text for people: quantities with units both ways, the closest known word, foreign text made safe.
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace durability {

// "250ms", "10s", "5min", "2h", "7d", "0", "infinite" (infinite_duration). Nothing for anything
// else, negative or too large values included.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);
// The shortest exact form that parse_duration reads back.
[[nodiscard]] std::string format_duration(Duration duration);

// Bytes: "64KiB", "1MiB", "2GiB", a plain number; "unlimited" is UINT64_MAX.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
[[nodiscard]] std::string format_size(std::uint64_t bytes);
// For reading, with one decimal where it is rounded: "17 B", "1.5 KiB", "2.0 GiB".
[[nodiscard]] std::string rounded_size(std::uint64_t bytes);

// "1 sample", "0 samples", for words that take an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one);

// The known word nearest to `word` (optimal string alignment, at most length/3 + 1 edits), or one
// that contains it; nothing when none is near.
[[nodiscard]] std::optional<std::string_view> closest_match(
    std::string_view word, std::span<const std::string_view> known);

// Whether a text is UTF-8 throughout (RFC 3629: no overlong forms, no surrogates).
[[nodiscard]] bool is_utf8(std::string_view text);

// Text from the network or a file, fit for a log line: control characters, quotes and backslashes
// are escaped, invalid UTF-8 becomes \xNN, long text is cut with an ellipsis.
[[nodiscard]] std::string printable(std::string_view foreign, std::size_t max_length = 256);

// key=value material: bare where it needs no quotes, else quoted and escaped by printable().
[[nodiscard]] std::string quote_if_needed(std::string_view text);

}  // namespace durability
