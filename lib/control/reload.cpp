// Replies to `reload`, both ways.
#include "control/protocol.hpp"
#include "control/rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace durability::control {
namespace {

constexpr std::array kinds{TopicEffect::Kind::served,
                           TopicEffect::Kind::not_served,
                           TopicEffect::Kind::contract,
                           TopicEffect::Kind::storage_kept};

Json problem_json(const ReloadProblem& problem) {
    Json json;
    json["severity"] = problem.is_error ? "error" : "warning";
    put_name(json, "file", problem.file);
    json["line"] = problem.line;
    json["column"] = problem.column;
    put_name(json, "path", problem.path);
    put_name(json, "message", problem.message);
    put_name(json, "hint", problem.hint);
    put_name(json, "text", problem.text);
    return json;
}

ReloadProblem read_problem(const Json& json) {
    ReloadProblem problem;
    problem.is_error = json.value("severity", std::string()) != "warning";
    problem.file = get_name(json, "file");
    problem.line = json.value("line", problem.line);
    problem.column = json.value("column", problem.column);
    problem.path = get_name(json, "path");
    problem.message = get_name(json, "message");
    problem.hint = get_name(json, "hint");
    problem.text = get_name(json, "text");
    return problem;
}

Json changes_json(const std::vector<OptionChange>& changes) {
    Json list = Json::array();
    for (const OptionChange& change : changes) {
        Json json;
        json["option"] = change.option;
        put_name(json, "before", change.before);
        put_name(json, "now", change.now);
        list.push_back(std::move(json));
    }
    return list;
}

std::vector<OptionChange> read_changes(const Json& data, const char* key) {
    std::vector<OptionChange> changes;
    for (const Json& json : data.value(key, Json::array())) {
        changes.push_back(
            {json.value("option", std::string()), get_name(json, "before"), get_name(json, "now")});
    }
    return changes;
}

Json effect_json(const TopicEffect& effect) {
    Json json;
    json["domain"] = effect.domain;
    put_name(json, "topic", effect.topic);
    put_name(json, "type", effect.type);
    json["effect"] = name(effect.kind);
    return json;
}

TopicEffect read_effect(const Json& json) {
    TopicEffect effect;
    effect.domain = json.value("domain", effect.domain);
    effect.topic = get_name(json, "topic");
    effect.type = get_name(json, "type");
    const auto text = json.value("effect", std::string());
    const auto kind =
        std::ranges::find_if(kinds, [&](TopicEffect::Kind known) { return name(known) == text; });
    if (kind != kinds.end()) effect.kind = *kind;
    return effect;
}

}  // namespace

std::string encode_data(const ReloadVerdict& verdict) {
    Json json;
    json["accepted"] = verdict.accepted;
    Json problems = Json::array();
    for (const ReloadProblem& problem : verdict.problems)
        problems.push_back(problem_json(problem));
    json["problems"] = std::move(problems);
    Json files = Json::array();
    for (const std::string& file : verdict.files) {
        Json one;
        put_name(one, "name", file);
        files.push_back(std::move(one));
    }
    json["files"] = std::move(files);
    json["applied"] = changes_json(verdict.applied);
    json["needs_restart"] = changes_json(verdict.restart);
    Json rules;
    rules["in_force"] = verdict.rules;
    rules["added"] = verdict.rules_added;
    rules["removed"] = verdict.rules_removed;
    rules["changed"] = verdict.rules_changed;
    rules["reordered"] = verdict.rules_reordered;
    json["rules"] = std::move(rules);
    Json effects = Json::array();
    for (const TopicEffect& effect : verdict.topics)
        effects.push_back(effect_json(effect));
    json["effects"] = std::move(effects);
    return to_text(json);
}

bool is_reload(const Json& data) {
    return data.contains("needs_restart");
}

ReloadVerdict read_reload(const Json& data) {
    ReloadVerdict verdict;
    if (!is_reload(data)) return verdict;
    verdict.accepted = data.value("accepted", false);
    for (const Json& problem : data.value("problems", Json::array()))
        verdict.problems.push_back(read_problem(problem));
    for (const Json& file : data.value("files", Json::array()))
        verdict.files.push_back(get_name(file, "name"));
    verdict.applied = read_changes(data, "applied");
    verdict.restart = read_changes(data, "needs_restart");
    const Json rules = data.value("rules", Json::object());
    verdict.rules = rules.value("in_force", verdict.rules);
    verdict.rules_added = rules.value("added", verdict.rules_added);
    verdict.rules_removed = rules.value("removed", verdict.rules_removed);
    verdict.rules_changed = rules.value("changed", verdict.rules_changed);
    verdict.rules_reordered = rules.value("reordered", false);
    for (const Json& effect : data.value("effects", Json::array()))
        verdict.topics.push_back(read_effect(effect));
    return verdict;
}

}  // namespace durability::control
