#include "service/entity_ids.hpp"

namespace durability::service {
namespace {

constexpr std::uint32_t number_of(EntityId id) {
    return id.value >> 8U;
}
constexpr std::uint32_t max_number = 0x00ffffffU;

}  // namespace

void EntityIds::restore(Side side, const std::string& description, EntityId id) {
    Table& table = tables_[static_cast<std::size_t>(side)];
    table.known[description] = Known{id, false};
    table.used.insert(number_of(id));
}

EntityIds::Given EntityIds::claim(Side side, const std::string& description, EntityKind kind) {
    Table& table = tables_[static_cast<std::size_t>(side)];
    const auto known = table.known.find(description);
    if (known != table.known.end()) {
        known->second.claimed = true;
        return {known->second.id, false};
    }
    // Sixteen million numbers against a few thousand endpoints: there is always a free one.
    while (table.used.contains(table.next))
        table.next = table.next == max_number ? 1 : table.next + 1;
    const EntityId id{(table.next << 8U) | static_cast<std::uint32_t>(kind)};
    table.used.insert(table.next);
    table.known.emplace(description, Known{id, true});
    return {id, true};
}

bool EntityIds::knows(Side side, const std::string& description) const {
    return tables_[static_cast<std::size_t>(side)].known.contains(description);
}

std::vector<EntityIds::Unclaimed> EntityIds::unclaimed(Side side) const {
    std::vector<Unclaimed> result;
    for (const auto& [description, known] : tables_[static_cast<std::size_t>(side)].known) {
        if (!known.claimed) result.push_back({description, known.id});
    }
    return result;
}

void EntityIds::forget(Side side, const std::string& description) {
    Table& table = tables_[static_cast<std::size_t>(side)];
    const auto known = table.known.find(description);
    if (known == table.known.end()) return;
    table.used.erase(number_of(known->second.id));
    table.known.erase(known);
}

void EntityIds::retire(Side side, const std::string& description) {
    tables_[static_cast<std::size_t>(side)].known.erase(description);
}

}  // namespace durability::service
