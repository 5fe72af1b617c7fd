// How far long work is, on stderr. On a terminal: one line that is rewritten a few times a second.
// Elsewhere nothing, unless --progress was given: then a line a second at most.
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace durability::ctl {

class ProgressLine {
  public:
    ProgressLine(std::string what, bool always);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    // Leaves a clean line behind.
    ~ProgressLine() { clear(); }

    // "verify: 1.0 MiB of 3.0 MiB, 33%, FILE"
    void show_bytes(std::uint64_t done, std::uint64_t total, std::string_view file);
    void show(std::string_view text);
    void clear();

  private:
    [[nodiscard]] bool is_due();

    std::string what_;
    bool terminal_;
    bool always_;
    bool dirty_{false};
    MonoTime next_{};
};

// The end of a text that is too long is what tells files apart.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

}  // namespace durability::ctl
