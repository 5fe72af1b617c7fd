// The command line. Values are not judged here: they go through the configuration's own checks as
// settings, so that a wrong domain gets the same answer wherever it was written.
#pragma once

#include "config/loader.hpp"

#include <tl/expected.hpp>

#include <string>

namespace durability::daemon {

inline constexpr const char* default_config_file = "/etc/durabilityd/durabilityd.yaml";

struct Options {
    std::string config_file;  // empty: not given
    std::vector<config::Setting> settings;
    bool check_config{false};
    bool quiet{false};
    bool help{false};
    bool version{false};
};

// The error is a sentence for the user; the exit status is then exit_usage.
[[nodiscard]] tl::expected<Options, std::string> parse_options(int argc, const char* const* argv);

// Where the configuration comes from: the given file, else the default one when it exists, else the
// built-in defaults; rule files from conf.d beside it.
[[nodiscard]] config::Sources sources_of(const Options& options);

[[nodiscard]] std::string help_text();
[[nodiscard]] std::string version_text();

}  // namespace durability::daemon
