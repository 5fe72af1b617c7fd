// include/durability/load_config.hpp: the loader and the schema for other programs.
#include "types/key_plan.hpp"

#include "config/interpret.hpp"
#include "config/loader.hpp"
#include "config/schema.hpp"
#include "durability/load_config.hpp"
#include "durability/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace durability {
namespace {

using config::Complaint;
using config::Gravity;
using config::Option;
using config::Problem;
using config::Scalar;
using config::Slot;

ConfigProblem to_public(const Problem& problem) {
    return {.file = problem.file,
            .line = problem.line,
            .column = problem.column,
            .path = problem.path,
            .message = problem.message,
            .hint = problem.hint,
            .is_warning = problem.gravity == Gravity::warning,
            .text = config::to_text(problem)};
}

std::vector<ConfigProblem> to_public(const std::vector<Problem>& problems) {
    std::vector<ConfigProblem> result;
    result.reserve(problems.size());
    for (const Problem& problem : problems)
        result.push_back(to_public(problem));
    return result;
}

ConfigResult to_public(tl::expected<config::Loaded, std::vector<Problem>> loaded) {
    if (!loaded) return tl::unexpected(to_public(loaded.error()));
    return LoadedConfig{std::move(loaded->config), to_public(loaded->warnings)};
}

Problem at(std::string path, std::string message, std::string hint = {}) {
    Problem problem;
    problem.file = "configuration";
    problem.path = std::move(path);
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return problem;
}

// What would be written in a file for the value in a slot; nothing where nothing would.
std::vector<Scalar> written(const Option& option, const Slot& slot) {
    std::vector<Scalar> result;
    if (const auto* const* texts = std::get_if<std::vector<std::string>*>(&slot)) {
        for (const std::string& text : **texts)
            result.push_back({text, false});
    } else if (const auto* const* numbers = std::get_if<std::vector<std::uint32_t>*>(&slot)) {
        for (const std::uint32_t number : **numbers)
            result.push_back({std::to_string(number), false});
    } else if (const auto* const* text = std::get_if<std::string*>(&slot)) {
        const bool is_given = option.type != config::Type::optional_path || !(*text)->empty();
        if (is_given) result.push_back({**text, false});
    } else if (const auto* const* given = std::get_if<std::optional<std::string>*>(&slot)) {
        if (**given) result.push_back({***given, false});
    } else {
        std::string value = config::format_value(option, slot);
        if (!value.empty()) result.push_back({std::move(value), false});
    }
    return result;
}

bool is_known(const Option& option, const Slot& slot) {
    if (option.choices.empty()) return true;
    // An enumeration holds whatever a program casts to it.
    return std::visit(
        [&](auto pointer) {
            using T = std::remove_pointer_t<decltype(pointer)>;
            if constexpr (std::is_enum_v<T>) {
                return static_cast<std::size_t>(*pointer) < option.choices.size();
            } else if constexpr (std::is_same_v<T, std::optional<ContractHistory>> ||
                                 std::is_same_v<T, std::optional<ContractScope>> ||
                                 std::is_same_v<T, std::optional<ThreadPolicy>>) {
                return !*pointer || static_cast<std::size_t>(**pointer) < option.choices.size();
            } else {
                return true;
            }
        },
        slot);
}

// Every value through the same check as one in a file, into a configuration that is thrown away.
class ValueCheck {
  public:
    explicit ValueCheck(const Config& config) : config_(config) {}

    std::vector<Problem> run() {
        for (const Option& option : config::options()) {
            if (!option.path.starts_with("topics[]"))
                check(option, {&config_, nullptr}, std::string(option.path));
        }
        for (std::size_t i = 0; i < config_.topics.size(); ++i)
            check_rule(i);
        return std::move(problems_);
    }

  private:
    void check_rule(std::size_t index) {
        TopicRule& rule = config_.topics[index];
        for (const Option& option : config::options()) {
            if (!option.path.starts_with("topics[]")) continue;
            const std::string path = fmt::format(
                "topics[{}]{}", index, option.path.substr(std::string_view("topics[]").size()));
            check(option, {&config_, &rule}, path);
        }
        if (rule.key.empty()) return;
        if (const auto plan = types::KeyPlan::from_layout(rule.key); !plan)
            problems_.push_back(at(fmt::format("topics[{}].key", index), plan.error().detail));
    }

    void check(const Option& option, config::Target target, const std::string& path) {
        const Slot slot = option.slot(target);
        if (!is_known(option, slot)) {
            problems_.push_back(at(path, "is none of the known values"));
            return;
        }
        Config scratch;
        TopicRule scratch_rule;
        const Slot other = option.slot({&scratch, &scratch_rule});
        for (const Scalar& scalar : written(option, slot)) {
            if (auto complaint = config::assign(option, other, scalar))
                problems_.push_back(
                    at(path, std::move(complaint->message), std::move(complaint->hint)));
        }
    }

    Config config_;  // a copy: slots are places to write to
    std::vector<Problem> problems_;
};

bool has_thread_settings(const Config& config) {
    const auto& threads = config.threads;
    return !threads.loop.empty() || !threads.store.empty() || !threads.sync.empty() ||
           !threads.cleanup.empty();
}

}  // namespace

ConfigResult load_config(const std::string& file, const std::string& conf_d) {
    config::Sources sources;
    sources.file = file;
    sources.conf_d = conf_d;
    return to_public(config::load(sources));
}

ConfigResult parse_config(std::string_view yaml, const std::string& name) {
    return to_public(config::load_text(name, std::string(yaml)));
}

std::vector<ConfigProblem> check_config(const Config& config) {
    std::vector<Problem> problems = ValueCheck(config).run();
    if (!has_realtime() && has_thread_settings(config)) {
        problems.push_back(at("threads",
                              "feature missing: real-time thread settings need a build with the "
                              "CMake option DURABILITYD_RT"));
    }
    // What contradicts a value that is itself wrong says nothing new.
    if (problems.empty()) {
        config::Loaded loaded;
        loaded.config = config;
        for (std::size_t i = 0; i < config.topics.size(); ++i) {
            TopicRule& rule = loaded.config.topics[i];
            if (rule.origin.empty()) rule.origin = fmt::format("topics[{}]", i);
        }
        config::check_consistency(loaded, problems);
        for (Problem& problem : problems)
            problem.file = "configuration";
    }
    return to_public(problems);
}

}  // namespace durability
