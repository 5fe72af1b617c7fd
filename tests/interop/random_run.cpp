#include "random_run.hpp"

#include "random_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

namespace durability::interop {
namespace {

using test::Process;

// Numbers and instances of each writer are its own, so that what a reader has tells who wrote it.
constexpr std::uint32_t numbers_per_writer = 1000;
constexpr std::uint32_t ids_per_writer = 8;

// Longer than the daemon is ever away in a plan. A Fast DDS process that starts meanwhile may take
// its ports; writers then wait for so long for the participant that does not return.
constexpr std::string_view lease = "network_lease: 10s\n";

constexpr std::string_view rules =
    "  - topic: \"run_*\"\n"
    "    serve: transient_local\n"
    "    contract: { history: keep_all, cleanup_delay: infinite }\n";

std::uint32_t last_match(const Process& writer) {
    std::uint32_t matched = 0;
    for (const std::string& line : writer.lines()) {
        if (line.starts_with("MATCHED ")) matched = number_behind(line, "MATCHED ");
    }
    return matched;
}

}  // namespace

RandomRun::RandomRun(Plan plan, std::filesystem::path kept, bool capture)
    : plan_(std::move(plan)),
      kept_(std::move(kept)),
      world_(rules, lease),
      kinds_(plan_.keyed.size()) {
    world_.add_daemon_options({"--log-level", "debug"});
    for (std::size_t i = 0; i < plan_.writers.size(); ++i) {
        Writer& writer = writers_.emplace_back();
        writer.plan = plan_.writers[i];
        writer.first = static_cast<std::uint32_t>(i) * numbers_per_writer + 1;
    }
    if (!capture) return;
    const auto file = world_.directory() / "capture.pcapng";
    capture_ = std::make_unique<Process>(
        test::Launch{"dumpcap", {"-q", "-i", "lo", "-B", "32", "-w", file.string()}, {}});
    std::ignore = capture_->wait_line("File: ", patience);
}

RandomRun::~RandomRun() = default;

Outcome RandomRun::play() {
    try {
        start_daemon();
        for (const Step& step : plan_.steps) {
            take(step);
            std::this_thread::sleep_for(step.pause);
        }
        finish();
    } catch (const std::exception& error) {
        outcome_.flaw += fmt::format("{}\n", error.what());
    }
    judge_all();
    if (!outcome_.flaw.empty()) keep_logs();
    return outcome_;
}

void RandomRun::take(const Step& step) {
    using Milliseconds = std::chrono::milliseconds;
    const auto passed = std::chrono::steady_clock::now() - begun_;
    diary_ += fmt::format("{} ms: act {} of {}\n",
                          std::chrono::duration_cast<Milliseconds>(passed).count(),
                          static_cast<int>(step.act),
                          step.who);
    switch (step.act) {
        case Act::start_writer:
            return start_writer(step.who, step.samples);
        case Act::write:
            return write(writers_[step.who], step.samples);
        case Act::end_writer:
            return lose_writer(writers_[step.who], Fate::ended);
        case Act::kill_writer:
            return lose_writer(writers_[step.who], Fate::killed);
        case Act::start_readers:
            return start_readers(plan_.processes[step.who]);
        case Act::stop_daemon:
            return end_daemon(false);
        case Act::kill_daemon:
            return end_daemon(true);
        case Act::start_daemon:
            return start_daemon();
    }
}

void RandomRun::start_writer(std::size_t who, std::uint32_t samples) {
    Writer& writer = writers_[who];
    if (writer.process) return;  // a reader that came first had it started
    const std::size_t topic = writer.plan.topic;
    // Its first samples must be history, or not, for every reader that is there.
    if (writer.plan.forgets()) settle(topic);
    auto& kinds = kinds_[topic];
    if (std::find(kinds.begin(), kinds.end(), writer.plan.kind) == kinds.end())
        kinds.push_back(writer.plan.kind);
    writer.process =
        world_.publisher(writer.plan.vendor,
                         {"--topic",
                          topic_name(topic),
                          "--type",
                          plan_.keyed[topic] ? "keyed" : "unkeyed",
                          "--durability",
                          std::string(name(writer.plan.kind)),
                          "--durability-service",
                          "keep_all",
                          "--cleanup-delay",
                          "infinite",
                          "--keys",
                          plan_.keyed[topic] ? "3" : "1",
                          "--first-key",
                          std::to_string(static_cast<std::uint32_t>(who) * ids_per_writer),
                          "--start-seq",
                          std::to_string(writer.first),
                          "--sizes",
                          "0,100,1344,3000",
                          "--wait-matched",
                          "0",
                          "--timeout",
                          "60"});
    writer.living = true;
    write(writer, samples);
}

void RandomRun::write(Writer& writer, std::uint32_t samples) {
    if (writer.plan.forgets()) {
        settle(writer.plan.topic);
        await_match(writer);
    }
    writer.process->write_line(fmt::format("write {}", samples));
    writer.written += samples;
    writer.acknowledged = false;
    if (writer.plan.forgets() && daemon_runs_) await_acknowledgement(writer);
}

void RandomRun::lose_writer(Writer& writer, Fate fate) {
    // What it wrote is the daemon's to keep, and no reader still depends on it.
    await_acknowledgement(writer);
    settle(writer.plan.topic);
    writer.living = false;
    meet(*writer.process, fate);
}

void RandomRun::start_readers(const ProcessPlan& plan) {
    for (std::size_t i = 0; i < writers_.size(); ++i) {
        Writer& writer = writers_[i];
        if (writer.plan.topic != plan.topic) continue;
        // By a first sample it is told that the daemon has met a reader.
        if (!writer.process && kinds_[plan.topic].empty()) start_writer(i, 3);
        if (writer.living && writer.plan.forgets()) await_acknowledgement(writer);
    }
    Words kinds;
    for (const Kind kind : plan.readers)
        kinds.emplace_back(name(kind));
    Readers& readers = readers_.emplace_back();
    readers.plan = plan;
    readers.process = world_.subscriber(plan.vendor,
                                        {"--topic",
                                         topic_name(plan.topic),
                                         "--type",
                                         plan_.keyed[plan.topic] ? "keyed" : "unkeyed",
                                         "--readers",
                                         std::to_string(plan.readers.size()),
                                         "--reader-delay",
                                         std::to_string(plan.apart.count()),
                                         "--reader-durability",
                                         fmt::format("{}", fmt::join(kinds, ",")),
                                         "--stay",
                                         "--timeout",
                                         "300"});
}

void RandomRun::end_daemon(bool kill) {
    if (!daemon_runs_) return;
    if (kill) {
        world_.kill_daemon();
    } else {
        world_.stop_daemon();
    }
    daemon_runs_ = false;
    daemon_log_ += world_.daemon().output() + (kill ? "--- killed\n" : "--- stopped\n");
}

void RandomRun::start_daemon() {
    if (daemon_runs_) return;
    world_.start_daemon();
    daemon_runs_ = true;
    ++outcome_.daemon_starts;
}

void RandomRun::finish() {
    start_daemon();
    for (Writer& writer : writers_) {
        if (writer.living) await_acknowledgement(writer);
    }
    for (std::size_t topic = 0; topic < plan_.keyed.size(); ++topic) {
        settle(topic);
        start_readers({plan_.last_reader, topic, {Kind::transient_local}, {}});
        settle(topic);
        // A last sample for everybody: what came before it on its way has arrived.
        if (Writer* writer = living_writer_of(topic)) {
            write(*writer, 1);
            await_acknowledgement(*writer);
        }
        settle(topic);
    }
    for (Readers& readers : readers_) {
        readers.process->write_line("exit");
        if (!readers.process->wait(patience)) throw std::runtime_error("readers do not end");
    }
    end_daemon(false);
}

template <class Condition>
void RandomRun::await(const std::string& what, Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("waited in vain until " + what);
        std::this_thread::sleep_for(20ms);
    }
}

void RandomRun::await_match(Writer& writer) {
    start_daemon();
    // One reader of the daemon, and those of the topic.
    const std::size_t wanted = 1 + readers_of(writer.plan.topic, writer.plan.kind);
    await(fmt::format("a writer of topic {} has {} matches", writer.plan.topic, wanted),
          [&] { return last_match(*writer.process) >= wanted; });
}

void RandomRun::await_acknowledgement(Writer& writer) {
    await_match(writer);
    if (writer.acknowledged) return;
    // Asked only now that it has met the daemon: before, others could have answered for it.
    const std::size_t from = writer.process->line_count();
    writer.process->write_line("wait_acks");
    if (!writer.process->wait_line(fmt::format("ACKED {}", writer.written), patience, from))
        throw std::runtime_error("not acknowledged:\n" + writer.process->output());
    writer.acknowledged = true;
}

void RandomRun::settle(std::size_t topic) {
    start_daemon();
    // A writer of Cyclone DDS takes for acknowledged what it wrote before a reader matched.
    await(fmt::format("the daemon keeps all of topic {}", topic),
          [&] { return kept_by_daemon(topic) >= expected_of(topic, Kind::transient_local); });
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        const Readers& readers = readers_[i];
        if (readers.plan.topic != topic) continue;
        await(fmt::format("process {} has everything", i), [&] {
            const auto counts = received(readers.process->lines(), readers.plan.readers.size());
            for (std::size_t reader = 0; reader < counts.size(); ++reader) {
                if (counts[reader] < expected_of(topic, readers.plan.readers[reader])) return false;
            }
            return true;
        });
    }
    std::size_t matches = 0;
    for (const Kind offered : kinds_[topic])
        matches += readers_of(topic, offered);
    if (matches > 0 && !await_served(world_, topic_name(topic), matches))
        throw std::runtime_error(
            fmt::format("the daemon is not done with the readers of topic {}", topic));
}

std::string RandomRun::topic_name(std::size_t topic) const {
    return fmt::format("run_{}_{}", plan_.seed, topic);
}

std::uint64_t RandomRun::expected_of(std::size_t topic, Kind requested) const {
    std::uint64_t expected = 0;
    for (const Writer& writer : writers_) {
        if (writer.plan.topic == topic && matches(writer.plan.kind, requested))
            expected += writer.written;
    }
    return expected;
}

std::size_t RandomRun::readers_of(std::size_t topic, Kind offered) const {
    std::size_t count = 0;
    for (const Readers& readers : readers_) {
        if (readers.plan.topic != topic) continue;
        count += static_cast<std::size_t>(std::count_if(
            readers.plan.readers.begin(), readers.plan.readers.end(), [&](Kind requested) {
                return matches(offered, requested);
            }));
    }
    return count;
}

std::uint64_t RandomRun::kept_by_daemon(std::size_t topic) const {
    const std::string text = ask_daemon(world_, {"writers", topic_name(topic)});
    constexpr std::string_view key = "\"retained_samples\":";
    std::uint64_t kept = 0;
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
        kept += std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
    return kept;
}

RandomRun::Writer* RandomRun::living_writer_of(std::size_t topic) {
    const auto found = std::find_if(writers_.begin(), writers_.end(), [&](const Writer& writer) {
        return writer.living && writer.plan.topic == topic;
    });
    return found == writers_.end() ? nullptr : &*found;
}

void RandomRun::judge_all() {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        const Readers& readers = readers_[i];
        std::vector<Written> written;
        for (const Writer& writer : writers_) {
            if (writer.plan.topic == readers.plan.topic)
                written.push_back({writer.plan.kind, writer.first, writer.written});
        }
        const Verdict verdict = judge(readers.process->lines(),
                                      readers.plan.readers,
                                      written,
                                      fmt::format("process {} ({})", i, name(readers.plan.vendor)));
        outcome_.flaw += verdict.flaw;
        outcome_.lost += verdict.lost;
        outcome_.twice += verdict.twice;
        outcome_.delivered += verdict.delivered;
        outcome_.readers += readers.plan.readers.size();
    }
}

void RandomRun::keep_logs() {
    if (daemon_runs_) daemon_log_ += world_.daemon().output();
    std::filesystem::create_directories(kept_);
    const auto keep = [this](const std::string& file, const std::string& text) {
        std::ofstream(kept_ / file) << text;
    };
    keep("plan.txt", describe(plan_));
    keep("flaw.txt", outcome_.flaw + "\n" + diary_);
    keep("daemon.log", daemon_log_);
    for (std::size_t i = 0; i < writers_.size(); ++i) {
        if (writers_[i].process)
            keep(fmt::format("writer-{}.log", i), writers_[i].process->output());
    }
    for (std::size_t i = 0; i < readers_.size(); ++i)
        keep(fmt::format("process-{}.log", i), readers_[i].process->output());
    if (!capture_) return;
    capture_->kill(SIGINT);
    std::ignore = capture_->wait(patience);
    std::error_code ignored;  // the rest of what is kept is worth something without it
    std::filesystem::copy(world_.directory() / "capture.pcapng", kept_ / "capture.pcapng", ignored);
}

}  // namespace durability::interop
