#include "daemon/log_setup.hpp"

// The only file that includes the logging library: it takes seconds to compile.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace durability::daemon {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::error:
            return spdlog::level::err;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::trace:
            return spdlog::level::trace;
    }
    return spdlog::level::info;
}

// What the journal reads at the beginning of a line (sd-daemon(3)).
std::string_view priority_prefix(LogLevel level) {
    switch (level) {
        case LogLevel::error:
            return "<3>";
        case LogLevel::warning:
            return "<4>";
        case LogLevel::info:
            return "<6>";
        case LogLevel::debug:
        case LogLevel::trace:
            return "<7>";
    }
    return "<6>";
}

bool behind_journal = false;

}  // namespace

void log_to_stderr(LogLevel level, bool journal) {
    behind_journal = journal;
    auto logger = std::make_shared<spdlog::logger>(
        "durabilityd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern(journal ? "%v" : "durabilityd: %l: %v");
    logger->set_level(level_of(level));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
}

void set_log_level(LogLevel level) {
    spdlog::default_logger()->set_level(level_of(level));
}

void log(LogLevel level, std::string_view line) {
    if (behind_journal) {
        spdlog::log(level_of(level), "{}{}", priority_prefix(level), line);
    } else {
        spdlog::log(level_of(level), "{}", line);
    }
}

}  // namespace durability::daemon
