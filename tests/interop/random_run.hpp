// Plays a random_plan.hpp with the daemon and stock peers, and says what a reader lacks or has
// twice. One thread at a time for each run; runs in different threads do not disturb each other.
#pragma once

#include "random_plan.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace durability::interop {

struct Outcome {
    std::string flaw;  // empty: every reader had everything once and in order
    std::uint64_t lost{0};
    std::uint64_t twice{0};
    std::uint64_t delivered{0};
    std::uint64_t readers{0};
    std::uint64_t daemon_starts{0};
};

class RandomRun {
  public:
    // `kept`: where the logs of a run that failed go; a capture of the network too, if asked for.
    RandomRun(Plan plan, std::filesystem::path kept, bool capture);
    ~RandomRun();

    Outcome play();

  private:
    struct Writer {
        WriterPlan plan;
        std::unique_ptr<test::Process> process;
        std::uint32_t written{0};
        std::uint32_t first{0};  // number of its first sample
        bool living{false};
        bool acknowledged{true};  // what it wrote was, as far as it said
    };
    struct Readers {
        ProcessPlan plan;
        std::unique_ptr<test::Process> process;
    };

    void take(const Step& step);
    void start_writer(std::size_t who, std::uint32_t samples);
    void write(Writer& writer, std::uint32_t samples);
    void lose_writer(Writer& writer, Fate fate);
    void start_readers(const ProcessPlan& plan);
    void end_daemon(bool kill);
    void start_daemon();
    void finish();

    // Waits, or throws with what was waited for.
    void await_match(Writer& writer);
    void await_acknowledgement(Writer& writer);
    // Every reader of the topic has what was written so far, and the daemon is done with it.
    void settle(std::size_t topic);
    template <class Condition>
    void await(const std::string& what, Condition condition);

    [[nodiscard]] std::string topic_name(std::size_t topic) const;
    [[nodiscard]] std::uint64_t expected_of(std::size_t topic, Kind requested) const;
    [[nodiscard]] std::size_t readers_of(std::size_t topic, Kind offered) const;
    [[nodiscard]] std::uint64_t kept_by_daemon(std::size_t topic) const;
    [[nodiscard]] Writer* living_writer_of(std::size_t topic);
    void judge_all();
    void keep_logs();

    Plan plan_;
    std::filesystem::path kept_;
    World world_;
    std::unique_ptr<test::Process> capture_;
    std::vector<Writer> writers_;
    std::vector<Readers> readers_;
    std::vector<std::vector<Kind>> kinds_;  // by topic, those of the writers there were
    bool daemon_runs_{false};
    std::string daemon_log_;
    std::string diary_;
    std::chrono::steady_clock::time_point begun_{std::chrono::steady_clock::now()};
    Outcome outcome_;
};

}  // namespace durability::interop
