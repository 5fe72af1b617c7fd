#include "support/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace durability::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

[[noreturn]] void refuse(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) refuse("pipe");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// By number: glibc 2.36 declares pidfd_open without C linkage.
int open_pidfd(pid_t pid) {
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
    const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> merged(additions);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto replaced = [&](const std::string& added) { return name(added) == name(*entry); };
        if (std::none_of(additions.begin(), additions.end(), replaced)) merged.emplace_back(*entry);
    }
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (auto& text : texts)
        out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

// Everything here is async-signal-safe: the parent has threads.
[[noreturn]] void become(
    char* const* arguments, char* const* environment, pid_t parent, int in, int out, int err) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died between fork and prctl
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execvpe(arguments[0], arguments, environment);
    ::_exit(127);
}

// Cuts complete lines off `pending`.
void take_lines(std::string& pending, std::vector<std::string>& out) {
    std::size_t start = 0;
    for (std::size_t end = 0; (end = pending.find('\n', start)) != std::string::npos;) {
        out.push_back(pending.substr(start, end - start));
        start = end + 1;
    }
    pending.erase(0, start);
}

}  // namespace

Process::Process(const Launch& launch) {
    // A child that stopped reading must not end the test program.
    std::signal(SIGPIPE, SIG_IGN);

    Pipe in = make_pipe();
    Pipe out = make_pipe();
    Pipe err = make_pipe();
    std::vector<std::string> words{launch.program};
    words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
    std::vector<std::string> variables = merged_environment(launch.environment);
    const auto arguments = pointers(words);
    const auto environment = pointers(variables);

    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) refuse("fork");
    if (pid_ == 0) {
        become(arguments.data(),
               environment.data(),
               parent,
               in.read.get(),
               out.write.get(),
               err.write.get());
    }
    handle_ = UniqueFd(open_pidfd(pid_));
    wake_reader_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    stdin_ = std::move(in.write);
    stdout_ = std::move(out.read);
    stderr_ = std::move(err.read);
    if (!handle_ || !wake_reader_) {
        const int reason = errno;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        errno = reason;
        refuse("pidfd_open");
    }
    reader_ = std::jthread([this](const std::stop_token& stop) { read_output(stop); });
}

Process::~Process() {
    kill(SIGKILL);
    std::ignore = wait(Milliseconds(10'000));
    reader_.request_stop();
    const std::uint64_t one = 1;
    std::ignore = ::write(wake_reader_.get(), &one, sizeof one);
}

void Process::read_output(const std::stop_token& stop) {
    std::array<pollfd, 3> fds{pollfd{stdout_.get(), POLLIN, 0},
                              pollfd{stderr_.get(), POLLIN, 0},
                              pollfd{wake_reader_.get(), POLLIN, 0}};
    std::array<std::string, 2> pending;
    std::vector<char> buffer(std::size_t{64} * 1024);
    while (!stop.stop_requested() && (fds[0].fd >= 0 || fds[1].fd >= 0)) {
        if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
        std::vector<std::string> fresh;
        for (std::size_t i = 0; i < pending.size(); ++i) {
            if (fds[i].fd < 0 || fds[i].revents == 0) continue;
            const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
            if (n > 0) {
                pending[i].append(buffer.data(), static_cast<std::size_t>(n));
                take_lines(pending[i], fresh);
            } else {
                fds[i].fd = -1;  // poll skips negative descriptors
                if (!pending[i].empty()) fresh.push_back(std::move(pending[i]));
            }
        }
        const std::scoped_lock lock(mutex_);
        std::move(fresh.begin(), fresh.end(), std::back_inserter(lines_));
        arrived_.notify_all();
    }
    const std::scoped_lock lock(mutex_);
    output_closed_ = true;
    arrived_.notify_all();
}

std::optional<std::string> Process::wait_line(std::string_view text,
                                              Milliseconds timeout,
                                              std::size_t from) {
    const auto deadline = Clock::now() + timeout;
    std::unique_lock lock(mutex_);
    while (true) {
        for (; from < lines_.size(); ++from) {
            if (lines_[from].find(text) != std::string::npos) return lines_[from];
        }
        if (output_closed_) return std::nullopt;
        if (arrived_.wait_until(lock, deadline) == std::cv_status::timeout &&
            from >= lines_.size()) {
            return std::nullopt;
        }
    }
}

std::vector<std::string> Process::lines() const {
    const std::scoped_lock lock(mutex_);
    return lines_;
}

std::size_t Process::line_count() const {
    const std::scoped_lock lock(mutex_);
    return lines_.size();
}

std::string Process::output() const {
    std::string text;
    for (const auto& line : lines())
        text += line + "\n";
    return text;
}

bool Process::write_line(std::string_view line) {
    const std::string text = std::string(line) + "\n";
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t n = ::write(stdin_.get(), rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

void Process::close_stdin() {
    stdin_.reset();
}

void Process::kill(int signal) {
    // Once reaped, the number may belong to somebody else.
    if (!ended_) ::kill(pid_, signal);
}

std::optional<Ended> Process::wait(Milliseconds timeout) {
    if (ended_) return ended_;
    pollfd handle{handle_.get(), POLLIN, 0};
    const auto deadline = Clock::now() + timeout;
    int ready = -1;
    do {
        const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now()).count();
        ready = ::poll(&handle, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) return std::nullopt;

    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_) refuse("waitpid");
    ended_ = WIFSIGNALED(status) ? Ended{-1, WTERMSIG(status)} : Ended{WEXITSTATUS(status), 0};

    // What it wrote last is still in the pipes. Bounded: a grandchild may hold them open.
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, Milliseconds(2000), [this] { return output_closed_; });
    return ended_;
}

std::optional<std::uint64_t> Process::resident_kib() const {
    if (ended_) return std::nullopt;
    std::ifstream status(fmt::format("/proc/{}/status", pid_));
    for (std::string line; std::getline(status, line);) {
        std::istringstream words(line);
        std::string key;
        std::uint64_t kib = 0;
        if (words >> key >> kib && key == "VmRSS:") return kib;
    }
    return std::nullopt;
}

std::optional<double> Process::cpu_seconds() const {
    if (ended_) return std::nullopt;
    std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
    std::string line;
    if (!std::getline(stat, line)) return std::nullopt;
    // The name in the second field may contain anything; the fields after its bracket are plain.
    const auto bracket = line.rfind(')');
    if (bracket == std::string::npos) return std::nullopt;
    std::istringstream words(line.substr(bracket + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field)
        words >> skipped;
    double user_ticks = 0;
    double system_ticks = 0;
    if (!(words >> user_ticks >> system_ticks)) return std::nullopt;
    return (user_ticks + system_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace durability::test
