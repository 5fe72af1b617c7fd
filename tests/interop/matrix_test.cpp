// The promise, vendor by vendor: whatever became of the writer and of the daemon, a late reader has
// every sample once, in order, byte for byte.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <deque>
#include <map>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::uint64_t samples = 30;

// What one writer left behind; every reader vendor comes late to each of these.
struct Cell {
    Vendor writer;
    Kind kind;
    bool keyed;
    Fate fate;

    std::string topic() const {
        return fmt::format("{}_{}_{}_{}", name(kind), name(writer), type(), name(fate));
    }
    std::string type() const { return keyed ? "keyed" : "unkeyed"; }
};

std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const auto writer : both_vendors) {
        for (const auto kind : {Kind::transient_local, Kind::transient, Kind::persistent}) {
            // Fast DDS 2.9 refuses to create PERSISTENT endpoints.
            if (writer == Vendor::fastdds && kind == Kind::persistent) continue;
            for (const bool keyed : {false, true}) {
                for (const auto fate : {Fate::alive, Fate::ended, Fate::killed}) {
                    cells.push_back(Cell{writer, kind, keyed, fate});
                }
            }
        }
    }
    return cells;
}

// The strongest kind `reader` can ask for of data offered as `kind`.
Kind request(Vendor reader, Kind kind) {
    if (reader == Vendor::fastdds && kind == Kind::persistent) return Kind::transient;
    return kind;
}

std::unique_ptr<Process> start_writer(const World& world, const Cell& cell) {
    return world.publisher(cell.writer,
                           {"--topic",
                            cell.topic(),
                            "--type",
                            cell.type(),
                            "--durability",
                            std::string(name(cell.kind)),
                            "--durability-service",
                            "keep_all",
                            "--cleanup-delay",
                            "infinite",
                            "--count",
                            std::to_string(samples),
                            "--keys",
                            "3",
                            "--sizes",
                            "0,1,100,1344,3000"});
}

std::unique_ptr<Process> start_reader(const World& world, const Cell& cell, Vendor vendor) {
    // It settles longer than the handover window of two seconds: what the daemon wrongly sends
    // after a living writer did counts too.
    return world.subscriber(vendor,
                            {"--topic",
                             cell.topic(),
                             "--type",
                             cell.type(),
                             "--durability",
                             std::string(name(request(vendor, cell.kind))),
                             "--expect",
                             std::to_string(samples),
                             "--settle",
                             "2.5",
                             "--timeout",
                             "45",
                             "--quiet"});
}

// Writes all cells, a few at a time; leaves the living writers in the result.
std::vector<std::unique_ptr<Process>> write_all(const World& world) {
    constexpr std::size_t at_once = 6;
    std::vector<std::unique_ptr<Process>> alive;
    const auto cells = all_cells();
    for (std::size_t start = 0; start < cells.size(); start += at_once) {
        const std::size_t end = std::min(cells.size(), start + at_once);
        std::vector<std::unique_ptr<Process>> writers;
        for (std::size_t i = start; i < end; ++i)
            writers.push_back(start_writer(world, cells[i]));
        for (std::size_t i = start; i < end; ++i) {
            auto& writer = writers[i - start];
            INFO("writer " << cells[i].topic());
            REQUIRE(not_acknowledged(*writer) == "");
            meet(*writer, cells[i].fate);
            if (cells[i].fate == Fate::alive) alive.push_back(std::move(writer));
        }
    }
    return alive;
}

// Lets both vendors come late to every cell, a dozen readers at a time, and judges each.
void read_all(const World& world, std::string_view daemon_state) {
    constexpr std::size_t at_once = 12;
    struct Reading {
        std::string what;
        std::unique_ptr<Process> reader;
    };
    std::deque<Reading> running;
    std::size_t good = 0;
    std::size_t total = 0;
    const auto judge_oldest = [&] {
        const Reading reading = std::move(running.front());
        running.pop_front();
        const std::string wrong = flaws(*reading.reader, samples);
        INFO("daemon " << daemon_state << ", " << reading.what);
        CHECK(wrong == "");
        ++total;
        if (wrong.empty()) ++good;
    };
    for (const auto& cell : all_cells()) {
        for (const auto vendor : both_vendors) {
            if (running.size() == at_once) judge_oldest();
            running.push_back(Reading{fmt::format("{} to {}", cell.topic(), name(vendor)),
                                      start_reader(world, cell, vendor)});
        }
    }
    while (!running.empty())
        judge_oldest();
    fmt::print("matrix, daemon {}: {} of {} late readers have everything once\n",
               daemon_state,
               good,
               total);
}

TEST_CASE("every late reader has everything once, whatever became of writer and daemon") {
    World world(
        "  - topic: \"transient_local_*\"\n"
        "    serve: transient_local\n"
        "    contract: { history: keep_all, cleanup_delay: infinite }\n");
    world.start_daemon();
    const auto living_writers = write_all(world);

    read_all(world, "running");

    world.stop_daemon();
    world.start_daemon();
    read_all(world, "restarted");

    world.kill_daemon();
    world.start_daemon();
    read_all(world, "killed and restarted");

    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
