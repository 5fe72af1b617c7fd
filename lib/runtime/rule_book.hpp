// The topic rules of a service inside another program: those of the configuration, those that the
// program adds by name, and what becomes of topics that nothing names. Pure.
#pragma once

#include "durability/config.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace durability::runtime {

class RuleBook {
  public:
    // As many as a configuration may have.
    static constexpr std::size_t max_added = 5'000;

    RuleBook(std::vector<TopicRule> configured, bool serve_unnamed)
        : configured_(std::move(configured)), serve_unnamed_(serve_unnamed) {}

    // In front of all others; in place of one with the same topic, type and partition. False, and
    // nothing is changed, when there are too many.
    [[nodiscard]] bool add(TopicRule rule);
    // As add(), but a rule that was added for the same stays as it is, and only serves less, down
    // to what `rule` serves.
    [[nodiscard]] bool widen(TopicRule rule);
    // Whether topics are served that no rule names. Those in `served` (name and type) go on being
    // served all the same.
    void set_serve_unnamed(bool on, const std::vector<std::pair<std::string, std::string>>& served);
    // All in the order in which they count.
    [[nodiscard]] std::vector<TopicRule> rules() const;

  private:
    std::vector<TopicRule> added_;
    std::vector<TopicRule> configured_;
    std::vector<TopicRule> kept_;  // found before unnamed topics were no longer served
    bool serve_unnamed_;
};

}  // namespace durability::runtime
