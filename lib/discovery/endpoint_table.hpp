// The endpoints of others, bounded. Knows no participants and no messages. Not thread-safe.
#pragma once

#include "discovery/endpoint_data.hpp"
#include "discovery/sedp_event.hpp"
#include "model/guid.hpp"

#include <cstddef>
#include <deque>
#include <map>

namespace durability::discovery {

class EndpointTable {
  public:
    // Ordered, so that those of one participant stand together.
    using Endpoints = std::map<Guid, EndpointData>;

    EndpointTable(std::size_t max_writers, std::size_t max_readers)
        : max_writers_(max_writers), max_readers_(max_readers) {}

    // A new endpoint, new QoS of a known one, or nothing new. At the limit a new one is refused and
    // nothing else happens. Each appends the events that say what happened.
    void put(EndpointData data, std::deque<SedpEvent>& events);
    void remove(const Guid& guid, LossReason reason, std::deque<SedpEvent>& events);
    // All of one participant.
    void remove_all(GuidPrefix prefix, LossReason reason, std::deque<SedpEvent>& events);

    [[nodiscard]] const Endpoints& writers() const { return writers_; }
    [[nodiscard]] const Endpoints& readers() const { return readers_; }

  private:
    std::size_t max_writers_;
    std::size_t max_readers_;
    Endpoints writers_;
    Endpoints readers_;
};

}  // namespace durability::discovery
