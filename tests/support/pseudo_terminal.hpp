// A program on a terminal, and what stands on its screen. Knows the few sequences that our programs
// use; anything else is a complaint.
#pragma once

#include "base/unique_fd.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

namespace durability::test {

class Screen {
  public:
    Screen(std::size_t columns, std::size_t rows) { resize(columns, rows); }
    void resize(std::size_t columns, std::size_t rows);
    void feed(std::string_view bytes);
    // Lines without blanks at their ends.
    [[nodiscard]] std::vector<std::string> lines() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool alternate() const { return alternate_; }
    [[nodiscard]] bool cursor_hidden() const { return cursor_hidden_; }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }
    [[nodiscard]] bool coloured() const { return coloured_; }

  private:
    void sequence(const std::string& sequence);

    std::size_t columns_{0};
    std::size_t rows_{0};
    std::vector<std::vector<std::string>> cells_;  // a character each
    std::size_t row_{0};
    std::size_t column_{0};
    bool alternate_{false};
    bool cursor_hidden_{false};
    bool coloured_{false};
    std::string rest_;  // of a sequence or a character that is not whole
    std::string complaint_;
};

class TerminalProcess {
  public:
    TerminalProcess(const std::string& program,
                    const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment,
                    std::size_t columns,
                    std::size_t rows);
    TerminalProcess(const TerminalProcess&) = delete;
    TerminalProcess& operator=(const TerminalProcess&) = delete;
    ~TerminalProcess();

    void type(std::string_view keys);
    void resize(std::size_t columns, std::size_t rows);
    void signal(int number) const;
    // Reads until the screen holds the text; false when it does not in time.
    bool wait_for(std::string_view text, std::chrono::milliseconds timeout);
    // The exit status, or 1000 and the signal; -1 when it still runs after that time.
    int wait(std::chrono::milliseconds timeout);
    [[nodiscard]] const Screen& screen() const { return screen_; }
    [[nodiscard]] bool echoes() const;

  private:
    // False when there is nothing more to be read.
    bool read(std::chrono::milliseconds timeout);

    UniqueFd master_;
    pid_t pid_{-1};
    Screen screen_;
};

}  // namespace durability::test
