#include "config/difference.hpp"

#include "config/schema.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

namespace durability::config {
namespace {

bool is_of_rule(const Option& option) {
    return option.path.starts_with("topics[]");
}

using Selector = std::tuple<std::string, std::string, std::string>;

Selector selector(const TopicRule& rule) {
    return {rule.topic, rule.type, rule.partition};
}

TopicRule without_origin(TopicRule rule) {
    rule.origin.clear();
    return rule;
}

std::vector<Selector> selectors_in(const std::vector<TopicRule>& rules,
                                   const std::map<Selector, const TopicRule*>& others) {
    std::vector<Selector> result;
    for (const TopicRule& rule : rules) {
        if (others.contains(selector(rule))) result.push_back(selector(rule));
    }
    return result;
}

void compare_rules(const std::vector<TopicRule>& running,
                   const std::vector<TopicRule>& wanted,
                   Difference& difference) {
    std::map<Selector, const TopicRule*> before;
    for (const TopicRule& rule : running)
        before.emplace(selector(rule), &rule);
    std::map<Selector, const TopicRule*> now;
    for (const TopicRule& rule : wanted) {
        now.emplace(selector(rule), &rule);
        const auto known = before.find(selector(rule));
        if (known == before.end()) {
            ++difference.rules_added;
        } else if (without_origin(*known->second) != without_origin(rule)) {
            ++difference.rules_changed;
        }
    }
    difference.rules_removed = static_cast<std::uint64_t>(
        std::ranges::count_if(before, [&](const auto& one) { return !now.contains(one.first); }));
    difference.rules_reordered = selectors_in(running, now) != selectors_in(wanted, before);
}

// Slots of one row always hold the same kind of place.
struct Copy {
    Slot from;

    void operator()(std::monostate) const {}
    template <class T>
    void operator()(T* to) const {
        if (T* const* place = std::get_if<T*>(&from)) *to = **place;
    }
};

}  // namespace

Difference compare(const Config& running, const Config& wanted) {
    Difference difference;
    Config before = running;
    Config now = wanted;
    for (const Option& option : options()) {
        if (is_of_rule(option)) continue;
        OptionChange change{std::string(option.path),
                            format_value(option, option.slot(Target{&before, nullptr})),
                            format_value(option, option.slot(Target{&now, nullptr}))};
        if (change.before == change.now) continue;
        auto& changes = option.reload == Reload::live ? difference.live : difference.restart;
        changes.push_back(std::move(change));
    }
    compare_rules(running.topics, wanted.topics, difference);
    return difference;
}

Config in_force(const Config& running, const Config& wanted) {
    Config result = wanted;
    Config before = running;
    for (const Option& option : options()) {
        if (is_of_rule(option) || option.reload == Reload::live) continue;
        std::visit(Copy{option.slot(Target{&before, nullptr})},
                   option.slot(Target{&result, nullptr}));
    }
    return result;
}

}  // namespace durability::config
