#include "model/qos.hpp"

namespace durability {

std::string_view name(DurabilityKind kind) {
    switch (kind) {
        case DurabilityKind::volatile_:
            return "VOLATILE";
        case DurabilityKind::transient_local:
            return "TRANSIENT_LOCAL";
        case DurabilityKind::transient:
            return "TRANSIENT";
        case DurabilityKind::persistent:
            return "PERSISTENT";
    }
    return "?";
}

std::string_view name(ReliabilityKind kind) {
    switch (kind) {
        case ReliabilityKind::best_effort:
            return "BEST_EFFORT";
        case ReliabilityKind::reliable:
            return "RELIABLE";
    }
    return "?";
}

std::string_view name(HistoryKind kind) {
    switch (kind) {
        case HistoryKind::keep_last:
            return "KEEP_LAST";
        case HistoryKind::keep_all:
            return "KEEP_ALL";
    }
    return "?";
}

std::int16_t offered_representation(const EndpointQos& qos) {
    return qos.representations.empty() ? representation_xcdr1 : qos.representations.front();
}

}  // namespace durability
