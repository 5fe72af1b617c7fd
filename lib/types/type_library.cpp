#include "types/type_library.hpp"

#include "types/type_object.hpp"

#include <set>

namespace durability::types {

bool TypeLibrary::add(const TypeId& id, ByteView object) {
    if (object.empty() || type_id_of(object) != id) return false;
    const auto [position, is_new] = objects_.try_emplace(id, object.begin(), object.end());
    if (is_new) bytes_ += object.size();
    return true;
}

const Buffer* TypeLibrary::find(const TypeId& id) const {
    const auto found = objects_.find(id);
    return found == objects_.end() ? nullptr : &found->second;
}

std::vector<TypeId> TypeLibrary::missing(const TypeInformation& information) const {
    std::vector<TypeId> open(information.dependencies);
    if (information.minimal) open.push_back(*information.minimal);
    if (information.complete) open.push_back(*information.complete);
    std::set<TypeId> seen;
    std::vector<TypeId> result;
    while (!open.empty()) {
        const TypeId id = open.back();
        open.pop_back();
        if (!seen.insert(id).second) continue;
        const Buffer* object = find(id);
        if (object == nullptr) {
            result.push_back(id);
        } else if (const auto description = decode_type_object(*object)) {
            const auto references = references_of(*description);
            open.insert(open.end(), references.begin(), references.end());
        }
    }
    return result;
}

}  // namespace durability::types
