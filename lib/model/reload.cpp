#include "model/reload.hpp"

namespace durability {

std::string_view name(TopicEffect::Kind kind) {
    switch (kind) {
        case TopicEffect::Kind::served:
            return "served";
        case TopicEffect::Kind::not_served:
            return "not served";
        case TopicEffect::Kind::contract:
            return "contract";
        case TopicEffect::Kind::storage_kept:
            return "storage kept";
    }
    return "?";
}

}  // namespace durability
