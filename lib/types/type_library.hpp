// Type descriptions by their ids: what look-ups brought, what is stored with a topic, what other
// participants are answered with. Not thread-safe.
#pragma once

#include "types/type_id.hpp"
#include "types/type_information.hpp"

#include "base/bytes.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace durability::types {

class TypeLibrary {
  public:
    // Takes a serialized TypeObject (XCDR2, little-endian, with its DHEADER: see type_id_of()).
    // False, and nothing is changed, when its hash is not `id`'s: a damaged or forged description
    // must not decide where keys lie.
    bool add(const TypeId& id, ByteView object);
    // The serialized TypeObject; null when it is not known.
    [[nodiscard]] const Buffer* find(const TypeId& id) const;
    // What is still to be asked for: ids that `information` names, or that descriptions reached
    // from there refer to, and that are not here. In no particular order, each once.
    [[nodiscard]] std::vector<TypeId> missing(const TypeInformation& information) const;
    [[nodiscard]] const std::map<TypeId, Buffer>& all() const { return objects_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }  // of all descriptions
    [[nodiscard]] bool empty() const { return objects_.empty(); }
    friend bool operator==(const TypeLibrary&, const TypeLibrary&) = default;

  private:
    std::map<TypeId, Buffer> objects_;
    std::size_t bytes_{0};
};

}  // namespace durability::types
