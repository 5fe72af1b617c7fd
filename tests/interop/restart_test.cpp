// A restart is not a departure (semantics.md, section 7a): whoever was there before notices
// nothing, and nobody lacks anything or has it twice.
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace durability::interop {
namespace {

using test::Process;

struct Source {
    Vendor vendor;
    Kind kind;
};
constexpr std::array sources{Source{Vendor::cyclone, Kind::transient_local},
                             Source{Vendor::cyclone, Kind::transient},
                             Source{Vendor::fastdds, Kind::transient_local}};

// Writer `index` of a topic: its numbers and instances are its own.
std::unique_ptr<Process> start_writer(const World& world,
                                      const std::string& topic,
                                      Source source,
                                      std::uint32_t index,
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
                  "3",
                  "--first-key",
                  std::to_string(index * 8),
                  "--start-seq",
                  std::to_string(index * 1000 + 1)};
    options.insert(options.end(), more.begin(), more.end());
    return world.publisher(source.vendor, options);
}

std::unique_ptr<Process> start_reader(const World& world,
                                      const std::string& topic,
                                      Vendor vendor,
                                      const Words& more) {
    Words options{"--topic", topic, "--type", "keyed", "--durability", "transient_local"};
    options.insert(options.end(), more.begin(), more.end());
    return world.subscriber(vendor, options);
}

void away_and_back(World& world, bool kill) {
    if (kill) {
        world.kill_daemon();
    } else {
        world.stop_daemon();
    }
    world.start_daemon();
}

void expect_acknowledgement(Process& writer) {
    const std::size_t from = writer.line_count();
    writer.write_line("wait_acks");
    INFO(writer.output());
    REQUIRE(writer.wait_line("ACKED ", patience, from).has_value());
}

// Writers that went and writers that stay, readers of both vendors that stay.
class Household {
  public:
    explicit Household(const World& world) : world_(world) {
        leave(sources[0], Fate::ended);
        leave(sources[2], Fate::killed);
        for (const Source source : sources) {
            writers_.push_back(start_writer(
                world, topic, source, next_++, {"--count", "5", "--wait-matched", "1"}));
            REQUIRE(not_acknowledged(*writers_.back()) == "");
            written_ += 5;
        }
        const Words stay{"--stay", "--timeout", "300", "--expect", std::to_string(written_)};
        for (const Vendor vendor : both_vendors) {
            Words options = stay;
            if (vendor == Vendor::cyclone) options.insert(options.end(), {"--readers", "2"});
            readers_.push_back(start_reader(world, topic, vendor, options));
        }
        await(written_);
    }

    void write(std::uint32_t count) {
        for (const auto& writer : writers_)
            writer->write_line(fmt::format("write {}", count));
        written_ += count * writers_.size();
    }

    void expect_acknowledgements() {
        for (const auto& writer : writers_)
            expect_acknowledgement(*writer);
    }

    void expect_everything_once() {
        await(written_);
        for (const Vendor vendor : both_vendors) {
            const auto late = start_reader(
                world_, topic, vendor, {"--quiet", "--expect", std::to_string(written_)});
            INFO("late " << name(vendor));
            CHECK(flaws(*late, written_) == "");
        }
        for (const auto& writer : writers_) {
            INFO(writer->output());
            // The late readers left again; before them nobody did.
            CHECK_FALSE(lost_a_match_before_the_end(*writer));
        }
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            readers_[i]->write_line("exit");
            CHECK(flaws(*readers_[i], written_, readers_per_process[i]) == "");
            INFO(readers_[i]->output());
            CHECK_FALSE(lost_a_match(readers_[i]->lines()));
        }
    }

    // What was said so far is what the restarts did.
    void end_of_restarts() {
        for (const auto& writer : writers_)
            lines_of_restarts_.push_back(writer->line_count());
    }

  private:
    static constexpr std::array<std::size_t, 2> readers_per_process{2, 1};

    void leave(Source source, Fate fate) {
        const auto writer =
            start_writer(world_, topic, source, next_++, {"--count", "10", "--wait-matched", "1"});
        REQUIRE(not_acknowledged(*writer) == "");
        meet(*writer, fate);
        written_ += 10;
    }

    // Until every reader has had as many.
    void await(std::uint64_t samples) {
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            for (std::size_t reader = 0; reader < readers_per_process[i]; ++reader) {
                INFO(readers_[i]->output());
                REQUIRE(has_received(*readers_[i], reader, samples));
            }
        }
    }

    static bool has_received(const Process& process, std::size_t reader, std::uint64_t samples) {
        const std::string tag = fmt::format("SAMPLE reader={} ", reader);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < deadline) {
            const auto lines = process.lines();
            const auto count =
                std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
                    return line.starts_with(tag) && line.find(" valid=1") != std::string::npos;
                });
            if (static_cast<std::uint64_t>(count) >= samples) return true;
            std::this_thread::sleep_for(20ms);
        }
        return false;
    }

    bool lost_a_match_before_the_end(const Process& writer) const {
        const auto at = std::find_if(writers_.begin(), writers_.end(), [&](const auto& one) {
            return one.get() == &writer;
        });
        auto lines = writer.lines();
        lines.resize(lines_of_restarts_[static_cast<std::size_t>(at - writers_.begin())]);
        return lost_a_match(lines);
    }

    static constexpr const char* topic = "latched_household";

    const World& world_;
    std::uint32_t next_{0};
    std::uint64_t written_{0};
    std::vector<std::unique_ptr<Process>> writers_;
    std::vector<std::unique_ptr<Process>> readers_;
    std::vector<std::size_t> lines_of_restarts_;
};

TEST_CASE("readers that stay through twenty restarts have everything once", "[restart]") {
    World world(serve_latched);
    world.start_daemon();
    Household household(world);
    constexpr int restarts = 20;
    for (int i = 0; i < restarts; ++i) {
        household.write(2);
        away_and_back(world, i % 2 == 1);
        household.write(1);
        // In between, at whatever point the return has reached.
        if (i % 4 == 3) household.expect_acknowledgements();
    }
    household.expect_acknowledgements();
    household.end_of_restarts();
    household.expect_everything_once();
    world.stop_daemon();
}

// Until a line of the reader shows sample `number`.
void await_sample(Process& reader, std::uint32_t number) {
    INFO(reader.output());
    REQUIRE(reader.wait_line(fmt::format(" seq={} ", number), patience).has_value());
}

TEST_CASE("the daemon is away and back while writers publish: nobody notices", "[restart]") {
    constexpr std::uint32_t samples = 120;
    World world(serve_latched);
    world.start_daemon();
    for (const bool kill : {false, true}) {
        std::vector<std::unique_ptr<Process>> writers;
        std::vector<std::unique_ptr<Process>> readers;
        const auto topic_of = [&](std::size_t i) {
            return fmt::format("latched_{}_{}", kill ? "killed" : "stopped", i);
        };
        for (std::size_t i = 0; i < sources.size(); ++i) {
            // The first sample comes before the readers: they are met before there is more.
            writers.push_back(
                start_writer(world, topic_of(i), sources[i], 0, {"--count", "1", "--rate", "100"}));
            REQUIRE(not_acknowledged(*writers.back()) == "");
            for (const Vendor vendor : both_vendors)
                readers.push_back(
                    start_reader(world, topic_of(i), vendor, {"--stay", "--timeout", "120"}));
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
            await_sample(*readers[2 * i], 1);
            await_sample(*readers[2 * i + 1], 1);
            REQUIRE(await_served(world, topic_of(i), 2));
        }
        for (auto& writer : writers) {
            writer->write_line(fmt::format("write {}", samples - 1));
            writer->write_line("wait_acks");
        }
        for (auto& reader : readers)
            await_sample(*reader, samples / 4);
        if (kill) {
            world.kill_daemon();
        } else {
            world.stop_daemon();
        }
        for (auto& reader : readers)
            await_sample(*reader, samples / 2);
        world.start_daemon();
        for (std::size_t i = 0; i < sources.size(); ++i) {
            INFO(name(sources[i].vendor) << " " << name(sources[i].kind) << ", killed " << kill);
            INFO(writers[i]->output());
            CHECK(writers[i]->wait_line(fmt::format("ACKED {}", samples), patience));
            CHECK_FALSE(lost_a_match(writers[i]->lines()));
            meet(*writers[i], Fate::ended);
            for (const Vendor vendor : both_vendors) {
                const auto late =
                    start_reader(world,
                                 topic_of(i),
                                 vendor,
                                 {"--quiet", "--settle", "1", "--expect", std::to_string(samples)});
                CHECK(flaws(*late, samples) == "");
            }
            for (const std::size_t reader : {2 * i, 2 * i + 1}) {
                readers[reader]->write_line("exit");
                CHECK(flaws(*readers[reader], samples) == "");
            }
        }
    }
    world.stop_daemon();
}

}  // namespace
}  // namespace durability::interop
