#include "durabilityctl/progress.hpp"

#include "durabilityctl/output.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cstdio>

#include <unistd.h>

namespace durability::ctl {
namespace {

constexpr std::size_t line_width = 79;
constexpr Duration on_terminal = std::chrono::milliseconds{250};
constexpr Duration elsewhere = std::chrono::seconds{1};

void write(const std::string& text) {
    std::fflush(stdout);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

}  // namespace

std::string shortened(std::string_view text, std::size_t width) {
    if (text.size() <= width) return std::string(text);
    if (width <= 3) return std::string(text.substr(text.size() - width));
    return fmt::format("...{}", text.substr(text.size() - (width - 3)));
}

ProgressLine::ProgressLine(std::string what, bool always)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1), always_(always) {}

bool ProgressLine::is_due() {
    if (!terminal_ && !always_) return false;
    const MonoTime now = system_now().mono;
    if (now < next_) return false;
    next_ = after(now, terminal_ ? on_terminal : elsewhere);
    return true;
}

void ProgressLine::show_bytes(std::uint64_t done, std::uint64_t total, std::string_view file) {
    if (!is_due()) return;
    next_ = {};
    const std::uint64_t percent =
        total == 0 ? 100
                   : static_cast<std::uint64_t>(100.0 * static_cast<double>(done) /
                                                static_cast<double>(total));
    std::string text =
        fmt::format("{} of {}, {}%", rounded_size(done), rounded_size(total), percent);
    const std::size_t used = what_.size() + 2 + text.size() + 2;
    if (!file.empty() && used < line_width)
        text += ", " + shortened(printable(file, 4'096), terminal_ ? line_width - used : 4'096);
    show(text);
}

void ProgressLine::show(std::string_view text) {
    if (!is_due()) return;
    if (!terminal_) return write(fmt::format("{}: {}\n", what_, text));
    // To the beginning of the line, and what was there before is erased behind the text.
    write(fmt::format("\r{}\x1b[K", fmt::format("{}: {}", what_, text).substr(0, line_width)));
    dirty_ = true;
}

void ProgressLine::clear() {
    if (dirty_) write("\r\x1b[K");
    dirty_ = false;
}

}  // namespace durability::ctl
