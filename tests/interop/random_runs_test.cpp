// Random lives of writers, late readers and the daemon, with stock peers: every reader has what it
// is entitled to once, in the order of each writer.
//
// DURABILITYD_RANDOM_RUNS  how many (12)
// DURABILITYD_RANDOM_SEED  the first seed; alone, that run only, with a capture of the network
// DURABILITYD_RANDOM_LANES how many at a time (3)
// DURABILITYD_RANDOM_VERBOSE  any value: a line for each run
// DURABILITYD_RANDOM_CAPTURE  any value: a capture of every run that fails
#include "random_run.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace durability::interop {
namespace {

constexpr std::uint64_t everyday_runs = 12;
constexpr std::uint64_t everyday_lanes = 3;

std::optional<std::uint64_t> from_environment(const char* variable) {
    const char* const text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (text == nullptr) return std::nullopt;
    return std::strtoull(text, nullptr, 10);
}

struct Totals {
    std::mutex mutex;
    std::vector<std::string> failed;
    Outcome sum;
};

void play(std::uint64_t seed, bool capture, Totals& totals) {
    const auto begun = std::chrono::steady_clock::now();
    const auto kept =
        std::filesystem::temp_directory_path() / fmt::format("durabilityd-random-{}", seed);
    Outcome outcome;
    try {
        outcome = RandomRun(make_plan(seed), kept, capture).play();
    } catch (const std::exception& error) {
        outcome.flaw = error.what();
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    const std::scoped_lock lock(totals.mutex);
    totals.sum.lost += outcome.lost;
    totals.sum.twice += outcome.twice;
    totals.sum.delivered += outcome.delivered;
    totals.sum.readers += outcome.readers;
    totals.sum.daemon_starts += outcome.daemon_starts;
    if (std::getenv("DURABILITYD_RANDOM_VERBOSE") != nullptr)
        fmt::print("random run {}: {:.1f} s {}\n", seed, passed.count(), outcome.flaw);
    if (outcome.flaw.empty()) return;
    totals.failed.push_back(fmt::format(
        "DURABILITYD_RANDOM_SEED={}\n{}\nlogs in {}", seed, outcome.flaw, kept.string()));
    fmt::print("random run failed: {}\n", totals.failed.back());
    std::fflush(stdout);
}

TEST_CASE("random lives of writers, readers and daemon: everybody has everything once",
          "[random]") {
    const auto given = from_environment("DURABILITYD_RANDOM_SEED");
    const std::uint64_t fresh =
        Catch::rngSeed() != 0 ? Catch::rngSeed() : std::random_device{}() % 1'000'000'000;
    const std::uint64_t first = given.value_or(fresh);
    const std::uint64_t runs =
        from_environment("DURABILITYD_RANDOM_RUNS").value_or(given ? 1 : everyday_runs);
    const std::uint64_t lanes =
        from_environment("DURABILITYD_RANDOM_LANES").value_or(everyday_lanes);
    const bool capture =
        (given && runs == 1) || from_environment("DURABILITYD_RANDOM_CAPTURE").has_value();

    const auto begun = std::chrono::steady_clock::now();
    Totals totals;
    std::atomic<std::uint64_t> next{first};
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 0; i < lanes; ++i) {
        threads.emplace_back([&] {
            for (std::uint64_t seed = next++; seed < first + runs; seed = next++)
                play(seed, capture, totals);
        });
    }
    threads.clear();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    fmt::print(
        "random runs: {} from seed {}, {} readers, {} daemon starts, {} samples delivered, "
        "{} lost, {} twice, {} runs failed, {:.0f} s\n",
        runs,
        first,
        totals.sum.readers,
        totals.sum.daemon_starts,
        totals.sum.delivered,
        totals.sum.lost,
        totals.sum.twice,
        totals.failed.size(),
        passed.count());
    for (const std::string& flaw : totals.failed)
        FAIL_CHECK(flaw);
    CHECK(totals.sum.readers >= runs);
    CHECK(totals.sum.delivered > 0);
}

}  // namespace
}  // namespace durability::interop
