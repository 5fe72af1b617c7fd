#include "settings.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace durability::bench {
namespace {

namespace po = boost::program_options;

constexpr std::size_t most_runs = 100;
constexpr std::uint32_t largest_divisor = 10'000;

// A mistake on the command line, as the daemon and its tool report it.
constexpr int exit_usage = 64;

[[noreturn]] void refuse(const std::string& why) {
    fmt::print(stderr, "durability_bench: {}\n", why);
    std::exit(exit_usage);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
}

}  // namespace

std::uint32_t Settings::samples(std::uint32_t full) const {
    return std::max(full / divisor, 1U);
}

bool Settings::wants(const std::string& row) const {
    return rows.empty() || std::find(rows.begin(), rows.end(), row) != rows.end();
}

Settings parse_settings(int argc,
                        const char* const* argv,
                        const std::vector<std::string>& known_rows) {
    Settings settings;
    po::options_description options("Options");
    // clang-format off
    options.add_options()
        ("row", po::value(&settings.rows)->value_name("NAME")->composing(),
         fmt::format("measure this row only, repeatable: {}", fmt::join(known_rows, ", ")).c_str())
        ("runs", po::value(&settings.runs)->value_name("N"), "runs of which the median counts (5)")
        ("divisor", po::value(&settings.divisor)->value_name("N"),
         "divide the sample counts, to try the benchmarks themselves (1)")
        ("directory", po::value(&settings.directory)->value_name("DIR"),
         "where the store lies; should be on a disk (/var/tmp)")
        ("verbose", po::bool_switch(&settings.verbose), "every single run on stderr")
        ("help", "print this help");
    // clang-format on
    try {
        po::variables_map map;
        const po::positional_options_description none;
        po::store(po::command_line_parser(argc, argv).options(options).positional(none).run(), map);
        po::notify(map);
        if (map.count("help") > 0) {
            fmt::print("{}", fmt::streamed(options));
            std::exit(0);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
        }
    } catch (const po::error& error) {
        refuse(error.what());
    }
    if (settings.directory.empty()) settings.directory = "/var/tmp";
    if (settings.runs < 1 || settings.runs > most_runs) refuse("--runs: 1 to 100");
    if (settings.divisor < 1 || settings.divisor > largest_divisor) refuse("--divisor: 1 to 10000");
    for (const std::string& row : settings.rows) {
        if (std::find(known_rows.begin(), known_rows.end(), row) == known_rows.end()) {
            refuse(fmt::format("--row {}: there are {}", row, fmt::join(known_rows, ", ")));
        }
    }
    return settings;
}

}  // namespace durability::bench
