// Keys: that a contract counts per instance, whatever the key of a type is made of and whoever
// writes it, and what happens where the key cannot be known.
#include "instances.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace durability::interop {
namespace {

using test::Launch;
using test::Process;

struct Cell {
    Vendor writer;
    KeyType type;

    [[nodiscard]] std::string topic(std::string_view family) const {
        return fmt::format("{}_{}_{}", family, name(writer), type.name);
    }
};

std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const auto& type : key_types) {
        for (const auto vendor : vendors_of(type))
            cells.push_back(Cell{vendor, type});
    }
    return cells;
}

// Every cell's writer does `ops` and leaves, a few at a time.
void write_all(const World& world, std::string_view family, std::string_view ops) {
    constexpr std::size_t at_once = 8;
    const auto cells = all_cells();
    for (std::size_t start = 0; start < cells.size(); start += at_once) {
        std::vector<std::unique_ptr<Operator>> writers;
        for (std::size_t i = start; i < std::min(cells.size(), start + at_once); ++i) {
            writers.push_back(std::make_unique<Operator>(
                world, cells[i].writer, cells[i].topic(family), cells[i].type.name));
        }
        for (auto& writer : writers) {
            writer->wait_matched(1);
            writer->run(ops);
        }
        for (auto& writer : writers) {
            writer->wait_acknowledged();
            writer->meet(Fate::ended);
        }
    }
}

// One writer's operations from creation to a graceful end.
void write(const World& world,
           Vendor vendor,
           const std::string& topic,
           std::string_view type,
           std::string_view ops,
           Words options = {}) {
    Operator writer(world, vendor, topic, type, std::move(options));
    writer.wait_matched(1);
    writer.run(ops);
    writer.wait_acknowledged();
    writer.meet(Fate::ended);
}

TEST_CASE("without a daemon, readers of both vendors know the instances of every type", "[keys]") {
    // The comparison itself, with living transient-local writers. Cyclone DDS keeps a sample of
    // each instance there, Fast DDS all of them.
    constexpr std::string_view ops = "w1 w2 w3";
    const World world;
    std::vector<std::unique_ptr<Process>> writers;
    Examination readers(world);
    for (const auto& cell : all_cells()) {
        writers.push_back(world.publisher(cell.writer,
                                          {"--topic",
                                           cell.topic("direct"),
                                           "--type",
                                           std::string(cell.type.name),
                                           "--durability",
                                           "transient_local",
                                           "--wait-matched",
                                           "0",
                                           "--ops",
                                           std::string(ops)}));
        if (writers.size() % 6 != 0) continue;
        for (const auto& writer : writers)
            REQUIRE(not_acknowledged(*writer) == "");
    }
    for (const auto& cell : all_cells()) {
        for (const auto reader : vendors_of(cell.type)) {
            readers.add(Question{cell.topic("direct"),
                                 reader,
                                 cell.topic("direct"),
                                 std::string(cell.type.name),
                                 after_keeping(ops, 1),
                                 {}});
        }
    }
    // Newer versions of a type, one of them under a name of its own.
    for (const std::string type : {"AppendableKey2", "AppendableKey3"}) {
        readers.add(Question{type,
                             Vendor::cyclone,
                             "direct_cyclone_AppendableKey",
                             type,
                             after_keeping(ops, 1),
                             {}});
    }
    readers.finish("keys, no daemon");
}

TEST_CASE("keep last 1 keeps the newest sample of each instance, for every type of key", "[keys]") {
    constexpr std::string_view ops = "w1 w2 w3 w1 w2 w3 w3 w1";
    World world(
        "  - topic: \"last_*\"\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n");
    world.start_daemon();
    write_all(world, "last", ops);

    Examination readers(world);
    for (const auto& cell : all_cells()) {
        for (const auto reader : vendors_of(cell.type)) {
            readers.add(Question{cell.topic("last"),
                                 reader,
                                 cell.topic("last"),
                                 std::string(cell.type.name),
                                 after_keeping(ops, 1),
                                 {}});
        }
    }
    readers.finish("keys, keep last 1");
    world.stop_daemon();
}

TEST_CASE("the depth of an instance counts over all its writers", "[keys]") {
    World world(
        "  - topic: \"shared_*\"\n"
        "    contract: { history: keep_last, depth: 2, scope: topic, cleanup_delay: infinite }\n");
    world.start_daemon();
    Examination readers(world);
    for (const auto vendor : both_vendors) {
        const std::string topic = fmt::format("shared_{}", name(vendor));
        Operator first(world, vendor, topic, "StringKey");
        Operator second(world, vendor, topic, "StringKey", {"--start-seq", "11"});
        for (auto* writer : {&first, &second})
            writer->wait_matched(1);
        // One after the other, so that the daemon receives them in this order.
        for (const auto& [writer, ops] : std::vector<std::pair<Operator*, std::string_view>>{
                 {&first, "w1 w1"}, {&second, "w1"}, {&first, "w1 w3"}, {&second, "w1"}}) {
            writer->run(ops);
            writer->wait_acknowledged();
        }
        for (auto* writer : {&first, &second})
            writer->meet(Fate::ended);
        InstanceTable expected;
        expected[1] = Knowledge{"ALIVE", 2, 12, 0, 0};  // 3 of the first writer, 12 of the second
        expected[3] = Knowledge{"ALIVE", 1, 4, 0, 0};
        for (const auto reader : both_vendors)
            readers.add(Question{topic, reader, topic, "StringKey", expected, {}});
    }
    readers.finish("keys, two writers");
    world.stop_daemon();
}

TEST_CASE("a fast instance evicts nothing of a slow one, and too many instances free the oldest",
          "[keys]") {
    World world(
        "  - topic: \"fast_*\"\n"
        "    contract: { history: keep_last, depth: 5, cleanup_delay: infinite }\n"
        "  - topic: \"few_*\"\n"
        "    contract: { history: keep_last, depth: 3, max_instances: 2,"
        " cleanup_delay: infinite }\n");
    world.start_daemon();
    Examination readers(world);
    for (const auto vendor : both_vendors) {
        const std::string fast = fmt::format("fast_{}", name(vendor));
        const std::string few = fmt::format("few_{}", name(vendor));
        constexpr std::string_view uneven = "w1 w3 200*w2 w3";
        write(world, vendor, fast, "NestedKey", uneven);
        write(world, vendor, few, "LongKey", "w1 w1 w2 w2 w3");
        auto freed = after_keeping("w1 w1 w2 w2 w3", 3);
        freed.erase(1);
        for (const auto reader : both_vendors) {
            readers.add(Question{fast, reader, fast, "NestedKey", after_keeping(uneven, 5), {}});
            readers.add(Question{few, reader, few, "LongKey", freed, {}});
        }
    }
    readers.finish("keys, limits");
    world.stop_daemon();
}

TEST_CASE("a key nobody describes costs no sample and merges no instances", "[keys]") {
    // Not a word on its type: as if generated without type information. Fast DDS always tells the
    // key hash to our reader, so only Cyclone DDS can leave a key unknown.
    constexpr std::string_view ops = "w1 w2 w1 w2";
    World world(
        "  - topic: \"unknown_*\"\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n");
    world.start_daemon();
    Examination readers(world);
    for (const std::string type : {"IntKey", "StringKey"}) {
        const std::string topic = "unknown_" + type;
        write(world, Vendor::cyclone, topic, type, ops, {"--type-information", "no"});
        INFO(topic);
        CHECK(world.daemon().wait_line("event=KeyUnresolved", patience).has_value());
        // Limits per instance cannot be applied, so everything is kept.
        for (const auto reader : both_vendors) {
            readers.add(Question{topic, reader, topic, type, after(ops, true, reader), {}});
        }
    }
    readers.finish("keys, unknown");
    world.stop_daemon();
}

TEST_CASE("key hashes that a writer sends do without a type description", "[keys]") {
    constexpr std::string_view ops = "w1 w2 w1 w2";
    World world(
        "  - topic: \"hashed_*\"\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n");
    world.start_daemon();
    Examination readers(world);
    for (const std::string type : {"IntKey", "StringKey", "LongKey"}) {
        const std::string topic = "hashed_" + type;
        write(world,
              Vendor::cyclone,
              topic,
              type,
              ops,
              {"--type-information", "no", "--key-hashes", "yes"});
        for (const auto reader : both_vendors)
            readers.add(Question{topic, reader, topic, type, after_keeping(ops, 1), {}});
    }
    readers.finish("keys, hashes");
    CHECK_FALSE(world.daemon().wait_line("event=KeyUnresolved", 0ms).has_value());
    world.stop_daemon();
}

TEST_CASE("a key layout in the rule stands in for a type description", "[keys]") {
    constexpr std::string_view ops = "w1 w2 w1 w2";
    World world(
        "  - topic: \"told_IntKey\"\n"
        "    key: [int32]\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n"
        "  - topic: \"told_StringKey\"\n"
        "    key: [string]\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n");
    world.start_daemon();
    Examination readers(world);
    for (const std::string type : {"IntKey", "StringKey"}) {
        const std::string topic = "told_" + type;
        write(world, Vendor::cyclone, topic, type, ops, {"--type-information", "no"});
        for (const auto reader : both_vendors)
            readers.add(Question{topic, reader, topic, type, after_keeping(ops, 1), {}});
    }
    readers.finish("keys, told by a rule");
    CHECK_FALSE(world.daemon().wait_line("event=KeyUnresolved", 0ms).has_value());
    world.stop_daemon();
}

TEST_CASE("a reader with a newer, assignable version of the type is served", "[keys]") {
    // It asks the participants of matching writers for the older version's description. When the
    // source is gone, and after a restart, there is only the daemon to answer.
    constexpr std::string_view ops = "w1 w2 w3 w1";
    World world(
        "  - topic: \"newer\"\n"
        "    contract: { history: keep_last, depth: 1, cleanup_delay: infinite }\n");
    world.start_daemon();
    write(world, Vendor::cyclone, "newer", "AppendableKey", ops);
    for (const bool restarted : {false, true}) {
        if (restarted) {
            world.stop_daemon();
            world.start_daemon();
        }
        INFO("restarted " << restarted);
        Examination readers(world);
        // The last one has another type name, too: without a description it would not even match.
        for (const std::string type : {"AppendableKey", "AppendableKey2", "AppendableKey3"}) {
            readers.add(Question{type, Vendor::cyclone, "newer", type, after_keeping(ops, 1), {}});
        }
        readers.finish("keys, newer type");
    }
    world.stop_daemon();
}

// The one place that knows how `durabilityctl instances` presents itself.
void check_instances(const World& world, const std::string& topic, const Words& keys) {
    for (const bool json : {true, false}) {
        Launch launch{
            DURABILITYCTL_BINARY,
            {"instances", topic, "--socket", (world.directory() / "run" / "control.sock").string()},
            {}};
        if (json) launch.arguments.emplace_back("--json");
        Process ctl(launch);
        const auto ended = ctl.wait(patience);
        REQUIRE(ended.has_value());
        INFO(ctl.output());
        CHECK(ended->status == 0);
        for (const auto& key : keys) {
            CAPTURE(key);
            CHECK(ctl.output().find(key) != std::string::npos);
        }
        if (!json) continue;
        for (const std::string member : {"\"key\"", "\"key_hash\"", "\"state\"", "\"samples\""}) {
            CAPTURE(member);
            CHECK(ctl.output().find(member) != std::string::npos);
        }
    }
}

TEST_CASE("durabilityctl names the instances of a topic by their keys", "[keys]") {
    World world(
        "  - topic: \"named_*\"\n"
        "    contract: { history: keep_all, cleanup_delay: infinite }\n");
    world.start_daemon();
    write(world, Vendor::cyclone, "named_IntKey", "IntKey", "w1 w2 d2");
    write(world, Vendor::cyclone, "named_StringKey", "StringKey", "w1 w2 d2");
    check_instances(world, "named_IntKey", {"1", "2"});
    check_instances(world, "named_StringKey", {"key-2", "instance-name-longer-than-16-1"});
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
