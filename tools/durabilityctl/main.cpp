// durabilityctl: reads the command line, runs one command, prints what went wrong.
#include "durabilityctl/command.hpp"
#include "durabilityctl/output.hpp"

#include "durability/version.hpp"

#include <fmt/format.h>

#include <exception>

namespace {

using namespace durability;
using namespace durability::ctl;

int run_program(int argc, const char* const* argv) {
    const auto arguments = parse_arguments(argc, argv);
    if (!arguments) {
        print_error(fmt::format("{}\nTry 'durabilityctl --help'.", arguments.error().text()));
        return exit_status(arguments.error().code);
    }
    const Command* command = find_command(arguments->command);
    if (arguments->version) {
        print(fmt::format("durabilityctl {}\nstore format {}\n", version(), store_format_version));
        return 0;
    }
    if (arguments->help || command == nullptr) {
        print(command == nullptr ? help_text() : help_text(*command));
        return 0;
    }
    if (arguments->utc) show_utc();
    const auto outcome = run_command(*command, *arguments);
    if (outcome) return *outcome;
    print_error(outcome.error().text());
    return exit_status(outcome.error().code);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_program(argc, argv);
    } catch (const std::exception& error) {
        print_error(fmt::format("internal error: {}", error.what()));
        return 70;
    }
}
