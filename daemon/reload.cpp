#include "daemon/reload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace durability::daemon {
namespace {

ReloadProblem to_value(const config::Problem& problem) {
    ReloadProblem value;
    value.is_error = problem.gravity == config::Gravity::error;
    value.file = problem.file;
    value.line = problem.line;
    value.column = problem.column;
    value.path = problem.path;
    value.message = problem.message;
    value.hint = problem.hint;
    value.text = config::to_text(problem);
    return value;
}

std::string place_of(const ReloadProblem& problem) {
    if (problem.line == 0) return problem.file;
    return fmt::format("{}:{}:{}", problem.file, problem.line, problem.column);
}

std::string first_error(const ReloadVerdict& verdict) {
    const auto first = std::ranges::find_if(verdict.problems,
                                            [](const auto& problem) { return problem.is_error; });
    if (first == verdict.problems.end()) return "unknown";
    std::string text = first->file.empty() ? "" : place_of(*first) + ": ";
    if (!first->path.empty()) text += first->path + ": ";
    return text + first->message;
}

std::uint64_t topics_with(const ReloadVerdict& verdict, TopicEffect::Kind kind) {
    return static_cast<std::uint64_t>(std::ranges::count(verdict.topics, kind, &TopicEffect::kind));
}

}  // namespace

ReloadPlan plan_reload(const config::Loaded& running, const config::Sources& sources) {
    ReloadPlan plan;
    ReloadVerdict& verdict = plan.verdict;
    auto loaded = config::load(sources);
    for (const config::Problem& problem : loaded ? loaded->warnings : loaded.error())
        verdict.problems.push_back(to_value(problem));
    if (!loaded) return plan;
    auto difference = config::compare(running.config, loaded->config);
    verdict.accepted = true;
    verdict.files = loaded->files;
    verdict.rules = loaded->config.topics.size();
    verdict.rules_added = difference.rules_added;
    verdict.rules_removed = difference.rules_removed;
    verdict.rules_changed = difference.rules_changed;
    verdict.rules_reordered = difference.rules_reordered;
    loaded->config = config::in_force(running.config, loaded->config);
    for (const OptionChange& change : difference.restart) {
        // The value in force is the one from before.
        loaded->origins.erase(change.option);
        const auto origin = running.origins.find(change.option);
        if (origin != running.origins.end()) loaded->origins.insert(*origin);
    }
    verdict.applied = std::move(difference.live);
    verdict.restart = std::move(difference.restart);
    plan.loaded = *std::move(loaded);
    return plan;
}

Event reload_event(const ReloadVerdict& verdict) {
    Event event;
    if (!verdict.accepted) {
        event.kind = EventKind::ConfigRejected;
        const auto errors = std::ranges::count(verdict.problems, true, &ReloadProblem::is_error);
        event.fields = {{"errors", std::to_string(errors)}, {"reason", first_error(verdict)}};
        return event;
    }
    using Kind = TopicEffect::Kind;
    std::string restart;
    for (const OptionChange& change : verdict.restart)
        restart += (restart.empty() ? "" : ",") + change.option;
    event.kind = EventKind::ConfigReloaded;
    event.fields = {
        {"options", std::to_string(verdict.applied.size())},
        {"rules", std::to_string(verdict.rules)},
        {"rules_changed",
         std::to_string(verdict.rules_added + verdict.rules_removed + verdict.rules_changed)},
        {"topics_served", std::to_string(topics_with(verdict, Kind::served))},
        {"topics_not_served", std::to_string(topics_with(verdict, Kind::not_served))},
        {"contracts", std::to_string(topics_with(verdict, Kind::contract))},
        {"restart", restart}};
    return event;
}

}  // namespace durability::daemon
