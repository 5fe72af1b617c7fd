// What the interop scenarios are told with: the real daemon in directories of its own, publishers
// and subscribers of both vendors, and what a subscriber said it received.
#pragma once

#include "support/process.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace durability::interop {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

enum class Vendor {
    cyclone,
    fastdds
};
enum class Kind {
    transient_local,
    transient,
    persistent
};

std::string_view name(Vendor vendor);
std::string_view name(Kind kind);  // as the peers' --durability wants it

inline constexpr std::array both_vendors{Vendor::cyclone, Vendor::fastdds};

// Longest wait for anything that must happen. Discovery between two Fast DDS processes alone can
// take three seconds, and a killed one is noticed after its lease of twenty.
inline constexpr auto patience = 60s;

// A directory that goes away with its owner.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// A rule that has the latched topics of a test kept whole, also where their writers offer
// TRANSIENT_LOCAL only.
inline constexpr std::string_view serve_latched =
    "  - topic: \"latched_*\"\n"
    "    serve: transient_local\n"
    "    contract: { history: keep_all, cleanup_delay: infinite }\n";

// One scenario's world: a DDS domain nobody else in this program uses, a directory, a daemon.
// Worlds may be made in several threads; each belongs to one.
class World {
  public:
    // `topics` is the YAML list under `topics:`, `more` other sections; both may be empty.
    explicit World(std::string_view topics = "", std::string_view more = "");
    // On a domain that another one has: a second daemon.
    World(std::uint32_t domain, std::string_view topics, std::string_view more);

    // For the next start of the daemon.
    void configure(std::string_view topics, std::string_view more) const;

    [[nodiscard]] std::uint32_t domain() const { return domain_; }
    [[nodiscard]] std::filesystem::path directory() const { return directory_.path(); }
    [[nodiscard]] std::filesystem::path state_directory() const;

    // Starts the daemon and waits until it serves. Throws std::runtime_error with its output
    // otherwise.
    void start_daemon();
    // From now on the daemon is started by this command, which has to become it: prlimit, say.
    void start_daemon_with(Words command) { daemon_prefix_ = std::move(command); }
    // From now on the daemon is started with these in place of `--interface lo`.
    void use_daemon_interfaces(Words options) { daemon_interfaces_ = std::move(options); }
    // From now on peers are started by this command, which has to become them.
    void start_peers_with(Words command) { peer_prefix_ = std::move(command); }
    // From now on the daemon is started with these too.
    void add_daemon_options(Words options) { daemon_options_ = std::move(options); }
    // One more process on the same directories, whatever becomes of it.
    std::unique_ptr<test::Process> launch_daemon() const;
    void stop_daemon();  // SIGTERM; throws when it does not end with status 0
    void kill_daemon();  // SIGKILL
    [[nodiscard]] test::Process& daemon() { return *daemon_; }

    // A peer on this world's domain. `options` follow the subcommand; a Fast DDS peer that needs
    // persistence settings gets them.
    std::unique_ptr<test::Process> publisher(Vendor vendor, const Words& options) const;
    std::unique_ptr<test::Process> subscriber(Vendor vendor, const Words& options) const;

  private:
    std::unique_ptr<test::Process> peer(Vendor vendor,
                                        std::string_view command,
                                        const Words& options) const;

    std::uint32_t domain_;
    TemporaryDirectory directory_;
    Words daemon_prefix_;
    Words daemon_interfaces_{"--interface", "lo"};
    Words daemon_options_;
    Words peer_prefix_;
    std::unique_ptr<test::Process> daemon_;
    mutable std::uint32_t next_file_{0};
};

// A SUMMARY line of a subscriber.
struct Summary {
    std::uint64_t valid{};
    std::uint64_t duplicates{};
    std::uint64_t out_of_order{};
    std::uint64_t bad{};
    double first_ms{-1};  // from the match, -1: never
    double last_ms{-1};
    double match_ms{-1};     // from the creation of the reader
    std::uint64_t lowest{};  // number of a sample
    std::uint64_t highest{};
};

// Throws std::runtime_error with the line when it is not a whole SUMMARY.
Summary parse_summary(const std::string& line);

// Waits for the end of a subscriber; one entry for each reader, in order.
std::vector<Summary> summaries(test::Process& subscriber);

// Whether every one of `readers` readers received `expected` samples once, in order, byte for byte.
// Empty when so, else what is wrong.
std::string flaws(test::Process& subscriber, std::uint64_t expected, std::size_t readers = 1);

// Whether a peer that printed `lines` lost sight of any endpoint of the other side.
bool lost_a_match(const Words& lines);

// What durabilityctl says to people, on stdout and stderr.
std::string run_tool(const World& world, Words words);

// The same once it contains every one of `expected`, or when patience ends.
std::string run_tool_until(const World& world, const Words& words, const Words& expected);

// What durabilityctl answers for machines; empty when it does not.
std::string ask_daemon(const World& world, Words words);

// Waits until the daemon has met `matches` readers of the topic, one counted for each durability in
// which it serves it, and none of them waits for history. False when patience ends first.
bool await_served(const World& world, const std::string& topic, std::size_t matches);

// Waits for a publisher's ACKED line, after which the samples are the daemon's to keep.
// Empty, or what it said instead.
std::string not_acknowledged(test::Process& publisher);

enum class Fate {
    alive,
    ended,
    killed
};
std::string_view name(Fate fate);

// Lets a publisher live, asks it to end, or kills it. Returns when it has happened.
void meet(test::Process& publisher, Fate fate);

}  // namespace durability::interop
