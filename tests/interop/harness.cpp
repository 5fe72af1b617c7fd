#include "harness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

namespace durability::interop {
namespace {

using test::Launch;
using test::Process;

// Domains are cheap in a network namespace of our own; one per scenario keeps participants that a
// scenario killed, and whose leases still run, out of the next one. Below 90, where the ports of a
// domain do not meet those the system gives to everybody else.
std::uint32_t next_domain() {
    static std::atomic<std::uint32_t> next{0};
    return next++ % 90;
}

double number_after(const std::string& line, std::string_view key) {
    const std::string wanted = fmt::format(" {}=", key);
    const auto at = line.find(wanted);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("no {} in: {}", key, line));
    return std::stod(line.substr(at + wanted.size()));
}

}  // namespace

Summary parse_summary(const std::string& line) {
    const auto count = [&](std::string_view key) {
        return static_cast<std::uint64_t>(number_after(line, key));
    };
    Summary summary;
    summary.valid = count("valid");
    summary.duplicates = count("duplicates");
    summary.out_of_order = count("out_of_order");
    summary.bad = count("bad");
    summary.first_ms = number_after(line, "first_ms");
    summary.last_ms = number_after(line, "last_ms");
    summary.match_ms = number_after(line, "match_ms");
    summary.lowest = count("lowest");
    summary.highest = count("highest");
    return summary;
}

std::string_view name(Vendor vendor) {
    switch (vendor) {
        case Vendor::cyclone:
            return "cyclone";
        case Vendor::fastdds:
            return "fastdds";
    }
    return "?";
}

std::string_view name(Kind kind) {
    switch (kind) {
        case Kind::transient_local:
            return "transient_local";
        case Kind::transient:
            return "transient";
        case Kind::persistent:
            return "persistent";
    }
    return "?";
}

std::string_view name(Fate fate) {
    switch (fate) {
        case Fate::alive:
            return "alive";
        case Fate::ended:
            return "ended";
        case Fate::killed:
            return "killed";
    }
    return "?";
}

TemporaryDirectory::TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "interop-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;  // what is left is in the system's temporary directory
    std::filesystem::remove_all(path_, ignored);
}

World::World(std::string_view topics, std::string_view more) : World(next_domain(), topics, more) {}

World::World(std::uint32_t domain, std::string_view topics, std::string_view more)
    : domain_(domain) {
    std::filesystem::create_directory(state_directory());
    std::filesystem::create_directory(directory() / "run");
    configure(topics, more);
}

void World::configure(std::string_view topics, std::string_view more) const {
    std::ofstream config(directory() / "durabilityd.yaml");
    if (!topics.empty()) config << "topics:\n" << topics;
    config << more << "log: { level: info }\n";
}

std::filesystem::path World::state_directory() const {
    return directory() / "state";
}

std::unique_ptr<Process> World::launch_daemon() const {
    Words words = daemon_prefix_;
    const Words daemon{DURABILITYD_BINARY,
                       "--config",
                       (directory() / "durabilityd.yaml").string(),
                       "--state-dir",
                       state_directory().string(),
                       "--runtime-dir",
                       (directory() / "run").string(),
                       "--domain",
                       std::to_string(domain_)};
    words.insert(words.end(), daemon.begin(), daemon.end());
    words.insert(words.end(), daemon_interfaces_.begin(), daemon_interfaces_.end());
    words.insert(words.end(), daemon_options_.begin(), daemon_options_.end());
    return std::make_unique<Process>(Launch{words.front(), {words.begin() + 1, words.end()}, {}});
}

void World::start_daemon() {
    daemon_ = launch_daemon();
    if (daemon_->wait_line("event=Ready", patience)) return;
    throw std::runtime_error("the daemon does not serve:\n" + daemon_->output());
}

void World::stop_daemon() {
    daemon_->kill(SIGTERM);
    const auto ended = daemon_->wait(patience);
    if (!ended) throw std::runtime_error("the daemon does not end:\n" + daemon_->output());
    if (ended->status != 0) {
        throw std::runtime_error(fmt::format("the daemon ended with status {}, signal {}:\n{}",
                                             ended->status,
                                             ended->signal,
                                             daemon_->output()));
    }
}

void World::kill_daemon() {
    daemon_->kill(SIGKILL);
    if (!daemon_->wait(patience)) throw std::runtime_error("the daemon survives SIGKILL");
}

std::unique_ptr<Process> World::peer(Vendor vendor,
                                     std::string_view command,
                                     const Words& options) const {
    Words words = peer_prefix_;
    words.emplace_back(vendor == Vendor::cyclone ? PEER_CYCLONE_BINARY : PEER_FASTDDS_BINARY);
    words.insert(words.end(), {std::string(command), "--domain", std::to_string(domain_)});
    words.insert(words.end(), options.begin(), options.end());
    const auto transient = [](const std::string& word) {
        return word.find("transient") != std::string::npos && word != "transient_local";
    };
    if (vendor == Vendor::fastdds && std::any_of(options.begin(), options.end(), transient)) {
        words.emplace_back("--persistence-file");
        words.push_back((directory() / fmt::format("fastdds-{}.db", next_file_++)).string());
    }
    return std::make_unique<Process>(Launch{words.front(), {words.begin() + 1, words.end()}, {}});
}

std::unique_ptr<Process> World::publisher(Vendor vendor, const Words& options) const {
    return peer(vendor, "pub", options);
}

std::unique_ptr<Process> World::subscriber(Vendor vendor, const Words& options) const {
    return peer(vendor, "sub", options);
}

std::vector<Summary> summaries(Process& subscriber) {
    // The subscriber has a deadline of its own, which its output explains better than ours would.
    if (!subscriber.wait(4 * patience)) {
        throw std::runtime_error("a subscriber does not end:\n" + subscriber.output());
    }
    std::vector<Summary> found;
    for (const auto& line : subscriber.lines()) {
        if (line.starts_with("SUMMARY ")) found.push_back(parse_summary(line));
    }
    return found;
}

std::string flaws(Process& subscriber, std::uint64_t expected, std::size_t readers) {
    const auto found = summaries(subscriber);
    if (found.size() != readers) {
        return fmt::format("{} of {} readers:\n{}", found.size(), readers, subscriber.output());
    }
    std::string wrong;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto& summary = found[i];
        if (summary.valid != expected) {
            wrong += fmt::format("reader {}: {} of {} samples; ", i, summary.valid, expected);
        }
        if (summary.duplicates != 0) {
            wrong += fmt::format("reader {}: {} duplicates; ", i, summary.duplicates);
        }
        if (summary.out_of_order != 0) {
            wrong += fmt::format("reader {}: {} out of order; ", i, summary.out_of_order);
        }
        if (summary.bad != 0) wrong += fmt::format("reader {}: {} damaged; ", i, summary.bad);
    }
    return wrong;
}

bool lost_a_match(const Words& lines) {
    std::map<std::string, std::uint32_t> matched;  // by reader
    for (const auto& line : lines) {
        std::istringstream words(line);
        std::string word;
        std::uint32_t current = 0;
        std::string reader;
        if (!(words >> word >> current) || word != "MATCHED") continue;
        words >> reader;
        if (current < matched[reader]) return true;
        matched[reader] = current;
    }
    return false;
}

std::string run_tool(const World& world, Words words) {
    words.insert(words.end(), {"--socket", (world.directory() / "run" / "control.sock").string()});
    Process process({DURABILITYCTL_BINARY, std::move(words), {}});
    if (!process.wait(patience)) return "durabilityctl does not end";
    return process.output();
}

std::string run_tool_until(const World& world, const Words& words, const Words& expected) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        std::string output = run_tool(world, words);
        const bool complete =
            std::all_of(expected.begin(), expected.end(), [&](const std::string& text) {
                return output.find(text) != std::string::npos;
            });
        if (complete || std::chrono::steady_clock::now() > deadline) return output;
        std::this_thread::sleep_for(100ms);
    }
}

std::string ask_daemon(const World& world, Words words) {
    const std::string socket = (world.directory() / "run" / "control.sock").string();
    words.insert(words.end(), {"--json", "--socket", socket});
    Process tool({DURABILITYCTL_BINARY, std::move(words), {}});
    return tool.wait(patience) ? tool.output() : std::string();
}

bool await_served(const World& world, const std::string& topic, std::size_t matches) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
        const std::string text = ask_daemon(world, {"readers", topic});
        std::size_t met = 0;
        for (auto at = text.find("\"guid\""); at != std::string::npos;
             at = text.find("\"guid\"", at + 1))
            ++met;
        const bool waits = text.find("waiting") != std::string::npos ||
                           text.find("replaying") != std::string::npos;
        if (met >= matches && !waits) return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

std::string not_acknowledged(Process& publisher) {
    return publisher.wait_line("ACKED ", patience) ? std::string() : publisher.output();
}

void meet(Process& publisher, Fate fate) {
    switch (fate) {
        case Fate::alive:
            return;
        case Fate::ended:
            publisher.write_line("exit");
            break;
        case Fate::killed:
            publisher.kill(SIGKILL);
            break;
    }
    if (!publisher.wait(patience)) {
        throw std::runtime_error("a publisher does not end:\n" + publisher.output());
    }
}

}  // namespace durability::interop
