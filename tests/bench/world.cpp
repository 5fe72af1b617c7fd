#include "world.hpp"

#include "numbers.hpp"

#include "control/client.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

namespace durability::bench {
namespace {

using test::Launch;
using test::Process;
namespace fs = std::filesystem;

// One domain a world, so that participants whose leases still run disturb nobody. Below 90 the
// ports of a domain stay clear of those the system hands out.
std::uint32_t next_domain() {
    static std::uint32_t next = 0;
    return next++ % 90;
}

// The reader's own deadline; it explains a failure better than ours.
constexpr auto reader_timeout = std::chrono::duration_cast<std::chrono::seconds>(patience) - 30s;

}  // namespace

std::string_view name(Vendor vendor) {
    switch (vendor) {
        case Vendor::cyclone:
            return "Cyclone";
        case Vendor::fastdds:
            return "Fast DDS";
    }
    return "?";
}

World::World(const std::string& parent) : domain_(next_domain()) {
    std::string pattern = (fs::path(parent) / "durability-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
    directory_ = pattern;
    fs::create_directory(state_directory());
    fs::create_directory(directory_ / "run");
    std::ofstream config(directory_ / "durabilityd.yaml");
    config
        << "topics:\n"
           "  - topic: \"*\"\n"
           "    serve: transient_local\n"
           "    storage: disk\n"
           "    contract: { history: keep_all, max_samples: unlimited, cleanup_delay: infinite }\n";
}

World::~World() {
    daemon_.reset();
    std::error_code ignored;  // what is left is in a directory for temporary files
    fs::remove_all(directory_, ignored);
}

double World::start_daemon() {
    const auto started = Clock::now();
    daemon_ = start(DURABILITYD_BINARY,
                    {"--config",
                     (directory_ / "durabilityd.yaml").string(),
                     "--state-dir",
                     state_directory().string(),
                     "--runtime-dir",
                     (directory_ / "run").string(),
                     "--domain",
                     std::to_string(domain_),
                     "--interface",
                     "lo"});
    need_line(*daemon_, "event=Ready");
    return std::chrono::duration<double>(Clock::now() - started).count();
}

void World::stop_daemon() {
    daemon_->kill(SIGTERM);
    need_end(*daemon_);
}

void World::kill_daemon() {
    daemon_->kill(SIGKILL);
    if (!daemon_->wait(patience)) throw std::runtime_error("the daemon survives SIGKILL");
}

std::uint64_t World::retained() const {
    const auto reply = control::ask((directory_ / "run" / "control.sock").string(),
                                    control::Request{control::Command::topics, false});
    if (!reply) throw std::runtime_error(reply.error().text());
    std::uint64_t samples = 0;
    for (const auto& domain : reply->status.domains) {
        for (const auto& topic : domain.topics)
            samples += topic.retained_samples;
    }
    return samples;
}

std::uint64_t World::stored_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(state_directory())) {
        if (entry.is_regular_file()) bytes += entry.file_size();
    }
    return bytes;
}

std::unique_ptr<Process> World::start(const std::string& program, Words arguments) const {
    return std::make_unique<Process>(Launch{program, std::move(arguments), {}});
}

std::unique_ptr<Process> World::publisher(Vendor vendor, const Words& options) const {
    Words arguments{"pub", "--domain", std::to_string(domain_), "--topic", "bench", "--bench"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return start(vendor == Vendor::cyclone ? PEER_CYCLONE_BINARY : PEER_FASTDDS_BINARY, arguments);
}

std::unique_ptr<Process> World::subscriber(Vendor vendor, const Words& options) const {
    Words arguments{"sub",
                    "--domain",
                    std::to_string(domain_),
                    "--topic",
                    "bench",
                    "--bench",
                    "--timeout",
                    std::to_string(reader_timeout.count())};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return start(vendor == Vendor::cyclone ? PEER_CYCLONE_BINARY : PEER_FASTDDS_BINARY, arguments);
}

Words World::latched(std::uint32_t count, std::uint32_t size) {
    return {"--durability",
            "transient_local",
            "--durability-service",
            "keep_all",
            "--cleanup-delay",
            "infinite",
            "--count",
            std::to_string(count),
            "--size",
            std::to_string(size),
            "--timeout",
            std::to_string(reader_timeout.count())};
}

void World::leave_history(Vendor vendor, std::uint32_t count, std::uint32_t size) {
    const auto writer = publisher(vendor, latched(count, size));
    need_line(*writer, "ACKED ");
    writer->write_line("exit");
    need_end(*writer);
    const auto kept = retained();
    if (kept != count)
        throw std::runtime_error(fmt::format("{} of {} acknowledged samples kept", kept, count));
}

std::unique_ptr<Process> World::late_reader(Vendor vendor,
                                            std::uint32_t expected,
                                            std::chrono::milliseconds timeout) const {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(timeout);
    return subscriber(vendor,
                      {"--durability",
                       "transient_local",
                       "--expect",
                       std::to_string(expected),
                       "--timeout",
                       std::to_string(seconds.count())});
}

Reading World::join_late(Vendor vendor, std::uint32_t expected) const {
    const auto reader = late_reader(vendor, expected, reader_timeout);
    need_end(*reader);
    return reading(*reader, expected);
}

std::string need_line(Process& process, std::string_view text) {
    auto line = process.wait_line(text, patience);
    if (!line) throw std::runtime_error(fmt::format("no '{}' in:\n{}", text, process.output()));
    return *line;
}

void need_end(Process& process) {
    const auto ended = process.wait(patience);
    if (!ended) throw std::runtime_error("does not end:\n" + process.output());
    if (ended->status == 0) return;
    throw std::runtime_error(fmt::format(
        "ended with status {}, signal {}:\n{}", ended->status, ended->signal, process.output()));
}

Reading reading(const Process& reader, std::uint32_t expected) {
    Reading result;
    std::string summary;
    for (const auto& line : reader.lines()) {
        if (line.starts_with("SUMMARY ")) summary = line;
        if (line.starts_with("BENCH ")) result.rate = field(line, "rate");
    }
    if (summary.empty()) throw std::runtime_error("no summary in:\n" + reader.output());
    const bool whole = field(summary, "valid") == expected && field(summary, "duplicates") == 0 &&
                       field(summary, "out_of_order") == 0;
    if (!whole) throw std::runtime_error(fmt::format("not {} samples once: {}", expected, summary));
    result.first_ms = field(summary, "first_ms");
    result.last_ms = field(summary, "last_ms");
    return result;
}

}  // namespace durability::bench
