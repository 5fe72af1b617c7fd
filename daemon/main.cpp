// durabilityd: arguments, configuration, run, exit status; nothing else.
#include "daemon/app.hpp"
#include "daemon/check_config.hpp"
#include "daemon/exit_status.hpp"
#include "daemon/options.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace durability;
using namespace durability::daemon;

void print(std::FILE* stream, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
}

int run_program(int argc, const char* const* argv) {
    const auto options = parse_options(argc, argv);
    if (!options) {
        print(stderr, "durabilityd: " + options.error() + "\nTry 'durabilityd --help'.\n");
        return exit_usage;
    }
    if (options->help || options->version) {
        print(stdout, options->help ? help_text() : version_text());
        return exit_ok;
    }
    const auto loaded = config::load(sources_of(*options));
    if (!loaded) {
        print(stderr, config::to_text(loaded.error()));
        // Wrong words on the command line are the caller's mistake, not the file's.
        const bool usage =
            std::all_of(loaded.error().begin(), loaded.error().end(), [](const auto& problem) {
                return problem.file == config::command_line;
            });
        return usage ? exit_usage : exit_configuration;
    }
    print(stderr, config::to_text(loaded->warnings));
    if (options->check_config) {
        print(stderr, config::to_text(check_surroundings(*loaded)));
        if (!options->quiet) print(stdout, effective_configuration(*loaded));
        return exit_ok;
    }
    return run(*options, *loaded);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_program(argc, argv);
    } catch (const std::exception& error) {
        print(stderr, std::string("durabilityd: internal error: ") + error.what() + "\n");
        return exit_internal;
    }
}
