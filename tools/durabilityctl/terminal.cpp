#include "durabilityctl/terminal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace durability::ctl {
namespace {

// Set by signals, which arrive in key() only.
volatile sig_atomic_t asked_to_go = 0;

void on_go(int /*signal*/) {
    asked_to_go = 1;
}
// Its coming is enough: it ends the wait for a key, and the screen is drawn again.
void on_resize(int /*signal*/) {}

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view take_over = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view give_back = "\x1b[?25h\x1b[?1049l";

void write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

std::string cut_to_width(std::string_view line, std::size_t columns) {
    std::string out;
    std::size_t width = 0;
    for (std::size_t i = 0; i < line.size();) {
        if (line[i] == '\x1b') {
            const std::size_t end = line.find('m', i);
            const std::size_t next = end == std::string_view::npos ? line.size() : end + 1;
            out += line.substr(i, next - i);
            i = next;
            continue;
        }
        std::size_t next = i + 1;
        while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xc0U) == 0x80U)
            ++next;
        if (width < columns) out += line.substr(i, next - i);
        ++width;
        i = next;
    }
    return out;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

bool Terminal::is_there() {
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

Result<std::unique_ptr<Terminal>> Terminal::open() {
    std::unique_ptr<Terminal> terminal(new Terminal);
    if (::tcgetattr(STDIN_FILENO, &terminal->before_) != 0)
        return fail(Errc::io, "read the settings of the terminal", errno);
    // Signals come while a key is waited for, and nowhere else.
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGWINCH);
    for (const int signal : ending_signals)
        ::sigaddset(&blocked, signal);
    ::sigprocmask(SIG_BLOCK, &blocked, &terminal->mask_before_);
    struct sigaction action {};
    ::sigemptyset(&action.sa_mask);
    action.sa_handler = on_resize;
    ::sigaction(SIGWINCH, &action, nullptr);
    action.sa_handler = on_go;
    for (const int signal : ending_signals)
        ::sigaction(signal, &action, nullptr);
    termios raw = terminal->before_;
    raw.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO | ISIG));
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    write_all(take_over);
    return terminal;
}

Terminal::~Terminal() {
    write_all(give_back);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

Terminal::Size Terminal::size() const {
    winsize given{};
    Size size;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &given) != 0) return size;
    if (given.ws_col > 0) size.columns = given.ws_col;
    if (given.ws_row > 0) size.rows = given.ws_row;
    return size;
}

void Terminal::draw(const std::vector<std::string>& lines) {
    const Size now = size();
    std::string out = "\x1b[H";
    for (std::size_t i = 0; i < std::min(lines.size(), now.rows); ++i) {
        if (i > 0) out += "\r\n";
        out += cut_to_width(lines[i], now.columns) + "\x1b[0m\x1b[K";
    }
    write_all(out + "\x1b[J");
}

std::optional<char> Terminal::key(std::chrono::milliseconds timeout) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const timespec limit{timeout.count() / 1'000, (timeout.count() % 1'000) * 1'000'000};
    sigset_t none;
    ::sigemptyset(&none);
    if (::ppoll(&input, 1, &limit, &none) <= 0) return std::nullopt;
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) == 1) return c;
    hung_up_ = true;
    return std::nullopt;
}

bool Terminal::ended() const {
    return hung_up_ || asked_to_go != 0;
}

}  // namespace durability::ctl
