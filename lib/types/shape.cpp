#include "types/shape.hpp"

#include <algorithm>

namespace durability::types {

void find_keys(ShapeNode& structure) {
    const auto& members = structure.members;
    const bool has_marked = std::any_of(
        members.begin(), members.end(), [](const auto& member) { return member.is_key; });
    structure.keys.clear();
    for (std::uint32_t i = 0; i < members.size(); ++i)
        if (members[i].is_key || !has_marked) structure.keys.push_back(i);
    structure.keys_by_id = structure.keys;
    std::stable_sort(structure.keys_by_id.begin(),
                     structure.keys_by_id.end(),
                     [&](auto left, auto right) { return members[left].id < members[right].id; });
    structure.is_ordered_by_id = structure.keys == structure.keys_by_id;
}

bool is_closed(const Shape& shape) {
    return std::all_of(shape.nodes.begin(), shape.nodes.end(), [](const ShapeNode& node) {
        return node.extensibility == Extensibility::closed;
    });
}

CollectionHeader header_for(const ShapeNode& element) {
    if (element.kind != NodeKind::primitive) return CollectionHeader::present;
    const bool is_enumerated =
        element.meaning == Meaning::enumeration || element.meaning == Meaning::flags;
    return is_enumerated ? CollectionHeader::doubtful : CollectionHeader::absent;
}

}  // namespace durability::types
