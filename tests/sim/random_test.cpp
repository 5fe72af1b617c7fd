// Schedules made at random: writers and readers of both vendors come, write, leave and die, the
// daemon is stopped and killed, the network loses and reorders. Whatever happens, every reader ends
// up with what it is entitled to, once, and in the order of each writer.
#include "sim/world.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

using namespace durability;
using namespace durability::test;

namespace {

// A seed of its own to repeat a failure: DURABILITYD_SIM_SEED. More schedules:
// DURABILITYD_SIM_RUNS.
std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Schedule {
  public:
    explicit Schedule(std::uint64_t seed) : random_(seed), world_(seed, conditions()) {}

    // Empty when every reader has what it should have.
    std::string run() {
        world_.start_daemon();
        const int steps = 8 + static_cast<int>(below(12));
        for (int step = 0; step < steps; ++step) {
            act();
            world_.run(Duration{static_cast<std::int64_t>(below(400'000'000))});
        }
        if (!world_.has_daemon()) world_.start_daemon();
        world_.run(60s);  // leases of the dead, the slowest repairs
        std::string complaint;
        for (const Listener& listener : listeners_)
            complaint += judge(listener);
        if (complaint.empty()) return complaint;
        for (const Event& event : world_.daemon().events())
            complaint += to_line(event) + "\n";
        return complaint;
    }

  private:
    struct Talker {
        Application* application{nullptr};
        ModelWriter* writer{nullptr};
        std::optional<MonoTime> ended;
        bool farewell{false};
    };
    struct Listener {
        const AppReader* reader{nullptr};
    };

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    LinkConditions conditions() {
        LinkConditions link;
        const std::uint64_t kind = below(4);
        if (kind == 1) link.loss = 0.2;
        if (kind == 2) link.max_delay = 8ms;
        if (kind == 3) link = {0.1, 0.2, 50us, 4ms};
        return link;
    }
    VendorId any_vendor() { return below(2) == 0 ? vendor::eprosima : vendor::eclipse; }

    void act() {
        switch (below(8)) {
            case 0:
                return start_talker();
            case 1:
            case 2:
                return write();
            case 3:
            case 4:
                return start_listener();
            case 5:
                return end_talker();
            case 6:
                return end_daemon();
            default:
                return start_daemon();
        }
    }
    void start_talker() {
        if (talkers_.size() >= 4) return write();
        Application& application = world_.start_application(any_vendor());
        talkers_.push_back({&application, &world_.create_writer(application, {}), {}, false});
        world_.run(Duration{static_cast<std::int64_t>(below(300'000'000))});
        world_.write(*talkers_.back().writer, 1 + static_cast<int>(below(30)));
    }
    void write() {
        for (Talker& talker : talkers_) {
            if (!talker.ended) world_.write(*talker.writer, static_cast<int>(below(10)));
        }
    }
    void start_listener() {
        Application* application = nullptr;
        if (!applications_.empty() && below(2) == 0)
            application = applications_[below(applications_.size())];
        if (application == nullptr) {
            if (applications_.size() >= 5) return;
            application = &world_.start_application(any_vendor());
            applications_.push_back(application);
        }
        listeners_.push_back({&world_.create_reader(*application, {})});
    }
    void end_talker() {
        for (Talker& talker : talkers_) {
            if (talker.ended || below(2) == 0) continue;
            talker.ended = world_.now().mono;
            talker.farewell = below(2) == 0;
            return world_.end_application(*talker.application,
                                          talker.farewell ? Ending::farewell : Ending::killed);
        }
    }
    void end_daemon() {
        if (!world_.has_daemon()) return;
        world_.end_daemon(below(2) == 0 ? Ending::killed : Ending::stopped);
        ended_daemon_.push_back(world_.now().mono);
    }
    void start_daemon() {
        if (!world_.has_daemon()) world_.start_daemon();
    }

    // The writer died within the handover window (semantics.md, section 7).
    [[nodiscard]] static bool duplicates_allowed(const AppReader& reader, const Talker& talker) {
        return talker.ended && *talker.ended >= reader.created &&
               *talker.ended - reader.created < 6s;
    }

    std::string judge(const Listener& listener) {
        const AppReader& reader = *listener.reader;
        std::string complaint;
        for (const Talker& talker : talkers_) {
            const Guid& guid = talker.writer->guid();
            std::map<std::int64_t, int> times;
            std::int64_t previous = 0;
            bool ascending = true;
            for (const Delivered& sample : reader.received) {
                if (sample.id.writer != guid) continue;
                ++times[sample.id.number.value];
                ascending = ascending && sample.id.number.value > previous;
                previous = sample.id.number.value;
                if (!sample.intact) complaint += "damaged ";
            }
            const bool lenient = duplicates_allowed(reader, talker);
            const bool twice =
                std::ranges::any_of(times, [](const auto& entry) { return entry.second > 1; });
            std::string missing;
            for (const auto& [number, written] : talker.writer->written()) {
                const auto kept = talker.writer->kept().find(number);
                const bool was_kept =
                    kept != talker.writer->kept().end() && kept->second < reader.created;
                if ((was_kept || !talker.ended) && !times.contains(number))
                    missing += fmt::format("{} ", number);
            }
            if ((twice || !ascending) && !lenient) complaint += "not once and in order; ";
            if (!missing.empty()) complaint += fmt::format("missing {}; ", missing);
            if (complaint.empty()) continue;
            return fmt::format(
                "{} of {} at {} (created {} ms, writer ended {} ms, daemon ended {}): {}\n",
                complaint,
                to_string(guid),
                to_string(reader.data.guid),
                (reader.created - MonoTime{1h}) / 1ms,
                talker.ended ? (*talker.ended - MonoTime{1h}) / 1ms : -1,
                ended_daemon_.size(),
                reader.numbers_of(guid));
        }
        return complaint;
    }

    std::mt19937_64 random_;
    World world_;
    std::vector<Talker> talkers_;
    std::vector<Application*> applications_;
    std::vector<Listener> listeners_;
    std::vector<MonoTime> ended_daemon_;
};

}  // namespace

TEST_CASE("whatever happens, every reader has what it is entitled to, once and in order") {
    const std::uint64_t first = number_from_environment("DURABILITYD_SIM_SEED", 1);
    const std::uint64_t runs = number_from_environment(
        "DURABILITYD_SIM_RUNS", std::getenv("DURABILITYD_SIM_SEED") == nullptr ? 300 : 1);
    for (std::uint64_t seed = first; seed < first + runs; ++seed) {
        INFO("DURABILITYD_SIM_SEED=" << seed);
        CHECK(Schedule(seed).run() == "");
    }
}
