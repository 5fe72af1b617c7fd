// What both discovery machines report besides who came and went. Values; the participant turns them
// into rate-limited events of the daemon.
#pragma once

#include "model/guid.hpp"
#include "wire/decode_error.hpp"

#include <cstdint>
#include <string_view>

namespace durability::discovery {

// An announcement that could not be used; nothing was created or changed because of it (R7.2).
struct MalformedAnnouncement {
    Guid writer;
    wire::DecodeError error{};
    friend bool operator==(const MalformedAnnouncement&, const MalformedAnnouncement&) = default;
};

enum class DiscoveryLimit : std::uint8_t {
    remote_participants,
    remote_writers,
    remote_readers
};

// Something new was refused because a table is full; what is there goes on (R9.2). Its sender
// repeats a participant; an endpoint is not announced again, so raising the limit needs a restart
// of either side.
struct LimitReached {
    DiscoveryLimit limit{};
    Guid refused;
    friend bool operator==(const LimitReached&, const LimitReached&) = default;
};

enum class LossReason : std::uint8_t {
    disposed,               // it said good-bye itself
    lease_expired,          // nothing was heard of the participant for the length of its lease
    participant_disposed,   // of an endpoint: its participant said good-bye
    participant_restarted,  // of an endpoint: its participant began anew under the same identity
};

// The key under which the configuration knows the limit; the word for a log line.
[[nodiscard]] std::string_view name(DiscoveryLimit limit);
[[nodiscard]] std::string_view name(LossReason reason);

}  // namespace durability::discovery
