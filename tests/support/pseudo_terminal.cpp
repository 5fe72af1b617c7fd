#include "support/pseudo_terminal.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace durability::test {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t length_of_character(char first) {
    const auto octet = static_cast<unsigned char>(first);
    if (octet >= 0xf0) return 4;
    if (octet >= 0xe0) return 3;
    return octet >= 0xc0 ? 2 : 1;
}

}  // namespace

void Screen::resize(std::size_t columns, std::size_t rows) {
    columns_ = columns;
    rows_ = rows;
    cells_.resize(rows);
    for (auto& row : cells_)
        row.resize(columns, " ");
    row_ = std::min(row_, rows - 1);
}

void Screen::feed(std::string_view bytes) {
    rest_ += bytes;
    std::size_t at = 0;
    while (at < rest_.size()) {
        if (rest_[at] == '\x1b') {
            const auto end = rest_.find_first_of("ABCDHJKhlm", at + 2);
            if (end == std::string::npos) break;
            sequence(rest_.substr(at, end + 1 - at));
            at = end + 1;
            continue;
        }
        const std::size_t length = length_of_character(rest_[at]);
        if (at + length > rest_.size()) break;
        const std::string character = rest_.substr(at, length);
        at += length;
        if (character == "\r") {
            column_ = 0;
        } else if (character == "\n") {
            if (row_ + 1 < rows_) {
                ++row_;
            } else {
                // The screen moves up.
                cells_.erase(cells_.begin());
                cells_.emplace_back(columns_, " ");
            }
        } else {
            if (column_ >= columns_) {
                complaint_ = "a line is longer than the screen is wide";
                continue;
            }
            cells_[row_][column_++] = character;
        }
    }
    rest_.erase(0, at);
}

void Screen::sequence(const std::string& sequence) {
    if (sequence == "\x1b[H") {
        row_ = column_ = 0;
    } else if (sequence == "\x1b[K") {
        std::fill(cells_[row_].begin() + static_cast<std::ptrdiff_t>(std::min(column_, columns_)),
                  cells_[row_].end(),
                  " ");
    } else if (sequence == "\x1b[J") {
        std::fill(cells_[row_].begin() + static_cast<std::ptrdiff_t>(std::min(column_, columns_)),
                  cells_[row_].end(),
                  " ");
        for (std::size_t i = row_ + 1; i < rows_; ++i)
            std::fill(cells_[i].begin(), cells_[i].end(), " ");
    } else if (sequence == "\x1b[?1049h" || sequence == "\x1b[?1049l") {
        alternate_ = sequence.back() == 'h';
        for (auto& row : cells_)
            std::fill(row.begin(), row.end(), " ");
        row_ = column_ = 0;
    } else if (sequence == "\x1b[?25h" || sequence == "\x1b[?25l") {
        cursor_hidden_ = sequence.back() == 'l';
    } else if (sequence.back() == 'm') {
        coloured_ = coloured_ || sequence != "\x1b[0m";
    } else {
        complaint_ = "unknown sequence ESC" + sequence.substr(1);
    }
}

std::vector<std::string> Screen::lines() const {
    std::vector<std::string> lines;
    for (const auto& row : cells_) {
        std::string line;
        for (const std::string& character : row)
            line += character;
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return lines;
}

std::string Screen::text() const {
    std::string text;
    for (const std::string& line : lines())
        text += line + "\n";
    return text;
}

TerminalProcess::TerminalProcess(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment,
                                 std::size_t columns,
                                 std::size_t rows)
    : screen_(columns, rows) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (const std::string& entry : environment) {
            const auto equals = entry.find('=');
            ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
        }
        ::execv(argv.front(), argv.data());
        ::_exit(127);
    }
    master_ = UniqueFd(master);
}

TerminalProcess::~TerminalProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void TerminalProcess::type(std::string_view keys) {
    REQUIRE(::write(master_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

void TerminalProcess::resize(std::size_t columns, std::size_t rows) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    screen_.resize(columns, rows);
    // The kernel tells the program (SIGWINCH).
    REQUIRE(::ioctl(master_.get(), TIOCSWINSZ, &size) == 0);
}

void TerminalProcess::signal(int number) const {
    REQUIRE(::kill(pid_, number) == 0);
}

bool TerminalProcess::echoes() const {
    termios settings{};
    return ::tcgetattr(master_.get(), &settings) == 0 && (settings.c_lflag & ECHO) != 0;
}

bool TerminalProcess::read(std::chrono::milliseconds timeout) {
    pollfd poll{master_.get(), POLLIN, 0};
    if (::poll(&poll, 1, static_cast<int>(timeout.count())) <= 0) return true;
    char buffer[4'096];
    const ssize_t count = ::read(master_.get(), buffer, sizeof buffer);
    // EIO: the other side is closed.
    if (count <= 0) return false;
    screen_.feed(std::string_view(buffer, static_cast<std::size_t>(count)));
    return true;
}

bool TerminalProcess::wait_for(std::string_view text, std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    while (screen_.text().find(text) == std::string::npos) {
        if (Clock::now() >= until) return false;
        if (!read(std::chrono::milliseconds{50}))
            return screen_.text().find(text) != std::string::npos;
    }
    return true;
}

int TerminalProcess::wait(std::chrono::milliseconds timeout) {
    const auto until = Clock::now() + timeout;
    while (Clock::now() < until) {
        const bool open = read(std::chrono::milliseconds{20});
        int status = 0;
        if (::waitpid(pid_, &status, open ? WNOHANG : 0) != pid_) continue;
        while (open && read(std::chrono::milliseconds{0}) && [this] {
            pollfd poll{master_.get(), POLLIN, 0};
            return ::poll(&poll, 1, 0) > 0;
        }()) {
        }
        pid_ = -1;
        return WIFSIGNALED(status) ? 1'000 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return -1;
}

}  // namespace durability::test
