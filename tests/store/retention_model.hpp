// The retention rule (semantics.md, section 5) as a list that is searched from the front for
// everything: slow and easy to believe.
#pragma once

#include "durability/contract.hpp"
#include "model/sample.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <random>
#include <vector>

namespace durability::test {

class RetentionModel {
  public:
    struct Item {
        Arrival arrival{0};
        std::optional<std::uint32_t> instance;
        std::uint64_t bytes{0};
        Guid writer{};
        std::int64_t number{0};
        unsigned operation{0};  // 0: a value; else the lifecycle bits of an operation without one
        friend bool operator==(const Item&, const Item&) = default;
    };
    RetentionModel(Contract contract, bool keyed) : contract_(contract), keyed_(keyed) {}

    // False when the sample is refused.
    bool retain(Item item) {
        if (!keyed_) item.instance = 0;
        if (!keyed_ || !item.instance) item.operation = 0;  // counts like any sample
        if (item.operation != 0) return retain_operation(item);
        if (item.bytes > contract_.max_bytes) return false;
        const bool is_new = item.instance && count_of(item.instance) == 0;
        if (contract_.history == ContractHistory::keep_all) {
            if (is_new && instances() >= contract_.max_instances) return false;
            if (item.instance && values_of(item.instance) >= contract_.max_samples_per_instance)
                return false;
            if (items.size() >= contract_.max_samples) return false;
            if (bytes() + item.bytes > contract_.max_bytes) return false;
            items.push_back(item);
            return true;
        }
        if (is_new && instances() == contract_.max_instances) remove_oldest_instance();
        while (item.instance && values_of(item.instance) >= smallest())
            remove_oldest_of(item.instance);
        remove_leading_operations(item.instance);
        while (items.size() >= contract_.max_samples)
            items.pop_front();
        while (bytes() + item.bytes > contract_.max_bytes)
            items.pop_front();
        items.push_back(item);
        return true;
    }

    // Another contract comes into force: whole instances, each instance, the total, the bytes.
    void change(const Contract& contract) {
        contract_ = contract;
        if (contract_.history == ContractHistory::keep_all) return;
        while (instances() > contract_.max_instances)
            remove_oldest_instance();
        for (bool again = true; again;) {
            again = false;
            for (const Item& item : items) {
                if (!item.instance || values_of(item.instance) <= smallest()) continue;
                const auto instance = item.instance;
                while (values_of(instance) > smallest())
                    remove_oldest_of(instance);
                remove_leading_operations(instance);
                again = true;
                break;
            }
        }
        while (items.size() > contract_.max_samples)
            items.pop_front();
        while (bytes() > contract_.max_bytes)
            items.pop_front();
    }

    [[nodiscard]] std::uint64_t instances() const {
        std::vector<std::uint32_t> seen;
        for (const Item& item : items) {
            if (item.instance && std::find(seen.begin(), seen.end(), *item.instance) == seen.end())
                seen.push_back(*item.instance);
        }
        return seen.size();
    }
    [[nodiscard]] std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const Item& item : items)
            sum += item.bytes;
        return sum;
    }
    std::list<Item> items;

  private:
    [[nodiscard]] std::uint64_t count_of(std::optional<std::uint32_t> instance) const {
        return static_cast<std::uint64_t>(
            std::count_if(items.begin(), items.end(), [&](const Item& other) {
                return other.instance == instance;
            }));
    }
    [[nodiscard]] std::uint64_t values_of(std::optional<std::uint32_t> instance) const {
        return static_cast<std::uint64_t>(
            std::count_if(items.begin(), items.end(), [&](const Item& other) {
                return other.instance == instance && other.operation == 0;
            }));
    }
    bool retain_operation(const Item& item) {
        const bool no_room = count_of(item.instance) == 0 && instances() >= contract_.max_instances;
        // The last one of this writer and kind, unless a value came after it.
        for (auto at = items.end(); at != items.begin();) {
            --at;
            if (at->instance != item.instance) continue;
            if (at->operation == 0) break;
            if (at->operation != item.operation || at->writer != item.writer) continue;
            items.erase(at);
            break;
        }
        if (no_room) return true;
        items.push_back(item);
        if (contract_.history == ContractHistory::keep_all) return true;
        while (items.size() > contract_.max_samples ||
               (items.size() > 1 && bytes() > contract_.max_bytes))
            items.pop_front();
        return true;
    }
    void remove_leading_operations(std::optional<std::uint32_t> instance) {
        if (!instance) return;
        for (auto at = items.begin(); at != items.end();) {
            if (at->instance == instance && at->operation == 0) return;
            at = at->instance == instance ? items.erase(at) : std::next(at);
        }
    }
    [[nodiscard]] std::uint64_t smallest() const {
        return std::min(
            {contract_.depth, contract_.max_samples, contract_.max_samples_per_instance});
    }
    void remove_oldest_of(std::optional<std::uint32_t> instance) {
        items.erase(std::find_if(items.begin(), items.end(), [&](const Item& other) {
            return other.instance == instance;
        }));
    }
    void remove_oldest_instance() {
        const auto oldest = std::find_if(items.begin(), items.end(), [](const Item& other) {
            return other.instance.has_value();
        });
        const auto victim = oldest->instance;
        items.remove_if([&](const Item& other) { return other.instance == victim; });
    }

    Contract contract_;
    bool keyed_;
};

inline Contract random_contract(std::mt19937_64& random) {
    const auto limit = [&](std::uint64_t below) {
        return random() % 3 == 0 ? unlimited : 1 + random() % below;
    };
    Contract contract;
    contract.history = random() % 4 == 0 ? ContractHistory::keep_all : ContractHistory::keep_last;
    contract.depth = 1 + random() % 5;
    contract.max_samples = limit(30);
    contract.max_instances = limit(6);
    contract.max_samples_per_instance = limit(6);
    contract.max_bytes = limit(400);
    return contract;
}

}  // namespace durability::test
