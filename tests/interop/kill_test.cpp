// SIGKILL of the daemon, hundreds of times, under the full load of a stock writer. What the writer
// was told is safe has to be there for a late reader: once, in order, byte for byte.
//
// DURABILITYD_KILL_ROUNDS sets the number of rounds (300).
#include "harness.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <thread>

namespace durability::interop {
namespace {

using test::Process;

constexpr std::size_t default_rounds = 300;
// A writer is killed together with the daemon in one round of so many: then only the store has
// what was acknowledged. Another one brings a second kill before the first was got over.
constexpr std::size_t writer_kill_period = 5;
constexpr std::size_t double_kill_period = 7;
constexpr std::uint64_t everything = 0;

// Rounds of one kind, one after the other; lanes run side by side, because a round mostly waits.
struct Lane {
    std::string name;
    std::uint64_t depth;                     // over all instances; `everything`: KEEP_ALL
    std::size_t rounds_per_topic;            // then a fresh one, so that a history stays short
    std::chrono::microseconds longest_life;  // of a daemon, once its writer has made progress
    Words writer;                            // more options of the writer
};

struct Totals {
    std::size_t rounds{0};
    std::size_t writers{0};
    std::uint64_t written{0};
    std::uint64_t read{0};
    std::string flaw;  // what ended it
};

std::uint64_t number_behind(const std::string& line, std::string_view word) {
    const auto at = line.find(word);
    std::uint64_t value = 0;
    if (at == std::string::npos) throw std::runtime_error(fmt::format("no {} in {}", word, line));
    std::from_chars(line.data() + at + word.size(), line.data() + line.size(), value);
    return value;
}

std::string last_lines(const Process& process, std::size_t count = 30) {
    const auto lines = process.lines();
    std::string text;
    for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
        text += lines[i] + "\n";
    return text;
}

// One lane in a world of its own. What it finds wrong is thrown.
class Siege {
  public:
    Siege(World& world, const Lane& lane, std::uint32_t seed, Totals& totals)
        : world_(world), lane_(lane), random_(seed), totals_(totals) {}

    void run(std::size_t rounds) {
        world_.start_daemon();
        start_reader();
        for (std::size_t round = 0; round < rounds; ++round) {
            if (round % lane_.rounds_per_topic == 0) begin_topic(round / lane_.rounds_per_topic);
            if (!writer_) start_writer();
            one_round(round);
            ++totals_.rounds;
        }
        totals_.written += stored_;
        world_.stop_daemon();
    }

  private:
    void start_reader() {
        Words options{"--on-request", "--quiet", "--durability", "transient_local"};
        options.insert(options.end(), {"--settle", "0.05"});
        const auto type = std::find(lane_.writer.begin(), lane_.writer.end(), "--type");
        if (type != lane_.writer.end()) options.insert(options.end(), {type[0], type[1]});
        reader_ = world_.subscriber(Vendor::cyclone, options);
    }

    void begin_topic(std::size_t index) {
        writer_.reset();
        totals_.written += std::exchange(stored_, 0);
        topic_ = fmt::format("killed_{}_{}", lane_.name, index);
    }

    void start_writer() {
        Words options{"--topic", topic_, "--durability", "persistent"};
        options.insert(options.end(), lane_.writer.begin(), lane_.writer.end());
        options.insert(options.end(), {"--cleanup-delay", "infinite"});
        options.insert(options.end(), {"--start-seq", std::to_string(stored_ + 1)});
        writer_ = world_.publisher(Vendor::cyclone, options);
        before_writer_ = stored_;
        ++totals_.writers;
    }

    void one_round(std::size_t round) {
        const bool writer_dies = round % writer_kill_period == writer_kill_period - 1;
        await_progress();
        live_for_a_while();
        if (writer_dies && round % 2 == 0) meet(*writer_, Fate::killed);
        world_.kill_daemon();
        if (writer_dies) meet(*writer_, Fate::killed);
        const std::uint64_t safe = acknowledged();

        world_.start_daemon();
        if (round % double_kill_period == double_kill_period - 1) {
            live_for_a_while();
            world_.kill_daemon();
            world_.start_daemon();
        }
        if (writer_dies) {
            stored_ = read_late(safe);
            writer_.reset();
            return;
        }
        await_progress();
        const std::uint64_t written = pause();
        if (written < safe) throw std::runtime_error("the writer forgot what was acknowledged");
        stored_ = read_late(written);
        if (stored_ != written) {
            throw std::runtime_error(fmt::format("{} samples of {} written", stored_, written));
        }
        writer_->write_line("resume");
    }

    // Until the writer has been told of one more burst.
    void await_progress() {
        if (writer_->wait_line("ACKED ", patience, writer_->line_count())) return;
        throw std::runtime_error("nothing is acknowledged:\n" + last_lines(*writer_));
    }

    void live_for_a_while() {
        std::uniform_int_distribution<std::int64_t> life(0, lane_.longest_life.count());
        std::this_thread::sleep_for(std::chrono::microseconds(life(random_)));
    }

    // Number of the newest sample that the writer knows to be safe.
    [[nodiscard]] std::uint64_t acknowledged() const {
        const auto lines = writer_->lines();
        const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
            return line.starts_with("ACKED ");
        });
        return before_writer_ + (last == lines.rend() ? 0 : number_behind(*last, "ACKED "));
    }

    // Number of the newest sample written; all of them are acknowledged.
    std::uint64_t pause() {
        const std::size_t from = writer_->line_count();
        writer_->write_line("pause");
        const auto line = writer_->wait_line("PAUSED ", patience, from);
        if (!line) throw std::runtime_error("no pause:\n" + last_lines(*writer_));
        return before_writer_ + number_behind(*line, "PAUSED ");
    }

    // A late reader has to find what the contract keeps of a history that ends at `safe` or later.
    // Returns the number of the newest sample there is.
    std::uint64_t read_late(std::uint64_t safe) {
        const auto kept_of = [this](std::uint64_t newest) {
            return lane_.depth == everything ? newest : std::min(lane_.depth, newest);
        };
        const std::size_t from = reader_->line_count();
        reader_->write_line(fmt::format("join {} {}", topic_, kept_of(safe)));
        const auto line = reader_->wait_line("SUMMARY ", patience, from);
        if (!line) throw std::runtime_error("no late reader:\n" + last_lines(*reader_));
        const Summary found = parse_summary(*line);
        const std::uint64_t kept = kept_of(found.highest);
        const bool whole = found.highest >= safe && found.valid == kept &&
                           found.lowest == found.highest - kept + 1 && found.duplicates == 0 &&
                           found.out_of_order == 0 && found.bad == 0;
        totals_.read += found.valid;
        if (whole) return found.highest;
        throw std::runtime_error(
            fmt::format("{}: acknowledged up to {}, the late reader says {}", topic_, safe, *line));
    }

    World& world_;
    const Lane& lane_;
    std::mt19937_64 random_;
    Totals& totals_;
    std::unique_ptr<Process> reader_;
    std::unique_ptr<Process> writer_;
    std::string topic_;
    std::uint64_t stored_{0};         // newest sample of the topic that a late reader has had
    std::uint64_t before_writer_{0};  // newest one of the writers before this one
};

std::size_t rounds_wanted() {
    const char* const text =
        std::getenv("DURABILITYD_KILL_ROUNDS");  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? default_rounds : std::strtoul(text, nullptr, 10);
}

void besiege(const std::vector<Lane>& lanes, std::string_view sync, std::size_t rounds) {
    // For so long a late reader waits for what a killed writer might still have to say itself.
    const std::string configuration =
        fmt::format("store: {{ sync: {} }}\nreplay: {{ handover_window: 50ms }}\n", sync);
    const std::uint32_t seed = Catch::rngSeed() != 0 ? Catch::rngSeed() : std::random_device{}();
    const auto begun = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<World>> worlds;
    std::vector<Totals> totals(lanes.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::size_t share = (rounds + i) / lanes.size();
        World& world = *worlds.emplace_back(std::make_unique<World>("", configuration));
        threads.emplace_back([&world, &lane = lanes[i], &own = totals[i], seed, i, share] {
            try {
                Siege(world, lane, seed + static_cast<std::uint32_t>(i), own).run(share);
            } catch (const std::exception& error) {
                own.flaw = fmt::format("round {}: {}\ndaemon:\n{}",
                                       own.rounds,
                                       error.what(),
                                       last_lines(world.daemon()));
            }
        });
    }
    threads.clear();
    Totals sum;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        INFO("lane " << lanes[i].name << ", seed " << seed);
        CHECK(totals[i].flaw == "");
        sum.rounds += totals[i].rounds;
        sum.writers += totals[i].writers;
        sum.written += totals[i].written;
        sum.read += totals[i].read;
    }
    CHECK(sum.rounds == rounds);
    fmt::print(
        "kills, sync {}: {} rounds, {} samples of {} writers, {} read by late readers, {:.0f} s, "
        "seed {}\n",
        sync,
        sum.rounds,
        sum.written,
        sum.writers,
        sum.read,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(),
        seed);
}

TEST_CASE("hundreds of kills under full load lose nothing that was acknowledged") {
    const std::vector<Lane> lanes{
        {"all",
         everything,
         25,
         20ms,
         {"--durability-service", "keep_all", "--burst", "50", "--sizes", "200,40,700,0,1500"}},
        {"last",
         200,
         1000,
         100ms,
         {"--durability-service", "keep_last:200", "--burst", "200", "--size", "400"}},
        {"keyed",
         everything,
         10,
         30ms,
         {"--type",
          "keyed",
          "--keys",
          "4",
          "--durability-service",
          "keep_all",
          "--burst",
          "25",
          "--sizes",
          "300,3000"}},
    };
    besiege(lanes, "commit", rounds_wanted());
}

TEST_CASE("without waiting for the disk, kills lose nothing either") {
    const std::vector<Lane> lanes{
        {"all",
         everything,
         5,
         20ms,
         {"--durability-service", "keep_all", "--burst", "50", "--sizes", "200,40,700,0,1500"}},
        {"last",
         200,
         1000,
         60ms,
         {"--durability-service", "keep_last:200", "--burst", "200", "--size", "400"}},
    };
    // The page cache stays when a process goes.
    for (const std::string_view sync : {"interval", "none"}) {
        INFO("sync: " << sync);
        besiege(lanes, sync, rounds_wanted() / 15);
    }
}

}  // namespace
}  // namespace durability::interop
