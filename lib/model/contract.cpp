#include "durability/contract.hpp"

namespace durability {

std::string_view name(ContractHistory history) {
    switch (history) {
        case ContractHistory::keep_last:
            return "keep_last";
        case ContractHistory::keep_all:
            return "keep_all";
    }
    return "?";
}

std::string_view name(ContractScope scope) {
    switch (scope) {
        case ContractScope::topic:
            return "topic";
        case ContractScope::writer:
            return "writer";
    }
    return "?";
}

std::string_view name(ContractSource source) {
    switch (source) {
        case ContractSource::rule:
            return "rule";
        case ContractSource::announced:
            return "announced";
        case ContractSource::daemon_default:
            return "default";
    }
    return "?";
}

std::string_view name(StorageKind storage) {
    switch (storage) {
        case StorageKind::disk:
            return "disk";
        case StorageKind::memory:
            return "memory";
    }
    return "?";
}

}  // namespace durability
