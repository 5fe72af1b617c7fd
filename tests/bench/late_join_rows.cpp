// P5 and P6: readers that come after the writer has gone, against the same vendor's living writer.
#include "numbers.hpp"
#include "rows.hpp"
#include "world.hpp"

#include <fmt/format.h>

namespace durability::bench {
namespace {

struct Case {
    std::string_view row;
    Vendor vendor;
    std::uint32_t count;
    std::uint32_t size;
    double target;  // times as fast as the living writer, to the last sample
};

// Until what a reader of the daemon may wait for its first sample after the match.
constexpr double first_sample_ms = 12;

struct Joins {
    std::vector<double> first_ms;
    std::vector<double> last_ms;
    void add(const Reading& reading) {
        first_ms.push_back(reading.first_ms);
        last_ms.push_back(reading.last_ms);
    }
};

// The same vendor's own writer, alive, and one late reader. A Fast DDS writer on a busy machine may
// never get a large history across; it counts as if it had just made it.
Reading join_living(const Settings& settings, const Case& what, std::uint32_t count) {
    constexpr auto patience_ms = std::chrono::milliseconds(30s);
    const World world(settings.directory);
    Words options = World::latched(count, what.size);
    options.insert(options.end(), {"--wait-matched", "0"});
    const auto living = world.publisher(what.vendor, options);
    need_line(*living, "WRITTEN ");
    const auto reader = world.late_reader(what.vendor, count, patience_ms);
    const auto ended = reader->wait(patience_ms + 10s);
    if (ended && ended->status == 0) return reading(*reader, count);
    say(fmt::format("  the living writer served nobody within {} ms", patience_ms.count()));
    const auto late = static_cast<double>(patience_ms.count());
    return {late, late, 0};
}

Lines measure(const Settings& settings, const Case& what) {
    const std::uint32_t count = settings.samples(what.count);
    World ours_world(settings.directory);
    ours_world.start_daemon();
    ours_world.leave_history(what.vendor, count, what.size);

    Joins theirs;
    Joins ours;
    for (std::size_t i = 0; i < settings.runs; ++i) {
        theirs.add(join_living(settings, what, count));
        ours.add(ours_world.join_late(what.vendor, count));
        if (settings.verbose) {
            say(fmt::format("  {} of {} B: {:.1f} / {:.1f} ms, ours {:.1f} / {:.1f} ms",
                            count,
                            what.size,
                            theirs.first_ms.back(),
                            theirs.last_ms.back(),
                            ours.first_ms.back(),
                            ours.last_ms.back()));
        }
    }
    ours_world.stop_daemon();

    const std::string row(what.row);
    const std::string workload = fmt::format(
        "late join, {} reader, {} of {} B", name(what.vendor), grouped(count), what.size);
    const double ratio = median(theirs.last_ms) / median(ours.last_ms);
    return {{row,
             workload + ", match to last",
             fmt::format("living writer {} ms", grouped(median(theirs.last_ms), 1)),
             fmt::format("{} ms", grouped(median(ours.last_ms), 1)),
             fmt::format("{:.2f}", ratio),
             fmt::format("{:.1f} times as fast", what.target),
             at_least(ratio, what.target)},
            {row,
             workload + ", match to first",
             fmt::format("living writer {:.1f} ms", median(theirs.first_ms)),
             fmt::format("{:.1f} ms", median(ours.first_ms)),
             fmt::format("{:.2f}", median(theirs.first_ms) / median(ours.first_ms)),
             fmt::format("{:.0f} ms at most", first_sample_ms),
             at_most(median(ours.first_ms), first_sample_ms)}};
}

Lines measure_all(const Settings& settings, const std::vector<Case>& cases) {
    Lines lines;
    for (const Case& what : cases) {
        const Lines measured = measure(settings, what);
        lines.insert(lines.end(), measured.begin(), measured.end());
    }
    return lines;
}

}  // namespace

Lines late_join_cyclone(const Settings& settings) {
    return measure_all(settings,
                       {{"P5", Vendor::cyclone, 10'000, 100, 1.0},
                        {"P5", Vendor::cyclone, 100'000, 100, 2.5},
                        {"P5", Vendor::cyclone, 10'000, 1024, 1.0},
                        {"P5", Vendor::cyclone, 100'000, 1024, 2.5}});
}

Lines late_join_fastdds(const Settings& settings) {
    Lines lines = measure_all(settings,
                              {{"P6", Vendor::fastdds, 10'000, 100, 2.5},
                               {"P6", Vendor::fastdds, 100'000, 100, 2.5},
                               {"P6", Vendor::fastdds, 10'000, 1024, 2.5},
                               {"P6", Vendor::fastdds, 100'000, 1024, 2.5}});
    // The time to the first sample is a target of P5 only: a Fast DDS reader asks in its own time.
    std::erase_if(lines, [](const Line& line) { return line.workload.ends_with("first"); });
    return lines;
}

}  // namespace durability::bench
