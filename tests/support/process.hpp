// A child process under test: started with arguments, read line by line, given orders on stdin,
// signalled, waited for. Every wait has a deadline; the destructor kills what still runs.
//
// Linux kills the child when the *thread* that started it ends (PR_SET_PDEATHSIG), so a test
// program that dies leaves nothing behind. Start processes from a thread that outlives them.
#pragma once

#include "base/unique_fd.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace durability::test {

struct Launch {
    std::string program;  // a path, or a name to look up in PATH
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  // NAME=value, added to or replacing the inherited ones
};

struct Ended {
    int status{-1};  // exit status, when it ended by itself
    int signal{0};   // what killed it, else 0
};

// One thread at a time; the reading of its output happens on a thread of its own.
class Process {
  public:
    using Milliseconds = std::chrono::milliseconds;

    // Throws std::system_error when there is no process to be had. A program that cannot be
    // executed ends with status 127.
    explicit Process(const Launch& launch);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const { return pid_; }

    // The first line, on stdout or stderr, from line number `from` on, that contains `text`. Waits
    // for it; nothing when `timeout` passed or the process closed its output without it.
    std::optional<std::string> wait_line(std::string_view text,
                                         Milliseconds timeout,
                                         std::size_t from = 0);

    // All lines so far, stdout and stderr in order of arrival.
    std::vector<std::string> lines() const;
    std::size_t line_count() const;
    std::string output() const;  // the same as one text, for messages

    // False when the process does not read any more.
    bool write_line(std::string_view line);
    void close_stdin();

    // Does nothing once the process was waited for.
    void kill(int signal);

    // Nothing when it still runs after `timeout`. After it has ended all its output is in lines().
    std::optional<Ended> wait(Milliseconds timeout);

    // From /proc; nothing once it has ended.
    std::optional<std::uint64_t> resident_kib() const;
    std::optional<double> cpu_seconds() const;  // user and system, all threads

  private:
    void read_output(const std::stop_token& stop);

    pid_t pid_{-1};
    UniqueFd handle_;  // pidfd: waiting with a deadline and without polling
    UniqueFd stdin_;
    UniqueFd stdout_;
    UniqueFd stderr_;
    UniqueFd wake_reader_;  // eventfd
    std::optional<Ended> ended_;

    mutable std::mutex mutex_;  // guards the two below
    std::condition_variable arrived_;
    std::vector<std::string> lines_;
    bool output_closed_{false};

    std::jthread reader_;  // last: it uses everything above
};

}  // namespace durability::test
