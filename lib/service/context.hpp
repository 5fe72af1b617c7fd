// What the parts of a domain's service share: configuration, the way to the store, events, ids.
#pragma once

#include "durability/config.hpp"
#include "service/entity_ids.hpp"
#include "service/event_log.hpp"
#include "service/served_groups.hpp"
#include "store/commands.hpp"

#include <cstdint>
#include <deque>
#include <string>

namespace durability::service {

struct Context {
    const Config& config;
    std::uint32_t domain{0};
    EventLog& events;
    std::deque<store::Command>& commands;  // to the store, in order
    EntityIds& entities;
    ServedGroups& groups;
    std::uint64_t last_ticket{0};
    // The store's queue is full: commands wait, nothing more is appended to them.
    bool store_blocked{false};

    [[nodiscard]] std::uint64_t next_ticket() { return ++last_ticket; }
    // The id of an endpoint of ours; a new one is stored before peers hear of it.
    [[nodiscard]] EntityId claim(Side side, const std::string& description, EntityKind kind) {
        const EntityIds::Given given = entities.claim(side, description, kind);
        if (given.is_new) {
            save(store::RecordKind::identity, entity_key(side, description), encode(given.id));
        }
        return given.id;
    }
    void erase(store::RecordKind kind, Buffer key) {
        commands.emplace_back(store::EraseRecord{kind, std::move(key)});
    }
    void save(store::RecordKind kind, Buffer key, Buffer value) {
        commands.emplace_back(store::SaveRecord{0, kind, std::move(key), std::move(value), false});
    }
};

}  // namespace durability::service
