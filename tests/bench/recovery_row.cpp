// P7: the daemon starts on a full store.
#include "numbers.hpp"
#include "rows.hpp"
#include "world.hpp"

#include "base/crc32c.hpp"
#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace durability::bench {
namespace {

namespace fs = std::filesystem;

enum class Ending {
    stopped,
    killed
};

struct Checksummed {
    double seconds{};
    std::uint64_t bytes{};
    std::uint32_t checksum{};
};

// Reads every file under `directory` once and checksums what it reads: the least a recovery could
// do.
Checksummed read_and_checksum(const fs::path& directory) {
    Buffer block(std::size_t{256} * 1024);
    Checksummed result;
    const auto started = Clock::now();
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        const UniqueFd file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
        const int reason = errno;
        if (!file) throw std::system_error(reason, std::generic_category(), entry.path());
        while (true) {
            const ssize_t n = ::read(file.get(), block.data(), block.size());
            if (n < 0) throw std::system_error(errno, std::generic_category(), entry.path());
            if (n == 0) break;
            const auto length = static_cast<std::size_t>(n);
            result.checksum = crc32c(ByteView(block.data(), length), result.checksum);
            result.bytes += length;
        }
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    return result;
}

double restart(World& world, Ending ending) {
    if (ending == Ending::stopped) {
        world.stop_daemon();
    } else {
        world.kill_daemon();
    }
    return world.start_daemon();
}

Line rate_line(const Settings& settings, World& world, std::uint32_t count, Ending ending) {
    std::vector<double> theirs;
    std::vector<double> ours;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < settings.runs; ++i) {
        const Checksummed all = read_and_checksum(world.state_directory());
        bytes = all.bytes;
        theirs.push_back(all.seconds);
        ours.push_back(restart(world, ending));
        if (settings.verbose)
            say(fmt::format("  {:.1f} ms, ours {:.1f} ms", theirs.back() * 1e3, ours.back() * 1e3));
    }
    const auto rate = [&](const std::vector<double>& seconds) {
        return static_cast<double>(bytes) / median(seconds) / 1e6;
    };
    const double ratio = median(theirs) / median(ours);
    return {"P7",
            fmt::format("process start to Ready after {}, {} of 100 B, {} MB",
                        ending == Ending::stopped ? "SIGTERM" : "SIGKILL",
                        grouped(count),
                        grouped(static_cast<double>(bytes) / 1e6)),
            fmt::format(
                "read and CRC32C {:.1f} ms, {} MB/s", median(theirs) * 1e3, grouped(rate(theirs))),
            fmt::format("{:.1f} ms, {} MB/s", median(ours) * 1e3, grouped(rate(ours))),
            fmt::format("{:.2f}", ratio),
            "0.5 of the rate",
            at_least(ratio, 0.5)};
}

struct Served {
    double ready_ms{};
    double first_ms{};
    double last_ms{};
};

// A reader waits; the daemon starts. Times are from the start of the daemon's process.
Served served_after_start(World& world, std::uint32_t count) {
    const auto reader = world.subscriber(
        Vendor::cyclone, {"--durability", "transient_local", "--expect", std::to_string(count)});
    // Its participant must exist; it says nothing before it is matched.
    std::this_thread::sleep_for(500ms);
    const auto started = Clock::now();
    const auto since_start = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    };
    Served served;
    served.ready_ms = world.start_daemon() * 1e3;
    need_line(*reader, "MATCHED 1");
    const double matched_ms = since_start();
    need_end(*reader);
    const Reading read = reading(*reader, count);
    served.first_ms = matched_ms + read.first_ms;
    served.last_ms = matched_ms + read.last_ms;
    return served;
}

Lines served_lines(const Settings& settings) {
    const std::uint32_t count = settings.samples(100'000);
    World world(settings.directory);
    world.start_daemon();
    world.leave_history(Vendor::cyclone, count, 100);
    std::vector<double> ready;
    std::vector<double> first;
    std::vector<double> last;
    for (std::size_t i = 0; i < settings.runs; ++i) {
        world.stop_daemon();
        const Served served = served_after_start(world, count);
        ready.push_back(served.ready_ms);
        first.push_back(served.first_ms);
        last.push_back(served.last_ms);
        if (settings.verbose) {
            say(fmt::format("  ready {:.1f} ms, first sample {:.1f} ms, last {:.1f} ms",
                            served.ready_ms,
                            served.first_ms,
                            served.last_ms));
        }
    }
    world.stop_daemon();
    const std::string workload = fmt::format("{} of 100 B, process start to ", grouped(count));
    return {{"P7",
             workload + "Ready",
             "Fast DDS reloads 100,000 in 1.2 s",
             fmt::format("{:.1f} ms", median(ready)),
             "",
             "100 ms at most",
             at_most(median(ready), 100)},
            {"P7",
             workload + "first (and last) sample at a waiting Cyclone reader",
             "",
             fmt::format("{:.1f} ms ({:.1f} ms)", median(first), median(last)),
             "",
             "100 ms at most",
             at_most(median(first), 100)}};
}

}  // namespace

Lines recovery(const Settings& settings) {
    Lines lines;
    {
        const std::uint32_t count = settings.samples(1'000'000);
        World world(settings.directory);
        world.start_daemon();
        world.leave_history(Vendor::cyclone, count, 100);
        lines.push_back(rate_line(settings, world, count, Ending::stopped));
        lines.push_back(rate_line(settings, world, count, Ending::killed));
        world.stop_daemon();
    }
    const Lines served = served_lines(settings);
    lines.insert(lines.end(), served.begin(), served.end());
    return lines;
}

}  // namespace durability::bench
