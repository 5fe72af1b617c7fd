// TROUBLESHOOTING of durabilityd(8): the cases it tells of are brought about with real peers, and
// what the manual prints is what the programs say.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

namespace durability::interop {
namespace {

using Catch::Contains;
using test::Process;

// Without the spaces that indent and align.
std::string squeezed(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    for (std::string word; words >> word;)
        result += (result.empty() ? "" : " ") + word;
    return result;
}

// What the manual prints below a command; without a command, lines of which each may be said by
// any.
struct Quote {
    std::string command;
    Words lines;
};

// The literal displays of the section, as mdoc(7) source has them.
std::vector<Quote> quotes() {
    std::ifstream manual(MANUAL_PAGE);
    std::vector<Quote> found;
    std::string command;
    bool in_section = false;
    bool literal = false;
    for (std::string line; std::getline(manual, line);) {
        if (line.starts_with(".Sh ")) in_section = line == ".Sh TROUBLESHOOTING";
        if (!in_section) continue;
        if (line.starts_with(".Dl $ ")) {
            command = line.substr(6);
        } else if (line.starts_with(".Bd -literal")) {
            literal = true;
            found.push_back({std::exchange(command, ""), {}});
        } else if (line == ".Ed") {
            literal = false;
        } else if (literal && line.starts_with("$ ")) {
            found.push_back({line.substr(2), {}});
        } else if (literal) {
            found.back().lines.push_back(squeezed(line));
        } else if (!line.starts_with(".Bd")) {
            command.clear();
        }
    }
    std::erase_if(found, [](const Quote& quote) { return quote.lines.empty(); });
    return found;
}

// What the programs said, each as the manual would name the command.
class Said {
  public:
    void add(const std::string& command, const std::string& output) {
        outputs_.emplace_back(command, output);
    }

    // Whether somebody who did as the manual says saw these lines.
    [[nodiscard]] bool covers(const Quote& quote) const {
        if (quote.command.empty()) {
            return std::ranges::all_of(quote.lines, [this](const std::string& line) {
                return std::ranges::any_of(outputs_, [&](const auto& output) {
                    return squeezed(output.second).find(line) != std::string::npos;
                });
            });
        }
        return std::ranges::any_of(outputs_, [&](const auto& output) {
            return output.first == quote.command && shows(output.second, quote.lines);
        });
    }

    // For messages.
    [[nodiscard]] std::string of(const std::string& command) const {
        std::string text;
        for (const auto& [asked, output] : outputs_) {
            if (command.empty() || asked == command) text += output;
        }
        return text;
    }

  private:
    // The manual leaves lines out and breaks long ones. What it has in the place of "..." differs.
    static bool shows(const std::string& output, const Words& quoted) {
        std::string rest = fmt::format("{}", fmt::join(quoted, " "));
        std::istringstream lines(output);
        for (std::string line; std::getline(lines, line);) {
            line = squeezed(line);
            if (line.empty()) continue;
            if (const auto taken = matched(line, rest)) {
                rest.erase(0, std::min(*taken + 1, rest.size()));
                if (rest.empty()) return true;
            }
        }
        return false;
    }

    // How much of what is quoted this line of output is.
    static std::optional<std::size_t> matched(const std::string& line, const std::string& quoted) {
        if (quoted.find("...") == std::string::npos) {
            const bool whole = quoted.starts_with(line) &&
                               (quoted.size() == line.size() || quoted[line.size()] == ' ');
            return whole ? std::optional(line.size()) : std::nullopt;
        }
        static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
        std::string pattern = std::regex_replace(quoted, special, R"(\$&)");
        pattern = std::regex_replace(pattern, std::regex(R"(\\\.\\\.\\\.)"), ".*");
        return std::regex_search(line, std::regex(pattern)) ? std::optional(quoted.size())
                                                            : std::nullopt;
    }

    std::vector<std::pair<std::string, std::string>> outputs_;
};

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

// The paths of an installed daemon in place of those of the test.
std::string as_installed(const World& world, std::string text) {
    replace_all(text, world.state_directory(), "/var/lib/durabilityd");
    replace_all(text, world.directory(), "/etc/durabilityd");
    return text;
}

std::unique_ptr<Process> writer(const World& world,
                                const std::string& topic,
                                const std::string& durability,
                                const Words& more = {}) {
    Words options{"--topic", topic, "--durability", durability, "--count", "3"};
    options.insert(options.end(), {"--wait-matched", "0", "--timeout", "120"});
    options.insert(options.end(), more.begin(), more.end());
    return world.publisher(Vendor::cyclone, options);
}

std::unique_ptr<Process> reader(const World& world,
                                const std::string& topic,
                                const std::string& durability,
                                const Words& more = {}) {
    Words options{"--topic", topic, "--durability", durability, "--stay", "--quiet"};
    options.insert(options.end(), {"--timeout", "120"});
    options.insert(options.end(), more.begin(), more.end());
    return world.subscriber(Vendor::cyclone, options);
}

// Asks until all that is awaited is said, or patience ends.
void explain(const World& world, Said& said, const std::string& topic, const Words& awaited) {
    const std::string text = run_tool_until(world, {"explain", topic}, awaited);
    said.add("durabilityctl explain " + topic, as_installed(world, text));
}

void ask_about_readers(const World& world, Said& said) {
    const auto kept = writer(world, "status", "transient");
    const auto plain = reader(world, "status", "volatile");
    explain(world, said, "status", {"requests VOLATILE"});

    const Words left{"--partition", "left"};
    const auto parts = writer(world, "parts", "transient", left);
    const auto elsewhere = reader(world, "parts", "transient_local", {"--partition", "right"});
    const auto stronger = reader(world, "parts", "persistent", left);
    const auto newer =
        reader(world, "parts", "transient", {"--partition", "left", "--representation", "xcdr2"});
    explain(world, said, "parts", {"durability: ", "partition: ", "representation: "});

    const auto again = writer(world, "again", "transient", {"--wait-matched", "1"});
    REQUIRE(not_acknowledged(*again) == "");
    const auto process =
        reader(world,
               "again",
               "transient",
               {"--expect", "1", "--readers", "2", "--one-by-one", "--reader-delay", "100"});
    explain(world, said, "again", {"was served before"});
}

void ask_about_writers(const World& world, Said& said) {
    const auto map = writer(world, "rt/map", "transient_local");
    explain(world, said, "/map", {"let it offer TRANSIENT"});
    const auto log = writer(world, "rt/rosout", "transient_local");
    explain(world, said, "/rosout", {"is the log of ROS 2"});
    explain(world, said, "/nap", {"did you mean"});
    const auto live = writer(world, "live", "volatile");
    explain(world, said, "live", {"nothing to keep"});
    const auto secret = writer(world, "secret", "transient");
    explain(world, said, "secret", {"serve: never"});
}

// Fast DDS makes nothing of them that could be seen.
void try_what_fast_dds_refuses(const World& world) {
    for (const std::string durability : {"persistent", "transient"}) {
        CAPTURE(durability);
        Words words{"pub", "--domain", std::to_string(world.domain()), "--topic", "refused"};
        words.insert(words.end(), {"--durability", durability, "--count", "1"});
        Process program({PEER_FASTDDS_BINARY, words, {}});
        const auto ended = program.wait(patience);
        REQUIRE(ended.has_value());
        CHECK(ended->status == 4);
    }
    CHECK_THAT(run_tool(world, {"explain", "refused"}), Contains("nobody writes or reads"));
}

void ask_a_full_store(Said& said) {
    // More than any disk has.
    World world("  - { ros_topic: /map, serve: transient_local, storage: disk }\n",
                "limits: { reserve_disk: 1000TiB }\n");
    world.start_daemon();
    const auto map = writer(world, "rt/map", "transient_local");
    explain(world, said, "/map", {"the store refuses"});
    said.add("durabilityctl events", run_tool(world, {"events"}));
    world.stop_daemon();
}

void start_in_vain(const World& world, Said& said) {
    const auto second = world.launch_daemon();
    REQUIRE(second->wait(patience).has_value());
    std::string output = as_installed(world, second->output());
    replace_all(output, fmt::format("/{}/lease", world.domain()), "/0/lease");
    said.add("durabilityd",
             std::regex_replace(output, std::regex("process [0-9]+"), "process 812"));
}

std::string checked(const World& world, const std::string& rules, const Words& more) {
    world.configure(rules, "");
    Words words{"--config", "durabilityd.yaml", "--check-config"};
    words.insert(words.end(), more.begin(), more.end());
    const std::string go = fmt::format("cd '{}' && exec \"$0\" \"$@\"", world.directory().string());
    words.insert(words.begin(), {"-c", go, DURABILITYD_BINARY});
    Process daemon({"sh", words, {}});
    REQUIRE(daemon.wait(patience).has_value());
    return daemon.output();
}

void check_configurations(Said& said) {
    const World world;
    std::string good = checked(world, "  - { ros_topic: /map }\n", {});
    replace_all(good, "# durabilityd.yaml", "# /etc/durabilityd/durabilityd.yaml");
    said.add("durabilityd --check-config", good);
    said.add("durabilityd --check-config --quiet",
             checked(world, "  - ros_topic: map\n", {"--quiet"}));
}

TEST_CASE("what the manual prints for those in trouble is what the programs say", "[manual]") {
    Said said;
    World world("  - { topic: secret, serve: never }\n");
    // It has written before the daemon is there.
    const auto early = writer(world, "late", "transient", {"--durability-service", "keep_all"});
    REQUIRE(early->wait_line("WRITTEN", patience));
    world.start_daemon();
    explain(world, said, "late", {"Served in group 1"});
    ask_about_readers(world, said);
    ask_about_writers(world, said);
    try_what_fast_dds_refuses(world);
    start_in_vain(world, said);
    world.stop_daemon();
    ask_a_full_store(said);
    check_configurations(said);

    const auto printed = quotes();
    CHECK(printed.size() >= 10);
    for (const Quote& quote : printed) {
        INFO("$ " << quote.command << '\n' << fmt::format("{}", fmt::join(quote.lines, "\n")));
        INFO("said:\n" << said.of(quote.command));
        CHECK(said.covers(quote));
    }
}

}  // namespace
}  // namespace durability::interop
