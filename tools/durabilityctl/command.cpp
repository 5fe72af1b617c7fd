#include "durabilityctl/command.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/since.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"
#include "durability/event.hpp"
#include "model/ros_names.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace durability::ctl {
namespace {

namespace po = boost::program_options;

constexpr Takes live = Takes::socket | Takes::json;
constexpr Takes at_rest = Takes::socket | Takes::state_dir | Takes::json;

constexpr std::array table{
    Command{"status",
            "",
            "What the daemon is doing, on one screen.",
            0,
            0,
            live | Takes::watch | Takes::utc,
            run_status},
    Command{"top",
            "",
            "The busiest topics, once a second, until q is pressed.",
            0,
            0,
            Takes::socket,
            run_top},
    Command{"topics",
            "",
            "Served topics: contract, storage, what is kept, who writes and reads.",
            0,
            0,
            at_rest | Takes::names | Takes::domain,
            run_topics},
    Command{"writers",
            "[TOPIC]",
            "Source writers: alive or retired, how far each is safe, what is kept.",
            0,
            1,
            at_rest | Takes::names | Takes::domain,
            run_writers},
    Command{"instances",
            "TOPIC",
            "Instances of a keyed topic: key, state, what is kept, whose it is.",
            1,
            1,
            at_rest | Takes::names | Takes::domain | Takes::utc,
            run_instances},
    Command{"readers",
            "[TOPIC]",
            "Late readers: who was served what, up to where.",
            0,
            1,
            live | Takes::domain,
            run_readers},
    Command{"explain",
            "TOPIC",
            "Why each writer of a topic is served or not, and what each reader gets.",
            1,
            1,
            live | Takes::domain,
            run_explain},
    Command{"show",
            "TOPIC",
            "The contract of a topic that is in force, and where each value comes from.",
            1,
            1,
            at_rest | Takes::domain,
            run_show},
    Command{"events",
            "",
            "The latest events of the running daemon; with --follow, those to come.",
            0,
            0,
            live | Takes::follow | Takes::since | Takes::event | Takes::topic | Takes::utc,
            run_events},
    Command{"metrics",
            "",
            "Figures for a monitoring system, in its text format.",
            0,
            0,
            Takes::socket | Takes::format,
            run_metrics},
    Command{"dump",
            "TOPIC",
            "Stored samples of a topic, one JSON object a line.",
            1,
            1,
            Takes::socket | Takes::state_dir | Takes::payload | Takes::domain | Takes::writer |
                Takes::instance | Takes::related,
            run_dump},
    Command{"verify",
            "",
            "Checks every file of the store; status 65 when damage was found.",
            0,
            0,
            at_rest | Takes::domain | Takes::progress,
            run_verify},
    Command{"repair",
            "",
            "Brings back what is whole in damaged files; the daemon must not run.",
            0,
            0,
            at_rest | Takes::domain | Takes::progress | Takes::dry_run,
            run_repair},
    Command{"purge",
            "TOPIC",
            "Takes stored samples out for good: of a writer, of an instance, or all.",
            1,
            1,
            at_rest | Takes::domain | Takes::writer | Takes::instance,
            run_purge},
    Command{"compact",
            "[TOPIC]",
            "Gives back the disk space of samples that are no longer kept.",
            0,
            1,
            at_rest | Takes::domain | Takes::progress,
            run_compact},
    Command{"reload",
            "",
            "Has the daemon read its configuration again: all of it is in force then, or none.",
            0,
            0,
            live,
            run_reload},
    Command{"stop",
            "",
            "Ends the daemon as SIGTERM does; with --goodbye it takes leave of its peers.",
            0,
            0,
            Takes::socket | Takes::goodbye,
            run_stop},
};

struct NamedOption {
    std::string_view name;
    Takes bit;
    std::string_view help;
};
constexpr std::array named_options{
    NamedOption{"socket",
                Takes::socket,
                "--socket PATH     control socket (default: that of the configuration)"},
    NamedOption{
        "state-dir", Takes::state_dir, "--state-dir DIR   the store in DIR, without a daemon"},
    NamedOption{"json", Takes::json, "--json            for programs"},
    NamedOption{"names", Takes::names, "--names           names, GUIDs or hashes only, one a line"},
    NamedOption{"domain", Takes::domain, "--domain N        this DDS domain only"},
    NamedOption{"writer", Takes::writer, "--writer GUID     of this writer only"},
    NamedOption{"instance",
                Takes::instance,
                "--instance HASH   of this instance only (a key_hash as instances shows it)"},
    NamedOption{"related",
                Takes::related,
                "--related SAMPLE  that answer this request: GUID, or GUID:NUMBER"},
    NamedOption{"progress", Takes::progress, "--progress        say how far it is, on stderr"},
    NamedOption{"dry-run", Takes::dry_run, "--dry-run         only say what would be done"},
    NamedOption{"payload", Takes::payload, "--payload KIND    hex (default) or none"},
    NamedOption{"follow", Takes::follow, "--follow          go on with what comes, until ended"},
    NamedOption{"since",
                Takes::since,
                "--since TIME      not older than: 10min, 12:00, \"2024-05-01 12:00\""},
    NamedOption{"event", Takes::event, "--event NAME      of this kind only"},
    NamedOption{"topic", Takes::topic, "--topic TOPIC     about this topic only"},
    NamedOption{"watch", Takes::watch, "--watch           again every second, until q is pressed"},
    NamedOption{"format", Takes::format, "--format KIND     openmetrics (default) or prometheus"},
    NamedOption{"utc", Takes::utc, "--utc             times in UTC"},
    NamedOption{"goodbye", Takes::goodbye, "--goodbye         dispose both participants"},
};

po::options_description described() {
    po::options_description options;
    // clang-format off
    options.add_options()
        ("socket", po::value<std::string>(), "")
        ("state-dir", po::value<std::string>(), "")
        ("json", po::bool_switch(), "")
        ("names", po::bool_switch(), "")
        ("goodbye", po::bool_switch(), "")
        ("progress", po::bool_switch(), "")
        ("dry-run", po::bool_switch(), "")
        ("writer", po::value<std::string>(), "")
        ("instance", po::value<std::string>(), "")
        ("related", po::value<std::string>(), "")
        ("payload", po::value<std::string>(), "")
        ("follow", po::bool_switch(), "")
        ("since", po::value<std::string>(), "")
        ("event", po::value<std::string>(), "")
        ("topic", po::value<std::string>(), "")
        ("watch", po::bool_switch(), "")
        ("format", po::value<std::string>(), "")
        ("utc", po::bool_switch(), "")
        ("domain,d", po::value<std::uint32_t>(), "")
        ("help,h", po::bool_switch(), "")
        ("version,V", po::bool_switch(), "")
        ("word", po::value<std::vector<std::string>>(), "");
    // clang-format on
    return options;
}

tl::unexpected<Error> usage(std::string text) {
    return fail(Errc::invalid_argument, std::move(text));
}

std::string text_of(const po::variables_map& map, const char* name) {
    return map.count(name) > 0 ? map[name].as<std::string>() : std::string();
}

Result<Arguments> unknown_command(const std::string& name) {
    std::array<std::string_view, table.size()> names;
    std::transform(table.begin(), table.end(), names.begin(), [](const Command& command) {
        return command.name;
    });
    std::string text = fmt::format("unknown command '{}'", printable(name, 60));
    if (const auto near = closest_match(name, names))
        text += fmt::format("; did you mean '{}'?", *near);
    return usage(std::move(text));
}

// Options and words that the command does not take.
Status check(const Command& command, const Arguments& arguments, const po::variables_map& map) {
    for (const auto& [name, bit, help] : named_options) {
        const auto found = map.find(std::string(name));
        if (found == map.end() || found->second.defaulted()) continue;
        if (!takes(command.options, bit))
            return usage(fmt::format("{} takes no --{}", command.name, name));
    }
    if (arguments.words.size() < command.min_words) {
        return usage(fmt::format("{} needs {}", command.name, command.words));
    }
    if (arguments.words.size() > command.max_words) {
        return usage(fmt::format("{} does not take the word '{}'",
                                 command.name,
                                 printable(arguments.words[command.max_words], 60)));
    }
    if (!arguments.socket.empty() && !arguments.state_dir.empty()) {
        return usage("--socket asks a daemon, --state-dir opens a store: give one of them");
    }
    if (arguments.json && (arguments.names || arguments.watch)) {
        return usage(fmt::format("--json and --{} are two forms of output: give one of them",
                                 arguments.names ? "names" : "watch"));
    }
    return {};
}

// "GUID" or "GUID:NUMBER", as `dump` prints the two in "related".
Status read_related(const std::string& text, Arguments& arguments) {
    constexpr std::size_t guid_length = 33;
    arguments.related_writer = parse_guid(text.substr(0, guid_length));
    const std::string_view rest = std::string_view(text).substr(std::min(text.size(), guid_length));
    std::int64_t number = 0;
    const auto parsed =
        std::from_chars(rest.data() + !rest.empty(), rest.data() + rest.size(), number);
    const bool whole = rest.starts_with(':') && parsed.ec == std::errc{} &&
                       parsed.ptr == rest.data() + rest.size() && number > 0;
    if (!arguments.related_writer || (!rest.empty() && !whole)) {
        return usage(
            "--related is the GUID of a request's writer, or GUID:NUMBER, as "
            "'durabilityctl dump' prints them");
    }
    if (whole) arguments.related_number = SequenceNumber{number};
    return {};
}

// What `events` is to show.
Status read_selection(const po::variables_map& map, Arguments& arguments) {
    if (map.count("since") > 0) {
        const std::string text = text_of(map, "since");
        arguments.since_ns = parse_since(text, system_now().wall.time_since_epoch().count());
        if (!arguments.since_ns) {
            return usage(
                fmt::format("--since {} is neither a duration such as 10min nor a time "
                            "such as 12:00 or \"2024-05-01 12:00\"",
                            quote_if_needed(text)));
        }
    }
    arguments.topic = text_of(map, "topic");
    arguments.event = text_of(map, "event");
    if (arguments.event.empty()) return {};
    std::array<std::string_view, event_kind_count> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = name(static_cast<EventKind>(i));
    if (std::find(names.begin(), names.end(), arguments.event) != names.end()) return {};
    std::string text = fmt::format("there is no event {}", quote_if_needed(arguments.event));
    if (const auto near = closest_match(arguments.event, names))
        text += fmt::format("; did you mean {}?", *near);
    return usage(text + "; durabilityd-events(7) lists them");
}

Result<Arguments> collect(const po::variables_map& map) {
    Arguments arguments;
    arguments.help = map["help"].as<bool>();
    arguments.version = map["version"].as<bool>();
    arguments.json = map["json"].as<bool>();
    arguments.names = map["names"].as<bool>();
    arguments.goodbye = map["goodbye"].as<bool>();
    arguments.progress = map["progress"].as<bool>();
    arguments.dry_run = map["dry-run"].as<bool>();
    arguments.follow = map["follow"].as<bool>();
    arguments.watch = map["watch"].as<bool>();
    arguments.utc = map["utc"].as<bool>();
    arguments.socket = text_of(map, "socket");
    arguments.state_dir = text_of(map, "state-dir");
    if (map.count("domain") > 0) arguments.domain = map["domain"].as<std::uint32_t>();
    if (map.count("word") > 0) arguments.words = map["word"].as<std::vector<std::string>>();
    if (!arguments.words.empty() && arguments.words.front() == "help") {
        arguments.help = true;
        arguments.words.erase(arguments.words.begin());
    }
    if (!arguments.words.empty()) {
        arguments.command = arguments.words.front();
        arguments.words.erase(arguments.words.begin());
    }
    if (map.count("payload") > 0) {
        const std::string kind = map["payload"].as<std::string>();
        if (kind != "hex" && kind != "none") return usage("--payload is hex or none");
        arguments.payload = kind == "hex";
    }
    if (map.count("format") > 0) {
        const std::string format = text_of(map, "format");
        if (format != "openmetrics" && format != "prometheus")
            return usage("--format is openmetrics or prometheus");
        arguments.prometheus = format == "prometheus";
    }
    if (auto read = read_selection(map, arguments); !read) return tl::unexpected(read.error());
    if (map.count("writer") > 0) {
        arguments.writer = parse_guid(text_of(map, "writer"));
        if (!arguments.writer)
            return usage("--writer is a GUID as 'durabilityctl writers' prints it");
    }
    if (map.count("instance") > 0) {
        arguments.instance = parse_key_hash(text_of(map, "instance"));
        if (!arguments.instance)
            return usage("--instance is a key_hash as 'durabilityctl instances' prints it");
    }
    if (map.count("related") > 0) {
        if (auto read = read_related(text_of(map, "related"), arguments); !read)
            return tl::unexpected(read.error());
    }
    const bool about = arguments.help || arguments.version;
    if (arguments.command.empty())
        return about ? Result<Arguments>(arguments) : usage("no command is given");
    const Command* command = find_command(arguments.command);
    if (command == nullptr) return unknown_command(arguments.command);
    if (about) return arguments;
    if (auto checked = check(*command, arguments, map); !checked)
        return tl::unexpected(checked.error());
    return arguments;
}

}  // namespace

std::span<const Command> commands() {
    return table;
}

const Command* find_command(std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(), [name](const Command& command) {
        return command.name == name;
    });
    return found == table.end() ? nullptr : &*found;
}

Outcome run_command(const Command& command, const Arguments& arguments) {
    Outcome outcome = command.run(arguments);
    const bool not_found = !outcome && outcome.error().code == Errc::not_found;
    const bool ros = !arguments.words.empty() && !check_ros_topic(arguments.words.front());
    if (!not_found || !ros) return outcome;
    Arguments again = arguments;
    again.words.front() = dds_topic_of_ros(arguments.words.front());
    Outcome second = command.run(again);
    // Neither is there: what was asked for is what is missing.
    if (!second && second.error().code == Errc::not_found) return outcome;
    print_error(taken_for(arguments.words.front(), again.words.front()));
    return second;
}

Result<Arguments> parse_arguments(int argc, const char* const* argv) {
    try {
        using po::command_line_style::allow_guessing;
        using po::command_line_style::unix_style;
        po::positional_options_description words;
        words.add("word", -1);
        const po::options_description options = described();
        po::variables_map map;
        po::store(po::command_line_parser(argc, argv)
                      .options(options)
                      .positional(words)
                      .style(unix_style & ~allow_guessing)
                      .run(),
                  map);
        return collect(map);
    } catch (const po::error& error) {
        return usage(error.what());
    }
}

std::string help_text() {
    std::string text =
        "Usage: durabilityctl COMMAND [options]\n\n"
        "Looks into a running durabilityd, or into its store, and looks after it.\n\nCommands:\n";
    for (const Command& command : table) {
        text += fmt::format(
            "  {:<18}{}\n", fmt::format("{} {}", command.name, command.words), command.help);
    }
    text += "\nOptions (which command takes which: durabilityctl COMMAND --help):\n";
    for (const auto& option : named_options)
        text += fmt::format("  {}\n", option.help);
    return text + "\nManual: durabilityctl(1).\n";
}

std::string help_text(const Command& command) {
    std::string text = fmt::format("Usage: durabilityctl {}{}{} [options]\n\n{}\n",
                                   command.name,
                                   command.words.empty() ? "" : " ",
                                   command.words,
                                   command.help);
    if (command.options != Takes::nothing) text += "\nOptions:\n";
    for (const auto& option : named_options) {
        if (takes(command.options, option.bit)) text += fmt::format("  {}\n", option.help);
    }
    if (!takes(command.options, Takes::event)) return text;
    text += "\nEvents:\n";
    for (std::size_t i = 0; i < event_kind_count; ++i)
        text += fmt::format("  {}\n", name(static_cast<EventKind>(i)));
    return text;
}

}  // namespace durability::ctl
