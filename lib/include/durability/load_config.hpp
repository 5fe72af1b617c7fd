// A configuration from a file, from text, or made by a program: checked as the daemon checks its
// own, every problem at once. Format and options: durabilityd.yaml(5).
#pragma once

#include "durability/config.hpp"

#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace durability {

// What is wrong with a configuration, and where.
struct ConfigProblem {
    std::string file;        // a path, or what was given as `name`; empty for a Config value
    unsigned line{0};        // from 1; 0: no line is known
    unsigned column{0};      // from 1, in octets
    std::string path;        // "topics[2].contract.depth"; may be empty
    std::string message;     // without a full stop
    std::string hint;        // "did you mean 'depth'?"; may be empty
    bool is_warning{false};  // the configuration can be used all the same
    // As the daemon prints it: like a compiler's message, with the line and a mark below the place
    // where they are known. Ends with a line feed.
    std::string text;
};

struct LoadedConfig {
    Config config;
    std::vector<ConfigProblem> warnings;
};
// On failure every problem, at least one of them no warning.
using ConfigResult = tl::expected<LoadedConfig, std::vector<ConfigProblem>>;

// Reads a YAML file, and the rule files (*.yaml) of the folder `conf_d` where one is given; a
// folder that does not exist is empty. A file that cannot be read is a problem like any other.
// Thread-safe.
[[nodiscard]] ConfigResult load_config(const std::string& file, const std::string& conf_d = {});

// The same for text; `name` stands for the file in problems. Thread-safe.
[[nodiscard]] ConfigResult parse_config(std::string_view yaml,
                                        const std::string& name = "configuration");

// What is wrong with a Config that a program made: values out of range, values that contradict each
// other, rules given twice or never reached, options that this build does not have. Empty, or only
// warnings, when DurabilityService::start() takes it. Thread-safe.
[[nodiscard]] std::vector<ConfigProblem> check_config(const Config& config);

}  // namespace durability
