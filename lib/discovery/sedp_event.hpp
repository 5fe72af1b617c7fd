// What Sedp reports.
#pragma once

#include "discovery/discovery_event.hpp"
#include "discovery/endpoint_data.hpp"
#include "model/guid.hpp"

#include <variant>

namespace durability::discovery {

// An endpoint of somebody else. `data.unicast` and `data.multicast` empty: the default locators of
// its participant.
struct WriterFound {
    EndpointData data;
};
struct ReaderFound {
    EndpointData data;
};
// The same endpoint with other QoS. A change of topic or type comes as Lost and Found instead.
struct WriterChanged {
    EndpointData data;
};
struct ReaderChanged {
    EndpointData data;
};
struct WriterLost {
    Guid guid;
    LossReason reason{};
};
struct ReaderLost {
    Guid guid;
    LossReason reason{};
};
// The peer has our newest announcement of that endpoint: what is sent for it is not dropped any
// more (fact sheet 12.6). Comes again after the endpoint was announced anew, and after the peer was
// lost and found.
struct LocalAcknowledged {
    GuidPrefix peer;
    EntityId local;
};
using SedpEvent = std::variant<WriterFound,
                               ReaderFound,
                               WriterChanged,
                               ReaderChanged,
                               WriterLost,
                               ReaderLost,
                               LocalAcknowledged,
                               MalformedAnnouncement,
                               LimitReached>;

}  // namespace durability::discovery
