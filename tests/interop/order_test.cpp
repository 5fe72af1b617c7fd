// Order: no reader ends with a value of the daemon's above a newer one of a living writer, also
// when that writer goes on while the history arrives. One that goes on while a reader is being met
// serves late readers itself: with a TRANSIENT writer of Cyclone DDS what it writes in that moment
// may reach the reader from both or from nobody (fact sheet 5.5). Such a one begins once the reader
// has been met.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <thread>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::uint32_t keys = 4;
constexpr std::uint32_t history = 2000;

struct Source {
    Vendor vendor;
    Kind kind;
};

struct ReaderKind {
    Vendor vendor;
    std::string order;
    bool lazy;  // looks at what there is in the end only
};

// Fast DDS 2.9 refuses readers that are ordered by source timestamp. All its readers keep their
// history in that order, as long as nothing is taken out of it; how much a reader keeps it does not
// announce, so one that has taken a value may be given what came before (fact sheet 2.4, 5.4).
std::vector<ReaderKind> reader_kinds() {
    return {{Vendor::cyclone, "reception", false},
            {Vendor::cyclone, "reception", true},
            {Vendor::cyclone, "source", false},
            {Vendor::cyclone, "source", true},
            {Vendor::fastdds, "reception", true}};
}

std::unique_ptr<Process> start_writer(const World& world,
                                      const std::string& topic,
                                      Source source,
                                      std::uint32_t first,
                                      const Words& more) {
    Words options{"--topic",
                  topic,
                  "--type",
                  "keyed",
                  "--durability",
                  std::string(name(source.kind)),
                  "--durability-service",
                  "keep_all",
                  "--cleanup-delay",
                  "infinite",
                  "--keys",
                  std::to_string(keys),
                  "--start-seq",
                  std::to_string(first),
                  "--size",
                  "1500"};
    // A reader ordered by source timestamp wants its writer to offer that.
    if (source.vendor == Vendor::cyclone)
        options.insert(options.end(), {"--destination-order", "source"});
    options.insert(options.end(), more.begin(), more.end());
    return world.publisher(source.vendor, options);
}

std::unique_ptr<Process> start_reader(const World& world,
                                      const ReaderKind& kind,
                                      const std::string& topic) {
    Words options{"--topic",
                  topic,
                  "--type",
                  "keyed",
                  "--durability",
                  "transient_local",
                  "--history",
                  "keep_last:1",
                  "--destination-order",
                  kind.order,
                  "--stay",
                  "--quiet",
                  "--report",
                  "states",
                  "--timeout",
                  "200"};
    if (kind.lazy) options.emplace_back("--lazy");
    return world.subscriber(kind.vendor, options);
}

std::uint32_t number_behind(const std::string& line, std::string_view key) {
    const auto at = line.find(key);
    return at == std::string::npos
               ? 0
               : static_cast<std::uint32_t>(std::stoul(line.substr(at + key.size())));
}

// Empty when the last value taken of each instance is the newest one written, and none came twice.
std::string misplaced(Process& reader, std::uint32_t last) {
    reader.write_line("exit");
    if (!reader.wait(patience)) return "does not end:\n" + reader.output();
    std::map<std::uint32_t, std::uint32_t> ended;  // by instance
    std::string wrong;
    for (const std::string& line : reader.lines()) {
        if (!line.starts_with("STATE ")) continue;
        ended[number_behind(line, "instance=")] = number_behind(line, " last=");
        if (line.find(" duplicates=0") == std::string::npos) wrong += line + "\n";
    }
    for (std::uint32_t number = last - keys + 1; number <= last; ++number) {
        if (ended[number % keys] == number) continue;
        wrong += fmt::format("instance {} ends with {} instead of {}\n",
                             number % keys,
                             ended[number % keys],
                             number);
    }
    return wrong.empty() ? wrong : wrong + reader.output();
}

// One writer left a history, another one goes on with the same instances while readers come, and
// falls silent as soon as they have come: what they end with is what it wrote last.
void join_in_mid_stream(World& world, Source goes, Source stays) {
    const std::string topic =
        fmt::format("latched_{}_{}_{}", name(goes.vendor), name(stays.vendor), name(stays.kind));
    const auto gone = start_writer(world, topic, goes, 1, {"--count", std::to_string(history)});
    REQUIRE(not_acknowledged(*gone) == "");
    meet(*gone, Fate::ended);
    const auto living = start_writer(
        world, topic, stays, history + 1, {"--burst", "4", "--rate", "400", "--wait-matched", "1"});
    REQUIRE(living->wait_line("ACKED ", patience).has_value());
    const bool by_source = goes.vendor == Vendor::cyclone && stays.vendor == Vendor::cyclone;
    for (const ReaderKind& kind : reader_kinds()) {
        if (kind.order == "source" && !by_source) continue;
        const auto reader = start_reader(world, kind, topic);
        REQUIRE(reader->wait_line("MATCHED ", patience).has_value());
        // It falls silent when the reader has just been met.
        const std::size_t from = living->line_count();
        living->write_line("pause");
        const auto paused = living->wait_line("PAUSED ", patience, from);
        REQUIRE(paused.has_value());
        const std::uint32_t last = history + number_behind(*paused, "PAUSED ");
        REQUIRE(await_served(world, topic, goes.kind == stays.kind ? 1 : 2));
        INFO(topic << " to " << name(kind.vendor) << ", by " << kind.order
                   << (kind.lazy ? ", lazy" : ""));
        CHECK(misplaced(*reader, last) == "");
        living->write_line("resume");
    }
    living->write_line("exit");
}

// Some of its history has been sent to the only reader of the topic, and some has not.
bool await_replaying(const World& world, const std::string& topic) {
    constexpr std::string_view sent = "\"sent\":";
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
        const std::string text = ask_daemon(world, {"readers", topic});
        if (text.find("\"replaying\"") != std::string::npos) {
            for (auto at = text.find(sent); at != std::string::npos; at = text.find(sent, at + 1)) {
                if (number_behind(text.substr(at), sent) > 50) return true;
            }
        }
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

// Says how much it has written in all once that is more than `least`.
std::uint32_t write_some(Process& writer, std::uint32_t least) {
    while (true) {
        const std::size_t from = writer.line_count();
        writer.write_line("resume");
        writer.write_line("pause");
        const auto paused = writer.wait_line("PAUSED ", patience, from);
        if (!paused) return 0;
        if (const std::uint32_t written = number_behind(*paused, "PAUSED "); written >= least)
            return written;
    }
}

// The living writer begins when a part of the history, which is sent slowly, has arrived. Returns
// how many readers something was withheld from; on a busy machine the history may have arrived
// before the writer wrote.
int go_on_during_replay(World& world, Source goes, Source stays) {
    const std::string topic =
        fmt::format("latched_{}_{}_{}", name(goes.vendor), name(goes.kind), name(stays.kind));
    const auto gone = start_writer(world, topic, goes, 1, {"--count", std::to_string(history)});
    REQUIRE(not_acknowledged(*gone) == "");
    meet(*gone, Fate::ended);
    const auto living = start_writer(
        world, topic, stays, history + 1, {"--burst", "4", "--rate", "400", "--wait-matched", "1"});
    REQUIRE(living->wait_line("ACKED ", patience).has_value());
    std::uint32_t written = write_some(*living, 4);
    int withheld = 0;
    for (const ReaderKind& kind : reader_kinds()) {
        if (kind.order == "source" && goes.vendor != Vendor::cyclone) continue;
        INFO(topic << " to " << name(kind.vendor) << ", by " << kind.order
                   << (kind.lazy ? ", lazy" : ""));
        const std::size_t from = living->line_count();
        const auto reader = start_reader(world, kind, topic);
        // The daemon's reader is the other one.
        REQUIRE(living->wait_line("MATCHED 2", patience, from).has_value());
        REQUIRE(await_replaying(world, topic));
        written = write_some(*living, written + 2 * keys);
        REQUIRE(await_served(world, topic, goes.kind == stays.kind ? 1 : 2));
        const bool superseded =
            ask_daemon(world, {"readers", topic}).find("superseded") != std::string::npos;
        if (superseded) ++withheld;
        CHECK(misplaced(*reader, history + written) == "");
        REQUIRE(living->wait_line("MATCHED 1", patience, from).has_value());
    }
    living->write_line("exit");
    return withheld;
}

TEST_CASE("what a living writer writes while a history arrives stays above it", "[order]") {
    World world(serve_latched, "replay: { max_rate: 1MiB }\n");
    world.start_daemon();
    constexpr Source transient{Vendor::cyclone, Kind::transient};
    const int withheld =
        go_on_during_replay(world, transient, transient) +
        go_on_during_replay(world, {Vendor::fastdds, Kind::transient_local}, transient) +
        go_on_during_replay(world, transient, {Vendor::cyclone, Kind::transient_local}) +
        go_on_during_replay(world, {Vendor::cyclone, Kind::transient_local}, transient);
    CHECK(withheld > 0);
    world.stop_daemon();
}

TEST_CASE("no older value of the daemon's ends above a newer one of a living writer", "[order]") {
    World world(serve_latched);
    world.start_daemon();
    constexpr Source cyclone{Vendor::cyclone, Kind::transient_local};
    constexpr Source fast{Vendor::fastdds, Kind::transient_local};
    join_in_mid_stream(world, cyclone, cyclone);
    join_in_mid_stream(world, cyclone, fast);
    join_in_mid_stream(world, fast, cyclone);
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
