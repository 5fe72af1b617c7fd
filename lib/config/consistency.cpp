// Checks over the whole configuration, after every file and the command line have been read.
#include "base/text.hpp"
#include "config/interpret.hpp"
#include "model/ros_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fnmatch.h>

namespace durability::config {
namespace {

Problem at_origin(const Loaded& loaded,
                  const std::string& path,
                  std::string message,
                  std::string hint = {}) {
    Problem problem;
    const auto found = loaded.origins.find(path);
    if (found != loaded.origins.end()) {
        problem.file = found->second.file;
        problem.line = found->second.line;
        problem.column = found->second.column;
        problem.source = found->second.source;
    } else {
        problem.file = "built-in default";
    }
    problem.path = path;
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return problem;
}

// Which options and sections something is wrong with already.
class Troubled {
  public:
    explicit Troubled(const std::vector<Problem>& problems) {
        for (const Problem& problem : problems) {
            paths_.push_back(problem.path);
            // There the path is the option's name, so it may be any that can be given.
            if (problem.file == command_line)
                paths_.insert(paths_.end(), {"domains", "network.port_base", "store"});
        }
    }
    // `path` itself, or something below it.
    [[nodiscard]] bool at(std::string_view path) const {
        return std::any_of(paths_.begin(), paths_.end(), [&](std::string_view one) {
            return one.starts_with(path) && (one.size() == path.size() || one[path.size()] == '.' ||
                                             one[path.size()] == '[');
        });
    }

  private:
    std::vector<std::string> paths_;
};

void check_domains(const Loaded& loaded, std::vector<Problem>& problems) {
    const Config& config = loaded.config;
    if (config.domains.empty())
        problems.push_back(at_origin(loaded, "domains", "no domain is given"));
    std::set<std::uint32_t> seen;
    for (const std::uint32_t domain : config.domains) {
        if (!seen.insert(domain).second) {
            problems.push_back(
                at_origin(loaded, "domains", fmt::format("domain {} is given twice", domain)));
        }
        if (!config.network.port_base) continue;
        // RTPS 2.5, 9.6.2: PB + DG * domain + the greater unicast offset + PG * participant; two of
        // ours.
        const std::uint64_t last = *config.network.port_base + 250ULL * domain + 11 + 2;
        if (last > 65'535) {
            problems.push_back(at_origin(
                loaded,
                "domains",
                fmt::format(
                    "domain {} has no ports above port base {}", domain, *config.network.port_base),
                "ports end at 65535, and each domain takes 250"));
        }
    }
}

void check_directories(const Loaded& loaded, std::vector<Problem>& problems) {
    const auto& store = loaded.config.store;
    if (store.directory != store.runtime_directory) return;
    problems.push_back(at_origin(loaded,
                                 "store.runtime_directory",
                                 "is the same as store.directory",
                                 "memory topics need a directory of their own, on a tmpfs"));
}

// DDS 1.4, 2.2.3.19: a limit for each instance above the total limit could never be reached.
void check_contract(const Loaded& loaded,
                    const std::string& section,
                    const Contract& contract,
                    std::vector<Problem>& problems) {
    const std::uint64_t per_instance = contract.max_samples_per_instance;
    const bool bounded = per_instance != unlimited;
    if (bounded && per_instance > contract.max_samples) {
        problems.push_back(at_origin(
            loaded,
            section + ".max_samples_per_instance",
            fmt::format("{} is above max_samples {}", per_instance, contract.max_samples)));
    }
    const std::uint64_t bound = std::min(per_instance, contract.max_samples);
    if (contract.history == ContractHistory::keep_last && contract.depth > bound) {
        const std::string_view by =
            bound == per_instance ? "max_samples_per_instance" : "max_samples";
        problems.push_back(at_origin(loaded,
                                     section + ".depth",
                                     fmt::format("{} is above {} {}", contract.depth, by, bound)));
    }
}

// A rule's contract as far as the rule writes it. A field left out comes from the writer or the
// default and is not this rule's mistake, so it is taken as no limit.
Contract written(const ContractOverride& fields) {
    Contract contract;
    contract.history = fields.history.value_or(ContractHistory::keep_last);
    contract.depth = fields.depth.value_or(1);
    contract.max_samples = fields.max_samples.value_or(unlimited);
    contract.max_samples_per_instance = fields.max_samples_per_instance.value_or(unlimited);
    return contract;
}

bool has_glob(const std::string& text) {
    return text.find_first_of("*?[\\") != std::string::npos;
}

// True only when certain: every name that `later` matches is matched by `earlier`.
bool covers(const std::string& earlier, const std::string& later) {
    if (earlier == "*" || earlier == later) return true;
    return !has_glob(later) && ::fnmatch(earlier.c_str(), later.c_str(), 0) == 0;
}

void check_threads(const Loaded& loaded, std::vector<Problem>& problems) {
    const auto& threads = loaded.config.threads;
    const std::array named{std::pair{std::string("threads.loop"), &threads.loop},
                           std::pair{std::string("threads.store"), &threads.store},
                           std::pair{std::string("threads.sync"), &threads.sync},
                           std::pair{std::string("threads.cleanup"), &threads.cleanup}};
    for (const auto& [section, settings] : named) {
        // sched(7): SCHED_OTHER has no priority, the others need one.
        const bool realtime =
            settings->policy == ThreadPolicy::fifo || settings->policy == ThreadPolicy::rr;
        if (realtime && !settings->priority) {
            problems.push_back(at_origin(loaded,
                                         section + ".policy",
                                         "fifo and rr need a priority",
                                         fmt::format("add {}.priority, from 1 to 99", section)));
        } else if (!realtime && settings->priority) {
            problems.push_back(at_origin(loaded,
                                         section + ".priority",
                                         "has no meaning without policy fifo or rr",
                                         fmt::format("add {}.policy: rr", section)));
        }
    }
}

std::string file_of(const Loaded& loaded, std::size_t rule) {
    const auto found = loaded.origins.find(fmt::format("topics[{}]", rule));
    return found == loaded.origins.end() ? std::string() : found->second.file;
}

// The name of a rule's topic, in the way it was written.
std::string name_of(const TopicRule& rule) {
    return printable(rule.ros_topic.value_or(rule.topic), 60);
}

// A name such as /map is one of ROS 2, whose topics are called otherwise in DDS.
void check_name(const Loaded& loaded, std::size_t index, std::vector<Problem>& problems) {
    const TopicRule& rule = loaded.config.topics[index];
    if (!rule.topic.starts_with('/') || check_ros_topic(rule.topic)) return;
    Problem warning = at_origin(loaded,
                                fmt::format("topics[{}].topic", index),
                                fmt::format("in DDS the ROS topic '{}' is called '{}'",
                                            printable(rule.topic, 60),
                                            printable(dds_topic_of_ros(rule.topic), 60)),
                                fmt::format("write ros_topic: {}", quote_if_needed(rule.topic)));
    warning.gravity = Gravity::warning;
    problems.push_back(std::move(warning));
}

// One rule against the sound ones before it. Shadowing by another file is how an operator overrides
// a package's rule, so it is reported within one file only.
void check_rule(const Loaded& loaded,
                std::size_t index,
                const std::vector<bool>& sound,
                std::vector<Problem>& problems) {
    const auto& topics = loaded.config.topics;
    const TopicRule& later = topics[index];
    const std::string path = fmt::format("topics[{}]", index);
    for (std::size_t i = 0; i < index; ++i) {
        if (!sound[i]) continue;
        const TopicRule& earlier = topics[i];
        const bool same = earlier.topic == later.topic && earlier.type == later.type &&
                          earlier.partition == later.partition;
        if (same) {
            problems.push_back(
                at_origin(loaded,
                          path,
                          fmt::format("the rule for topic '{}' was already given at {}",
                                      name_of(later),
                                      earlier.origin)));
            return;
        }
        const bool shadowed = covers(earlier.topic, later.topic) &&
                              covers(earlier.type, later.type) &&
                              covers(earlier.partition, later.partition);
        if (shadowed && file_of(loaded, i) == file_of(loaded, index)) {
            Problem warning =
                at_origin(loaded,
                          path,
                          fmt::format("the rule is never reached: the one at {} matches first",
                                      earlier.origin),
                          "put the narrower rule first");
            warning.gravity = Gravity::warning;
            problems.push_back(std::move(warning));
            return;
        }
    }
}

}  // namespace

void check_consistency(const Loaded& loaded, std::vector<Problem>& problems) {
    const Troubled troubled(problems);
    if (!troubled.at("domains") && !troubled.at("network.port_base"))
        check_domains(loaded, problems);
    if (!troubled.at("store")) check_directories(loaded, problems);
    if (!troubled.at("threads")) check_threads(loaded, problems);
    if (!troubled.at("default_contract"))
        check_contract(loaded, "default_contract", loaded.config.default_contract, problems);
    const auto& topics = loaded.config.topics;
    std::vector<bool> sound(topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        sound[i] = !troubled.at(fmt::format("topics[{}]", i));
        if (!sound[i]) continue;
        check_contract(
            loaded, fmt::format("topics[{}].contract", i), written(topics[i].contract), problems);
        check_name(loaded, i, problems);
        check_rule(loaded, i, sound, problems);
    }
}

}  // namespace durability::config
