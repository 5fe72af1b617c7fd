// P10: how long a single writer waits for one sample to be safe.
#include "numbers.hpp"
#include "rows.hpp"
#include "world.hpp"

#include "base/bytes.hpp"
#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace durability::bench {
namespace {

constexpr std::uint32_t full_count = 2'000;
constexpr std::uint32_t largest_count = 100'000;
constexpr double median_allowance_us = 250;
constexpr double p99_allowance_us = 2'000;

struct Latency {
    double median_us{};
    double p99_us{};
};

// What the disk itself takes: a record of 150 B appended and synced, again and again.
Latency fdatasync_of_an_append(const std::filesystem::path& path, std::uint32_t count) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    int reason = errno;
    if (!file) throw std::system_error(reason, std::generic_category(), path);
    const Buffer record(150, 0x5a);
    std::vector<double> times_us;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto started = Clock::now();
        const bool done = ::write(file.get(), record.data(), record.size()) ==
                              static_cast<ssize_t>(record.size()) &&
                          ::fdatasync(file.get()) == 0;
        reason = errno;
        if (!done) throw std::system_error(reason, std::generic_category(), path);
        times_us.push_back(
            std::chrono::duration<double, std::micro>(Clock::now() - started).count());
    }
    return {median(times_us), percentile(times_us, 99)};
}

Latency acknowledged(World& world, std::uint32_t count) {
    const auto writer =
        world.start(LATENCY_WRITER_BINARY,
                    {std::to_string(world.domain()), "latency", std::to_string(count), "100"});
    need_end(*writer);
    const std::string line = need_line(*writer, "LATENCY ");
    return {field(line, "median_us"), field(line, "p99_us")};
}

Line line(const std::string& which, double theirs, double ours, double allowance) {
    return {"P10",
            fmt::format("write to acknowledged, one writer, 100 B, commit, {}", which),
            fmt::format("fdatasync of an append {} us", grouped(theirs)),
            fmt::format("{} us", grouped(ours)),
            fmt::format("{:.2f}", theirs / ours),
            fmt::format("that + {} us", grouped(allowance)),
            // The allowance is ours to meet, the disk's time is given.
            at_most(ours - theirs, allowance)};
}

}  // namespace

Lines latency(const Settings& settings) {
    const std::uint32_t count = std::min(settings.samples(full_count), largest_count);
    std::vector<double> disk_median;
    std::vector<double> disk_p99;
    std::vector<double> our_median;
    std::vector<double> our_p99;
    World world(settings.directory);
    world.start_daemon();
    for (std::size_t i = 0; i < settings.runs; ++i) {
        const Latency disk = fdatasync_of_an_append(world.directory() / "append", count);
        disk_median.push_back(disk.median_us);
        disk_p99.push_back(disk.p99_us);
        const Latency ours = acknowledged(world, count);
        our_median.push_back(ours.median_us);
        our_p99.push_back(ours.p99_us);
        if (settings.verbose) {
            say(fmt::format("  {:.0f} / {:.0f} us, ours {:.0f} / {:.0f} us",
                            disk.median_us,
                            disk.p99_us,
                            ours.median_us,
                            ours.p99_us));
        }
    }
    world.stop_daemon();
    return {line("median", median(disk_median), median(our_median), median_allowance_us),
            line("99th percentile", median(disk_p99), median(our_p99), p99_allowance_us)};
}

}  // namespace durability::bench
