#include "discovery/endpoint_table.hpp"

#include <utility>

namespace durability::discovery {
namespace {

SedpEvent found(const EndpointData& data) {
    if (data.is_writer()) return WriterFound{data};
    return ReaderFound{data};
}

SedpEvent changed(const EndpointData& data) {
    if (data.is_writer()) return WriterChanged{data};
    return ReaderChanged{data};
}

SedpEvent lost(const Guid& guid, LossReason reason) {
    if (guid.entity.is_writer()) return WriterLost{guid, reason};
    return ReaderLost{guid, reason};
}

}  // namespace

void EndpointTable::put(EndpointData data, std::deque<SedpEvent>& events) {
    Endpoints& endpoints = data.is_writer() ? writers_ : readers_;
    const auto known = endpoints.find(data.guid);
    if (known != endpoints.end()) {
        EndpointData& before = known->second;
        if (before == data) return;
        if (before.topic == data.topic && before.type == data.type) {
            events.push_back(changed(data));
        } else {
            events.push_back(lost(data.guid, LossReason::disposed));
            events.push_back(found(data));
        }
        before = std::move(data);
        return;
    }
    if (endpoints.size() >= (data.is_writer() ? max_writers_ : max_readers_)) {
        const auto limit =
            data.is_writer() ? DiscoveryLimit::remote_writers : DiscoveryLimit::remote_readers;
        events.push_back(LimitReached{limit, data.guid});
        return;
    }
    events.push_back(found(data));
    const Guid guid = data.guid;
    endpoints.emplace(guid, std::move(data));
}

void EndpointTable::remove(const Guid& guid, LossReason reason, std::deque<SedpEvent>& events) {
    Endpoints& endpoints = guid.entity.is_writer() ? writers_ : readers_;
    if (endpoints.erase(guid) != 0) events.push_back(lost(guid, reason));
}

void EndpointTable::remove_all(GuidPrefix prefix,
                               LossReason reason,
                               std::deque<SedpEvent>& events) {
    for (Endpoints* endpoints : {&writers_, &readers_}) {
        auto endpoint = endpoints->lower_bound(Guid{prefix, EntityId{0}});
        while (endpoint != endpoints->end() && endpoint->first.prefix == prefix) {
            events.push_back(lost(endpoint->first, reason));
            endpoint = endpoints->erase(endpoint);
        }
    }
}

}  // namespace durability::discovery
