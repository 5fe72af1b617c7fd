#include "runtime/rule_book.hpp"

#include <algorithm>
#include <array>

namespace durability::runtime {
namespace {

bool same_place(const TopicRule& a, const TopicRule& b) {
    return a.topic == b.topic && a.type == b.type && a.partition == b.partition;
}

// A pattern that matches a name, and hardly anything else: patterns have no escapes.
std::string as_pattern(std::string name) {
    std::replace_if(
        name.begin(),
        name.end(),
        [](char c) { return std::string_view("*?[").find(c) != std::string_view::npos; },
        '?');
    return name;
}

}  // namespace

bool RuleBook::add(TopicRule rule) {
    const auto same = std::ranges::find_if(
        added_, [&](const TopicRule& other) { return same_place(rule, other); });
    if (same != added_.end()) {
        added_.erase(same);
    } else if (added_.size() >= max_added) {
        return false;
    }
    added_.insert(added_.begin(), std::move(rule));
    return true;
}

bool RuleBook::widen(TopicRule rule) {
    const auto same = std::ranges::find_if(
        added_, [&](const TopicRule& other) { return same_place(rule, other); });
    if (same == added_.end()) return add(std::move(rule));
    same->serve = std::min(same->serve, rule.serve);
    return true;
}

void RuleBook::set_serve_unnamed(bool on,
                                 const std::vector<std::pair<std::string, std::string>>& served) {
    if (on == serve_unnamed_) return;
    serve_unnamed_ = on;
    kept_.clear();
    if (on) return;
    for (const auto& [topic, type] : served) {
        TopicRule rule;
        rule.topic = as_pattern(topic);
        rule.type = as_pattern(type);
        rule.origin = "auto-discovery, before it was disabled";
        const auto same = [&](const TopicRule& other) { return same_place(rule, other); };
        if (std::ranges::none_of(kept_, same)) kept_.push_back(std::move(rule));
    }
}

std::vector<TopicRule> RuleBook::rules() const {
    std::vector<TopicRule> all = added_;
    all.insert(all.end(), configured_.begin(), configured_.end());
    all.insert(all.end(), kept_.begin(), kept_.end());
    if (!serve_unnamed_) {
        TopicRule rest;
        rest.serve = ServeKind::never;
        rest.origin = "auto-discovery is disabled";
        all.push_back(std::move(rest));
    }
    return all;
}

}  // namespace durability::runtime
