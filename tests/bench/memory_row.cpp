// P8: resident memory.
#include "numbers.hpp"
#include "rows.hpp"
#include "world.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace durability::bench {
namespace {

constexpr double sample_target = 64;       // bytes
constexpr double idle_target = 12 * 1024;  // KiB

double resident_kib(const test::Process& process) {
    const auto kib = process.resident_kib();
    if (!kib) throw std::runtime_error("a process ended before its memory was measured");
    return static_cast<double>(*kib);
}

// Of a stock writer that holds `count` samples of 100 B itself.
double writer_kib(const World& world, Vendor vendor, std::uint32_t count) {
    Words options = World::latched(count, 100);
    options.insert(options.end(), {"--wait-matched", "0"});
    const auto writer = world.publisher(vendor, options);
    need_line(*writer, "BENCH ");
    const double kib = resident_kib(*writer);
    writer->write_line("exit");
    need_end(*writer);
    return kib;
}

// How much each of `count` samples added.
double per_sample(double with_kib, double without_kib, std::uint32_t count) {
    return (with_kib - without_kib) * 1024 / count;
}

Line sample_line(const std::string& when, const std::string& reference, double bytes) {
    return {"P8",
            "resident bytes for each retained sample of 100 B, " + when,
            reference,
            fmt::format("{:.0f} B", bytes),
            "",
            fmt::format("{:.0f} B", sample_target),
            at_most(bytes, sample_target)};
}

}  // namespace

Lines memory(const Settings& settings) {
    const std::uint32_t count = settings.samples(1'000'000);
    std::vector<double> idle_kib;
    for (std::size_t i = 0; i < settings.runs; ++i) {
        World world(settings.directory);
        world.start_daemon();
        idle_kib.push_back(resident_kib(world.daemon()));
        world.stop_daemon();
    }

    // One measurement of each: what a sample takes does not vary from run to run.
    const World stock(settings.directory);
    const double stock_idle = writer_kib(stock, Vendor::cyclone, 1);
    const double stock_full = writer_kib(stock, Vendor::cyclone, count);
    const std::string reference =
        fmt::format("Cyclone writer {:.0f} B", per_sample(stock_full, stock_idle, count));

    World world(settings.directory);
    world.start_daemon();
    world.leave_history(Vendor::cyclone, count, 100);
    const double after_ingest = resident_kib(world.daemon());
    world.stop_daemon();
    world.start_daemon();
    const double after_restart = resident_kib(world.daemon());
    std::ignore = world.join_late(Vendor::cyclone, count);
    const double after_replay = resident_kib(world.daemon());
    world.stop_daemon();

    const double idle = median(idle_kib);
    const auto ours = [&](double kib) { return per_sample(kib, idle, count); };
    return {
        sample_line(fmt::format("{} just recorded", grouped(count)), reference, ours(after_ingest)),
        sample_line("after a restart", reference, ours(after_restart)),
        sample_line("after a late reader had them all", reference, ours(after_replay)),
        {"P8",
         "resident, idle",
         fmt::format("Cyclone participant {:.1f} MiB", stock_idle / 1024),
         fmt::format("{:.1f} MiB", idle / 1024),
         fmt::format("{:.2f}", idle / stock_idle),
         fmt::format("{:.0f} MiB", idle_target / 1024),
         at_most(idle, idle_target)}};
}

}  // namespace durability::bench
