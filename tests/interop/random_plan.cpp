#include "random_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace durability::interop {
namespace {

using std::chrono::milliseconds;

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    std::uint64_t between(std::uint64_t least, std::uint64_t most) {
        return least + below(most - least + 1);
    }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

  private:
    std::mt19937_64 random_;
};

WriterPlan draw_writer(Draw& draw, std::size_t topic) {
    WriterPlan writer;
    writer.topic = topic;
    if (draw.one_in(3)) {
        writer.vendor = Vendor::fastdds;  // TRANSIENT_LOCAL only: the others need a database
        return writer;
    }
    writer.kind = std::array{Kind::transient_local,
                             Kind::transient_local,
                             Kind::transient,
                             Kind::persistent}[draw.below(4)];
    return writer;
}

ProcessPlan draw_process(Draw& draw, std::size_t topics) {
    ProcessPlan process;
    process.vendor = draw.one_in(2) ? Vendor::fastdds : Vendor::cyclone;
    process.topic = draw.below(topics);
    process.readers.assign(draw.between(1, 4), Kind::transient_local);
    process.apart = milliseconds(draw.one_in(2) ? 0 : draw.below(150));
    // In a Cyclone DDS process one that does not request TRANSIENT_LOCAL can be served only as long
    // as no other one was: it is the first one here. In a Fast DDS process it stands alone, because
    // it needs a name in a database that no two readers share.
    if (draw.one_in(4)) {
        process.readers.front() = Kind::transient;
        if (process.vendor == Vendor::fastdds) process.readers.resize(1);
    }
    return process;
}

using Sequence = std::vector<Step>;

Step step(Act act, std::size_t who = 0, std::uint64_t samples = 0) {
    return Step{act, who, static_cast<std::uint32_t>(samples), milliseconds{0}};
}

Sequence life_of_writer(Draw& draw, std::size_t who) {
    Sequence life{step(Act::start_writer, who, draw.between(1, 20))};
    const std::uint64_t bursts = draw.below(4);
    for (std::uint64_t i = 0; i < bursts; ++i)
        life.push_back(step(Act::write, who, draw.between(1, 15)));
    const std::uint64_t end = draw.below(4);
    if (end == 0) life.push_back(step(Act::end_writer, who));
    if (end == 1) life.push_back(step(Act::kill_writer, who));
    return life;
}

Sequence absence_of_daemon(Draw& draw) {
    const Act end = draw.one_in(2) ? Act::kill_daemon : Act::stop_daemon;
    return {step(end), step(Act::start_daemon)};
}

// Lays the sequences into each other at random; the order within each of them stays.
std::vector<Step> shuffle_together(Draw& draw, std::vector<Sequence> sequences) {
    std::vector<Step> all;
    std::erase_if(sequences, [](const Sequence& sequence) { return sequence.empty(); });
    while (!sequences.empty()) {
        const auto chosen =
            sequences.begin() + static_cast<std::ptrdiff_t>(draw.below(sequences.size()));
        all.push_back(chosen->front());
        all.back().pause = milliseconds(draw.one_in(3) ? 0 : draw.below(200));
        chosen->erase(chosen->begin());
        if (chosen->empty()) sequences.erase(chosen);
    }
    return all;
}

std::string_view name(Act act) {
    switch (act) {
        case Act::start_writer:
            return "start writer";
        case Act::write:
            return "write";
        case Act::end_writer:
            return "end writer";
        case Act::kill_writer:
            return "kill writer";
        case Act::start_readers:
            return "start readers";
        case Act::stop_daemon:
            return "stop daemon";
        case Act::kill_daemon:
            return "kill daemon";
        case Act::start_daemon:
            return "start daemon";
    }
    return "?";
}

}  // namespace

Plan make_plan(std::uint64_t seed) {
    Draw draw(seed);
    Plan plan;
    plan.seed = seed;
    const std::size_t writers = draw.between(1, 3);
    const std::size_t topics = writers > 1 && draw.one_in(2) ? 2 : 1;
    for (std::size_t i = 0; i < topics; ++i)
        plan.keyed.push_back(!draw.one_in(3));
    for (std::size_t i = 0; i < writers; ++i)
        plan.writers.push_back(draw_writer(draw, i < topics ? i : draw.below(topics)));
    const std::size_t processes = draw.between(1, 3);
    for (std::size_t i = 0; i < processes; ++i)
        plan.processes.push_back(draw_process(draw, topics));

    std::vector<Sequence> sequences;
    for (std::size_t i = 0; i < writers; ++i)
        sequences.push_back(life_of_writer(draw, i));
    for (std::size_t i = 0; i < processes; ++i)
        sequences.push_back({step(Act::start_readers, i)});
    Sequence absences;
    const std::uint64_t times = draw.below(4);  // none, one or two, and one more often than that
    for (std::uint64_t i = 0; i < (times == 3 ? 1 : times); ++i) {
        for (const Step& one : absence_of_daemon(draw))
            absences.push_back(one);
    }
    sequences.push_back(absences);
    plan.steps = shuffle_together(draw, std::move(sequences));
    plan.last_reader = draw.one_in(2) ? Vendor::fastdds : Vendor::cyclone;
    return plan;
}

std::string describe(const Plan& plan) {
    std::string text = fmt::format("seed {}\n", plan.seed);
    for (std::size_t i = 0; i < plan.keyed.size(); ++i)
        text += fmt::format("topic {}: {}\n", i, plan.keyed[i] ? "keyed" : "unkeyed");
    for (std::size_t i = 0; i < plan.writers.size(); ++i) {
        const WriterPlan& writer = plan.writers[i];
        text += fmt::format("writer {}: {} {}, topic {}\n",
                            i,
                            name(writer.vendor),
                            name(writer.kind),
                            writer.topic);
    }
    for (std::size_t i = 0; i < plan.processes.size(); ++i) {
        const ProcessPlan& process = plan.processes[i];
        text += fmt::format("process {}: {}, topic {}, readers {} ms apart:",
                            i,
                            name(process.vendor),
                            process.topic,
                            process.apart.count());
        for (const Kind kind : process.readers)
            text += fmt::format(" {}", name(kind));
        text += "\n";
    }
    for (const Step& one : plan.steps) {
        text += fmt::format(
            "{} {} {}, then {} ms\n", name(one.act), one.who, one.samples, one.pause.count());
    }
    return text + fmt::format("last reader: {}\n", name(plan.last_reader));
}

}  // namespace durability::interop
