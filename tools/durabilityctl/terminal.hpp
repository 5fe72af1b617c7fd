// A terminal that shows one screen, again and again: alternate screen, single keys, its size when
// that changes. ANSI sequences only. What was there before comes back at the end.
#pragma once

#include "durability/error.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>
#include <termios.h>

namespace durability::ctl {

// A line cut to so many columns; escape sequences have no width and are kept.
[[nodiscard]] std::string cut_to_width(std::string_view line, std::size_t columns);
// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

class Terminal {
  public:
    struct Size {
        std::size_t columns{80};
        std::size_t rows{24};
    };
    // Whether both standard input and output are a terminal.
    [[nodiscard]] static bool is_there();

    // Takes the terminal over. Errors: io.
    [[nodiscard]] static Result<std::unique_ptr<Terminal>> open();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal();

    [[nodiscard]] Size size() const;
    // Lines beyond the screen are not shown, and lines are cut at its edge.
    void draw(const std::vector<std::string>& lines);
    // The next key; nothing when none came in that time, or when the screen has another size now,
    // or at the end.
    [[nodiscard]] std::optional<char> key(std::chrono::milliseconds timeout);
    // Nobody is there any more, or a signal asks us to go.
    [[nodiscard]] bool ended() const;

  private:
    Terminal() = default;

    termios before_{};
    sigset_t mask_before_{};
    bool hung_up_{false};
};

}  // namespace durability::ctl
