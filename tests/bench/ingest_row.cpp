// P1: a Cyclone DDS writer that writes as fast as it can, and its only reader.
#include "numbers.hpp"
#include "rows.hpp"
#include "world.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace durability::bench {
namespace {

// About a second at full speed: a last acknowledgement that waits for the writer's next HEARTBEAT
// must not weigh much.
constexpr std::uint32_t full_count = 300'000;

Words flat_out(std::uint32_t count, std::uint32_t size) {
    // PERSISTENT has the daemon store it on disk, and to Cyclone it is no history to keep for
    // itself.
    return {"--durability",
            "persistent",
            "--count",
            std::to_string(count),
            "--size",
            std::to_string(size)};
}

// Samples acknowledged a second.
double acknowledged(test::Process& writer) {
    const double rate = field(need_line(writer, "BENCH "), "acked_rate");
    writer.write_line("exit");
    need_end(writer);
    return rate;
}

double stock_reader(const Settings& settings, std::uint32_t count, std::uint32_t size) {
    const World world(settings.directory);
    const auto reader =
        world.subscriber(Vendor::cyclone, {"--expect", std::to_string(count), "--settle", "0"});
    const auto writer = world.publisher(Vendor::cyclone, flat_out(count, size));
    const double rate = acknowledged(*writer);
    need_end(*reader);
    std::ignore = reading(*reader, count);
    return rate;
}

double daemon(const Settings& settings, std::uint32_t count, std::uint32_t size) {
    World world(settings.directory);
    world.start_daemon();
    const auto writer = world.publisher(Vendor::cyclone, flat_out(count, size));
    const double rate = acknowledged(*writer);
    const auto kept = world.retained();
    if (kept != count)
        throw std::runtime_error(fmt::format("{} of {} acknowledged samples kept", kept, count));
    world.stop_daemon();
    return rate;
}

Line measure(const Settings& settings, std::uint32_t size) {
    const std::uint32_t count = settings.samples(full_count);
    std::vector<double> theirs;
    std::vector<double> ours;
    for (std::size_t i = 0; i < settings.runs; ++i) {
        theirs.push_back(stock_reader(settings, count, size));
        ours.push_back(daemon(settings, count, size));
        if (settings.verbose)
            say(fmt::format("  {} B: {:.0f}/s, ours {:.0f}/s", size, theirs.back(), ours.back()));
    }
    const double ratio = median(ours) / median(theirs);
    return {
        "P1",
        fmt::format("ingest, Cyclone writer, {} of {} B, commit, none lost", grouped(count), size),
        fmt::format("Cyclone reader {}/s", grouped(median(theirs))),
        fmt::format("{}/s", grouped(median(ours))),
        fmt::format("{:.2f}", ratio),
        "1.0",
        at_least(ratio, 1.0)};
}

}  // namespace

Lines ingest(const Settings& settings) {
    return {measure(settings, 100), measure(settings, 1024)};
}

}  // namespace durability::bench
