// The table that a run of the benchmarks ends with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace durability::bench {

// How far a figure is from its target: 1 meets it, 0.5 is half of the way there, more is better.
// A target may also be "nothing got lost", which is 1 or 0.
struct Line {
    std::string row;
    std::string workload;
    std::string reference;
    std::string ours;
    std::string ratio;
    std::string target;
    double attained{0};
};

[[nodiscard]] inline double at_least(double ours, double target) {
    return ours / target;
}
[[nodiscard]] inline double at_most(double ours, double target) {
    return ours > 0 ? target / ours : 1;
}

// A row of performance.md: measures and answers the lines it stands for.
struct Settings;
using Lines = std::vector<Line>;

// Markdown, to stdout.
void print(const Lines& lines);

// What happens now, to stderr, so that the table alone can go into a file.
void say(std::string_view what);

}  // namespace durability::bench
