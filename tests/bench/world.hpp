// What a row is measured with: a directory and a DDS domain of its own, the daemon, stock peers.
// Every wait has a deadline; what does not happen in time throws std::runtime_error with the output
// of the process that failed.
#pragma once

#include "support/process.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace durability::bench {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

enum class Vendor {
    cyclone,
    fastdds
};
[[nodiscard]] std::string_view name(Vendor vendor);

// Longest wait for one step of a benchmark.
inline constexpr auto patience = 180s;

// What a reader of the peers said at its end, in milliseconds since it was matched.
struct Reading {
    double first_ms{};
    double last_ms{};
    double rate{};  // samples a second from its first to its last
};

class World {
  public:
    explicit World(const std::string& parent);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    [[nodiscard]] std::uint32_t domain() const { return domain_; }
    [[nodiscard]] std::filesystem::path directory() const { return directory_; }
    [[nodiscard]] std::filesystem::path state_directory() const { return directory_ / "state"; }

    // Starts the daemon and waits until it serves; answers the seconds that took.
    double start_daemon();
    // SIGTERM and SIGKILL; both return when it has ended.
    void stop_daemon();
    void kill_daemon();
    [[nodiscard]] test::Process& daemon() { return *daemon_; }
    // Samples the daemon says it has, over all topics.
    [[nodiscard]] std::uint64_t retained() const;
    // Bytes of all files of the store.
    [[nodiscard]] std::uint64_t stored_bytes() const;

    std::unique_ptr<test::Process> publisher(Vendor vendor, const Words& options) const;
    std::unique_ptr<test::Process> subscriber(Vendor vendor, const Words& options) const;
    std::unique_ptr<test::Process> start(const std::string& program, Words arguments) const;

    // Options of a writer whose whole history is to be kept, by itself and by the daemon.
    [[nodiscard]] static Words latched(std::uint32_t count, std::uint32_t size);
    // A late reader of such a history, which gives up after `timeout`.
    std::unique_ptr<test::Process> late_reader(Vendor vendor,
                                               std::uint32_t expected,
                                               std::chrono::milliseconds timeout) const;
    // Runs a late reader of that history to its end. Throws when it did not get each sample once.
    Reading join_late(Vendor vendor, std::uint32_t expected) const;
    // Lets such a writer, alone with the daemon, write everything and end.
    void leave_history(Vendor vendor, std::uint32_t count, std::uint32_t size);

  private:
    std::uint32_t domain_;
    std::filesystem::path directory_;
    std::unique_ptr<test::Process> daemon_;
};

// The line that holds `text`, or a throw.
std::string need_line(test::Process& process, std::string_view text);
// The process ends with status 0, or a throw.
void need_end(test::Process& process);
// A reader that ended: judged and read.
Reading reading(const test::Process& reader, std::uint32_t expected);

}  // namespace durability::bench
