// Entity ids of our endpoints, the same in every run: peers recognise an endpoint that returns by
// it (semantics.md, section 7a). Pure; what is new is told, so that it can be stored.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "service/identity.hpp"

#include <array>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace durability::service {

class EntityIds {
  public:
    // An id given out by an earlier run.
    void restore(Side side, const std::string& description, EntityId id);

    struct Given {
        EntityId id;
        bool is_new{false};  // to be stored before peers hear of it
    };
    // The id of the endpoint that `description` names; the kind is part of the id
    // (RTPS 2.5, 9.3.1.2).
    Given claim(Side side, const std::string& description, EntityKind kind);

    // It was given out, in this run or an earlier one.
    [[nodiscard]] bool knows(Side side, const std::string& description) const;

    struct Unclaimed {
        std::string description;
        EntityId id;
    };
    // Ids of an earlier run that nothing claimed: these endpoints do not return and are to be
    // disposed.
    [[nodiscard]] std::vector<Unclaimed> unclaimed(Side side) const;
    void forget(Side side, const std::string& description);
    // Peers were told that this endpoint is gone, and not all of them may have heard: one of the
    // same description gets another id, and nobody this one, as long as the daemon runs.
    void retire(Side side, const std::string& description);

  private:
    struct Known {
        EntityId id;
        bool claimed{false};
    };
    struct Table {
        std::map<std::string, Known> known;
        std::unordered_set<std::uint32_t> used;  // the three octets that are not the kind
        std::uint32_t next{1};
    };
    std::array<Table, side_count> tables_;
};

}  // namespace durability::service
