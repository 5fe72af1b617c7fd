// What TypeLookup reports.
#pragma once

#include "types/type_id.hpp"

#include "base/bytes.hpp"
#include "discovery/discovery_event.hpp"
#include "model/guid.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace durability::discovery {

// Types that were asked for, as serialized TypeObjects. Each has been found to be what its id says.
struct TypesReceived {
    GuidPrefix peer;  // that was asked
    std::vector<std::pair<types::TypeId, Buffer>> types;
};
// Types that will not come: the peer does not know them, has no TypeLookup service, did not answer
// in time, or is gone; or too many are being waited for. May be asked for again.
struct TypesUnavailable {
    GuidPrefix peer;
    std::vector<types::TypeId> types;
};
using TypeLookupEvent = std::variant<TypesReceived, TypesUnavailable, MalformedAnnouncement>;

}  // namespace durability::discovery
