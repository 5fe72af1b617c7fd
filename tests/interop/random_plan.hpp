// What happens in one random run, drawn from its seed before anything is started: who writes, who
// comes late, when the daemon goes. random_run.hpp plays it.
#pragma once

#include "harness.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace durability::interop {

struct WriterPlan {
    Vendor vendor{Vendor::cyclone};
    Kind kind{Kind::transient_local};
    std::size_t topic{0};

    // A Cyclone DDS writer of these kinds gives late readers nothing and keeps only what was not
    // acknowledged: what it writes while a reader is being met may reach it twice or never
    // (the race window of every such service), so a run lets it pause meanwhile.
    [[nodiscard]] bool forgets() const { return kind != Kind::transient_local; }
};

struct ProcessPlan {
    Vendor vendor{Vendor::cyclone};
    std::size_t topic{0};
    std::vector<Kind> readers;  // what each requests, in the order of creation
    std::chrono::milliseconds apart{0};
};

enum class Act {
    start_writer,
    write,
    end_writer,
    kill_writer,
    start_readers,
    stop_daemon,
    kill_daemon,
    start_daemon
};

struct Step {
    Act act{Act::write};
    std::size_t who{0};        // writer or process
    std::uint32_t samples{0};  // of write and start_writer
    std::chrono::milliseconds pause{0};
};

struct Plan {
    std::uint64_t seed{0};
    std::vector<bool> keyed;  // by topic
    std::vector<WriterPlan> writers;
    std::vector<ProcessPlan> processes;
    std::vector<Step> steps;
    Vendor last_reader{Vendor::cyclone};  // comes when everything else is over
};

// The same seed makes the same plan.
Plan make_plan(std::uint64_t seed);

std::string describe(const Plan& plan);

}  // namespace durability::interop
