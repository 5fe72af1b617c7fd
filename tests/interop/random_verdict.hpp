// What a subscriber of a random run should have printed, compared with what it did.
#pragma once

#include "harness.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace durability::interop {

// What one writer of the subscriber's topic wrote: `count` samples, numbered from `first` on, which
// no other writer does.
struct Written {
    Kind kind{Kind::transient_local};
    std::uint32_t first{0};
    std::uint32_t count{0};
};

struct Verdict {
    std::string flaw;  // empty: every reader had what it was owed, once and in order
    std::uint64_t lost{0};
    std::uint64_t twice{0};
    std::uint64_t delivered{0};
};

// A reader that requests `requested` matches a writer that offers `offered`.
bool matches(Kind offered, Kind requested);

// 0 when `key` is not in `line`.
std::uint32_t number_behind(const std::string& line, std::string_view key);

// Valid samples by reader, of `readers` of them.
std::vector<std::uint64_t> received(const Words& lines, std::size_t readers);

// `requested`: by reader.
Verdict judge(const Words& lines,
              const std::vector<Kind>& requested,
              const std::vector<Written>& written,
              const std::string& whose);

}  // namespace durability::interop
