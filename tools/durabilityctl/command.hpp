// The commands of durabilityctl as a table: help, parsing and completion walk it. One file for
// each.
#pragma once

#include "durability/error.hpp"
#include "model/sample.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace durability::ctl {

// Options that a command may take; a bit each.
enum class Takes : std::uint32_t {
    nothing = 0,
    socket = 1U << 0U,     // --socket PATH
    state_dir = 1U << 1U,  // --state-dir DIR
    json = 1U << 2U,       // --json
    names = 1U << 3U,      // --names
    goodbye = 1U << 4U,    // --goodbye
    payload = 1U << 5U,    // --payload none|hex
    domain = 1U << 6U,     // --domain N
    writer = 1U << 7U,     // --writer GUID
    instance = 1U << 8U,   // --instance KEYHASH
    progress = 1U << 9U,   // --progress
    dry_run = 1U << 10U,   // --dry-run
    related = 1U << 11U,   // --related GUID[:NUMBER]
    follow = 1U << 12U,    // --follow
    since = 1U << 13U,     // --since TIME
    event = 1U << 14U,     // --event NAME
    topic = 1U << 15U,     // --topic TOPIC
    watch = 1U << 16U,     // --watch
    format = 1U << 17U,    // --format openmetrics|prometheus
    utc = 1U << 18U,       // --utc
};
[[nodiscard]] constexpr Takes operator|(Takes a, Takes b) {
    return static_cast<Takes>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
[[nodiscard]] constexpr bool takes(Takes set, Takes option) {
    return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(option)) != 0;
}

// What was typed, checked against the table.
struct Arguments {
    std::string command;
    std::vector<std::string> words;  // after the command
    std::string socket;              // empty: that of the configuration
    std::string state_dir;           // empty: not given
    bool json{false};
    bool names{false};
    bool goodbye{false};
    bool payload{true};
    std::int64_t domain{-1};  // -1: all
    std::optional<Guid> writer;
    std::optional<KeyHash> instance;
    // Samples that name this one, or one of this writer, as their request.
    std::optional<Guid> related_writer;
    std::optional<SequenceNumber> related_number;
    bool progress{false};
    bool dry_run{false};
    bool follow{false};
    std::optional<std::int64_t> since_ns;  // since 1970 UTC
    std::string event;                     // empty: every kind
    std::string topic;                     // of events; empty: all
    bool watch{false};
    bool prometheus{false};
    bool utc{false};
    bool help{false};
    bool version{false};
};

// What a command did: the exit status with text already printed, or an error for main to print.
using Outcome = Result<int>;

struct Command {
    std::string_view name;
    std::string_view words;  // "[TOPIC]"; for the synopsis
    std::string_view help;   // one sentence
    std::size_t min_words{0};
    std::size_t max_words{0};
    Takes options{Takes::nothing};
    Outcome (*run)(const Arguments& arguments){nullptr};
};

[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name);

// Runs it. A topic that begins with '/' and is not found is taken for the name of a ROS 2 topic,
// which DDS knows by another one; that is said on stderr.
[[nodiscard]] Outcome run_command(const Command& command, const Arguments& arguments);

Outcome run_status(const Arguments& arguments);
Outcome run_topics(const Arguments& arguments);
Outcome run_writers(const Arguments& arguments);
Outcome run_readers(const Arguments& arguments);
Outcome run_explain(const Arguments& arguments);
Outcome run_events(const Arguments& arguments);
Outcome run_instances(const Arguments& arguments);
Outcome run_dump(const Arguments& arguments);
Outcome run_verify(const Arguments& arguments);
Outcome run_repair(const Arguments& arguments);
Outcome run_purge(const Arguments& arguments);
Outcome run_compact(const Arguments& arguments);
Outcome run_reload(const Arguments& arguments);
Outcome run_stop(const Arguments& arguments);
Outcome run_show(const Arguments& arguments);
Outcome run_metrics(const Arguments& arguments);
Outcome run_top(const Arguments& arguments);

// The error is a sentence for the user; the exit status is then 64.
[[nodiscard]] Result<Arguments> parse_arguments(int argc, const char* const* argv);
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string help_text(const Command& command);

}  // namespace durability::ctl
