// What people read: aligned tables, sizes in KiB and MiB, times with zone. Data goes to stdout,
// everything else to stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace durability::ctl {

void print(std::string_view text);
// Sends out what was printed; false when nobody reads it any more.
bool flush();
// One a line.
void print_lines(const std::set<std::string>& lines);
// "durabilityctl: TEXT" on stderr.
void print_error(std::string_view text);

// Only where standard output is a terminal, and the environment has no NO_COLOR (no-color.org).
enum class Colour : std::uint8_t {
    none,
    red,
    yellow,
    bold
};
[[nodiscard]] std::string coloured(std::string_view text, Colour colour);
// For tests: whatever standard output is.
void set_colours(bool wanted);

enum class Align : std::uint8_t {
    left,
    right
};

class Table {
  public:
    struct Column {
        std::string title;
        Align align{Align::left};
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // As many cells as columns; text from the network was made safe by the caller (printable()).
    void add(std::vector<std::string> cells, Colour colour = Colour::none) {
        rows_.push_back({std::move(cells), colour});
    }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    // Two blanks between columns, none at the end of a line.
    [[nodiscard]] std::string to_text() const;

  private:
    struct Row {
        std::vector<std::string> cells;
        Colour colour{Colour::none};
    };
    std::vector<Column> columns_;
    std::vector<Row> rows_;
};

// That a ROS name was meant: "there is no topic /map; rt/map is taken, its name in DDS".
[[nodiscard]] std::string taken_for(std::string_view ros_topic, std::string_view topic);
// "45 s", "3 min 5 s", "2 h 10 min", "4 d 3 h"
[[nodiscard]] std::string human_duration(std::chrono::nanoseconds duration);
// Local time with zone: "2024-05-01 12:00:00.250 +0200"; UTC once show_utc() was called.
[[nodiscard]] std::string local_time(std::int64_t wall_ns);
void show_utc();
// One event: when, and its line.
[[nodiscard]] std::string event_text(std::int64_t wall_ns,
                                     std::string_view severity,
                                     std::string_view line);

}  // namespace durability::ctl
