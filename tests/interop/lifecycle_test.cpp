// Lifecycle: a late reader ends with the instance states of a reader that was there from the start,
// whatever was written, disposed and unregistered, and whatever became of writer and daemon.
#include "instances.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::string_view keep_everything =
    "  - topic: \"life_*\"\n"
    "    contract: { history: keep_all, cleanup_delay: infinite }\n";

struct Cell {
    Vendor writer;
    std::string type;
    std::string ops;
    bool autodispose;

    [[nodiscard]] std::string topic() const {
        std::string text = fmt::format(
            "life_{}_{}_{}_{}", name(writer), type, autodispose ? "auto" : "plain", ops);
        std::replace(text.begin(), text.end(), ' ', '_');
        return text;
    }
    [[nodiscard]] Words options() const { return {"--autodispose", autodispose ? "yes" : "no"}; }
};

// A durable Fast DDS 2.9 writer that has unregistered an instance never again reports anything as
// acknowledged, so that there is no telling when the daemon has it: there, unregistering comes
// last.
std::string basic_ops(Vendor writer) {
    return writer == Vendor::cyclone ? "w1 w2 w3 d1 u2 w3" : "w1 w2 w3 d1 w3 u2";
}

// A few types with every script, every type with a few.
std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const auto writer : both_vendors) {
        const std::vector<std::pair<std::string, bool>> scripts{
            {"w1 d1 w1", true}, {"w1 u1", true}, {"w1 u1", false}, {"w1 w2 d2 w2 d2", true}};
        for (const auto& [ops, autodispose] : scripts)
            cells.push_back(Cell{writer, "StringKey", ops, autodispose});
    }
    cells.push_back(Cell{Vendor::cyclone, "StringKey", "w1 u1 w1", false});
    // Fast DDS has no write-dispose.
    cells.push_back(Cell{Vendor::cyclone, "LongKey", "w1 w2 x1", true});
    for (const auto& type : key_types) {
        for (const auto writer : vendors_of(type)) {
            cells.push_back(Cell{writer, std::string(type.name), basic_ops(writer), false});
            if (type.name != "IntKey" && type.name != "StringKey") continue;
            cells.push_back(Cell{writer, std::string(type.name), basic_ops(writer), true});
        }
    }
    return cells;
}

// Whether a reader that was there from the start sees what the writer did at all. A Fast DDS
// reader takes Cyclone DDS's key payload for the key hash and so disposes an instance that does not
// exist; a Cyclone DDS reader cannot use an MD5. The daemon sends each what it understands, so that
// its late readers are better off than the early ones here.
bool understands(Vendor reader, const Cell& cell) {
    if (reader == cell.writer) return true;
    return reader == Vendor::cyclone && key_type(cell.type).fits_hash;
}

Question question(const Cell& cell, Vendor reader) {
    return Question{cell.topic(),
                    reader,
                    cell.topic(),
                    cell.type,
                    after(cell.ops, cell.autodispose, reader),
                    {}};
}

// A writer with a reader of each vendor that understands it, there from the start.
struct Scene {
    Cell cell;
    std::unique_ptr<Operator> writer;
    std::vector<std::pair<Vendor, std::unique_ptr<Process>>> readers;
};

Scene open(const World& world, const Cell& cell) {
    Scene scene{cell, nullptr, {}};
    for (const auto vendor : vendors_of(key_type(cell.type))) {
        if (!understands(vendor, cell)) continue;
        auto early = question(cell, vendor);
        // Until it is told to leave, or does not get to know what it should.
        early.options = {"--settle", "60", "--timeout", "30"};
        scene.readers.emplace_back(vendor, ask(world, early));
    }
    scene.writer =
        std::make_unique<Operator>(world, cell.writer, cell.topic(), cell.type, cell.options());
    return scene;
}

// All are matched both ways, with each other and with the daemon if there is one, and then the
// operations begin: a volatile reader may miss what is written before.
void operate(Scene& scene, std::size_t daemons) {
    scene.writer->wait_matched(scene.readers.size() + daemons);
    for (auto& [vendor, reader] : scene.readers) {
        if (reader->wait_line(fmt::format("MATCHED {}", 1 + daemons), patience)) continue;
        throw std::runtime_error("an early reader is not matched:\n" + reader->output());
    }
    scene.writer->run(scene.cell.ops);
}

// A reader that left without having acknowledged everything would hold its writer up until its
// lease has run out, so the writer comes first.
void judge_early(Scene& scene) {
    for (auto& [vendor, reader] : scene.readers)
        reader->wait_line("KNOWN", 10s);
    scene.writer->wait_acknowledged();
    for (auto& [vendor, reader] : scene.readers) {
        reader->write_line("exit");
        INFO(scene.cell.topic() << " to " << name(vendor) << ", there from the start");
        CHECK(table_flaws(*reader, question(scene.cell, vendor).expected) == "");
    }
}

template <class Visit>
void in_batches(const std::vector<Cell>& cells, Visit visit) {
    constexpr std::size_t at_once = 20;  // most of the time they wait for a heartbeat
    for (std::size_t start = 0; start < cells.size(); start += at_once) {
        const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(start);
        const auto end =
            cells.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), start + at_once));
        visit(std::vector<Cell>(begin, end));
    }
}

void live_through(const World& world, const std::vector<Cell>& cells, std::size_t daemons) {
    in_batches(cells, [&](const std::vector<Cell>& batch) {
        std::vector<Scene> scenes;
        for (const auto& cell : batch)
            scenes.push_back(open(world, cell));
        for (auto& scene : scenes)
            operate(scene, daemons);
        for (auto& scene : scenes) {
            judge_early(scene);
            scene.writer->meet(Fate::ended);
        }
    });
}

void read_late(const World& world, const std::vector<Cell>& cells, std::string_view title) {
    Examination readers(world);
    for (const auto& cell : cells) {
        for (const auto vendor : vendors_of(key_type(cell.type)))
            readers.add(question(cell, vendor));
    }
    readers.finish(title);
}

TEST_CASE("without a daemon, a reader that is there from the start sees every operation",
          "[lifecycle]") {
    const World world;
    live_through(world, all_cells(), 0);
}

TEST_CASE("a late reader knows every instance as a reader that was there from the start",
          "[lifecycle]") {
    World world(keep_everything);
    world.start_daemon();
    live_through(world, all_cells(), 1);
    read_late(world, all_cells(), "lifecycle, writers gone");
    world.kill_daemon();
    world.start_daemon();
    read_late(world, all_cells(), "lifecycle, daemon killed and restarted");
    world.stop_daemon();
}

// One type whose keys fit a key hash, one whose keys do not, both writers.
template <class OpsOf>
std::vector<Cell> few_cells(OpsOf ops_of) {
    std::vector<Cell> cells;
    for (const auto writer : both_vendors) {
        for (const std::string type : {"IntKey", "StringKey"})
            cells.push_back(Cell{writer, type, ops_of(writer), false});
    }
    return cells;
}

TEST_CASE("a reader that comes while the writer lives knows the instances too", "[lifecycle]") {
    World world(keep_everything);
    world.start_daemon();
    const auto cells = few_cells(basic_ops);
    std::vector<std::unique_ptr<Operator>> writers;
    for (const auto& cell : cells) {
        writers.push_back(std::make_unique<Operator>(
            world, cell.writer, cell.topic(), cell.type, cell.options()));
        writers.back()->wait_matched(1);
        writers.back()->run(cell.ops);
    }
    for (auto& writer : writers)
        writer->wait_acknowledged();
    read_late(world, cells, "lifecycle, writers alive");
    world.stop_daemon();
}

TEST_CASE("a kill of the daemon between operations changes nothing about the instances",
          "[lifecycle]") {
    World world(keep_everything);
    world.start_daemon();
    const std::string before = "w1 w2 w3 w4 d1";
    const std::string behind = "w1 d3 w4 u2";
    const auto cells = few_cells([&](Vendor) { return before + " " + behind; });
    std::vector<std::unique_ptr<Operator>> writers;
    for (const auto& cell : cells) {
        writers.push_back(std::make_unique<Operator>(
            world, cell.writer, cell.topic(), cell.type, cell.options()));
        writers.back()->wait_matched(1);
        writers.back()->run(before);
    }
    for (auto& writer : writers)
        writer->wait_acknowledged();
    world.kill_daemon();
    // What is done while it is away reaches it when it is back.
    for (auto& writer : writers)
        writer->run(behind);
    world.start_daemon();
    for (auto& writer : writers) {
        writer->wait_acknowledged();
        writer->meet(Fate::ended);
    }
    read_late(world, cells, "lifecycle, daemon killed in between");
    world.stop_daemon();
}

TEST_CASE("the loss of a writer disposes nothing", "[lifecycle]") {
    // A reader that was there from the start does not tell the truth here: Cyclone DDS takes the
    // instances of a lost Cyclone DDS writer with autodispose for disposed, and of others for
    // without writers. The late reader has the daemon for a writer, so that they are alive.
    World world(keep_everything);
    world.start_daemon();
    auto cells = few_cells([](Vendor) { return std::string("w1 w2 d2 w3"); });
    for (auto& cell : cells) {
        cell.autodispose = true;
        Operator writer(world, cell.writer, cell.topic(), cell.type, cell.options());
        writer.wait_matched(1);
        writer.run(cell.ops);
        writer.wait_acknowledged();
        writer.meet(Fate::killed);
    }
    read_late(world, cells, "lifecycle, writers killed");
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
