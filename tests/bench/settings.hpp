// What a run of the benchmarks measures, and how thoroughly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace durability::bench {

struct Settings {
    std::vector<std::string> rows;  // names as in main.cpp; empty: all of them
    std::size_t runs{5};            // a figure is the median of so many
    std::uint32_t divisor{1};       // of the sample counts, to try the benchmarks themselves
    std::string directory;  // where the daemon's store lies: a disk, or fdatasync costs nothing
    bool verbose{false};    // every single run on stderr

    // A sample count of performance.md under this run's divisor, never less than one.
    [[nodiscard]] std::uint32_t samples(std::uint32_t full) const;
    [[nodiscard]] bool wants(const std::string& row) const;
};

// Reads the command line. On a mistake, or --help, prints a message and ends the process.
[[nodiscard]] Settings parse_settings(int argc,
                                      const char* const* argv,
                                      const std::vector<std::string>& known_rows);

}  // namespace durability::bench
