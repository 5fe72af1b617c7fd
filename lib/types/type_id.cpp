#include "types/type_id.hpp"

#include "base/md5.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::types {

TypeId type_id_of(ByteView object) {
    TypeId id;
    const bool is_complete =
        object.size() > 4 && object[4] == static_cast<std::uint8_t>(TypeIdKind::complete);
    id.kind = is_complete ? TypeIdKind::complete : TypeIdKind::minimal;
    const auto digest = md5(object);
    std::copy_n(digest.begin(), id.hash.size(), id.hash.begin());
    return id;
}

std::string to_string(const TypeId& id) {
    std::string text = id.kind == TypeIdKind::minimal ? "minimal " : "complete ";
    for (const std::uint8_t octet : id.hash)
        text += fmt::format("{:02x}", octet);
    return text;
}

}  // namespace durability::types
