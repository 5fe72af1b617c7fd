// What the store is given to find keys with (store/key_finder.hpp): types and rules in force.
#pragma once

#include "durability/config.hpp"
#include "store/key_finder.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace durability::service {

// The key layout of the rule that applies to a topic; empty for none.
[[nodiscard]] std::vector<std::string> key_layout(const Config& config, const GroupKey& key);

// The rules in force, for those on other threads than the loop. Thread-safe.
class SharedRules {
  public:
    using Rules = std::shared_ptr<const std::vector<TopicRule>>;
    explicit SharedRules(std::vector<TopicRule> rules) { set(std::move(rules)); }
    void set(std::vector<TopicRule> rules) {
        auto fresh = std::make_shared<const std::vector<TopicRule>>(std::move(rules));
        const std::lock_guard lock(mutex_);
        rules_ = std::move(fresh);
    }
    [[nodiscard]] Rules get() const {
        const std::lock_guard lock(mutex_);
        return rules_;
    }

  private:
    mutable std::mutex mutex_;
    Rules rules_;
};

// Copies what it needs of `config`. The finders are pure and may be used on any thread.
[[nodiscard]] store::KeyFinders key_finders(const Config& config);
// The same by the rules that are in force when a finder is asked for.
[[nodiscard]] store::KeyFinders key_finders(std::shared_ptr<const SharedRules> rules);

}  // namespace durability::service
