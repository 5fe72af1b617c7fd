#include "discovery/discovery_event.hpp"

namespace durability::discovery {

std::string_view name(DiscoveryLimit limit) {
    switch (limit) {
        case DiscoveryLimit::remote_participants:
            return "remote_participants";
        case DiscoveryLimit::remote_writers:
            return "remote_writers";
        case DiscoveryLimit::remote_readers:
            return "remote_readers";
    }
    return "?";
}

std::string_view name(LossReason reason) {
    switch (reason) {
        case LossReason::disposed:
            return "disposed";
        case LossReason::lease_expired:
            return "lease_expired";
        case LossReason::participant_disposed:
            return "participant_disposed";
        case LossReason::participant_restarted:
            return "participant_restarted";
    }
    return "?";
}

}  // namespace durability::discovery
