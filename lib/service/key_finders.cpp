#include "service/key_finders.hpp"

#include "types/topic_keys.hpp"

#include "service/contract_resolver.hpp"

#include <utility>

namespace durability::service {
namespace {

std::vector<std::string> layout_of(const std::vector<TopicRule>& rules, const GroupKey& key) {
    const TopicRule* rule = find_rule(rules, key.topic, key.type, key.partitions);
    return rule == nullptr ? std::vector<std::string>{} : rule->key;
}

}  // namespace

std::vector<std::string> key_layout(const Config& config, const GroupKey& key) {
    return layout_of(config.topics, key);
}

store::KeyFinders key_finders(const Config& config) {
    return [rules = config.topics](const GroupMeta& meta) {
        return types::key_finder(meta, layout_of(rules, meta.key));
    };
}

}  // namespace durability::service
