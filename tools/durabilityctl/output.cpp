#include "durabilityctl/output.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>

#include <unistd.h>

namespace durability::ctl {
namespace {

// Characters, not bytes: the texts are UTF-8 (printable() sees to it).
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

bool utc = false;

bool wants_colours() {
    const char* const none = std::getenv("NO_COLOR");
    return ::isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0');
}
std::optional<bool> colours;

std::string padded(const std::string& text, std::size_t wanted, Align align) {
    const std::size_t have = width(text);
    const std::string blanks(wanted > have ? wanted - have : 0, ' ');
    return align == Align::right ? blanks + text : text + blanks;
}

}  // namespace

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_lines(const std::set<std::string>& lines) {
    for (const std::string& line : lines)
        print(line + "\n");
}

bool flush() {
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void set_colours(bool wanted) {
    colours = wanted;
}

std::string coloured(std::string_view text, Colour colour) {
    if (!colours) colours = wants_colours();
    if (!*colours || colour == Colour::none) return std::string(text);
    const char* const code = colour == Colour::red ? "31" : colour == Colour::yellow ? "33" : "1";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void print_error(std::string_view text) {
    std::fflush(stdout);
    const std::string line = fmt::format("durabilityctl: {}\n", text);
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string Table::to_text() const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_)
        widths.push_back(width(column.title));
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            widths[i] = std::max(widths[i], width(row.cells[i]));
    }
    std::string out;
    const auto add_line = [&](Colour colour, const auto& cell) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (i > 0) line += "  ";
            line += padded(cell(i), widths[i], columns_[i].align);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += coloured(line, colour) + '\n';
    };
    add_line(Colour::bold,
             [this](std::size_t i) -> const std::string& { return columns_[i].title; });
    for (const Row& row : rows_)
        add_line(row.colour, [&row](std::size_t i) -> const std::string& { return row.cells[i]; });
    return out;
}

std::string human_duration(std::chrono::nanoseconds duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    if (seconds < 86'400) return fmt::format("{} h {} min", seconds / 3'600, seconds % 3'600 / 60);
    return fmt::format("{} d {} h", seconds / 86'400, seconds % 86'400 / 3'600);
}

void show_utc() {
    utc = true;
}

std::string event_text(std::int64_t wall_ns, std::string_view severity, std::string_view line) {
    const Colour colour = severity == "error"     ? Colour::red
                          : severity == "warning" ? Colour::yellow
                                                  : Colour::none;
    return fmt::format("{}  {}", local_time(wall_ns), coloured(line, colour));
}

std::string taken_for(std::string_view ros_topic, std::string_view topic) {
    return fmt::format(
        "{} is taken, which is {} in ROS", quote_if_needed(topic), quote_if_needed(ros_topic));
}

std::string local_time(std::int64_t wall_ns) {
    constexpr std::int64_t second = 1'000'000'000;
    std::int64_t fraction = wall_ns % second;
    if (fraction < 0) fraction += second;
    const std::time_t whole = (wall_ns - fraction) / second;
    std::tm parts{};
    if ((utc ? ::gmtime_r(&whole, &parts) : ::localtime_r(&whole, &parts)) == nullptr)
        return std::to_string(wall_ns);
    char date[32];
    char zone[8];
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
    std::strftime(zone, sizeof zone, "%z", &parts);
    return fmt::format("{}.{:03} {}", date, fraction / 1'000'000, zone);
}

}  // namespace durability::ctl
