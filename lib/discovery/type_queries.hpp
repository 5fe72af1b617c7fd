// Which types we wait for from whom: the asking half of TypeLookup. Bookkeeping without messages;
// TypeLookup sends. Not thread-safe.
#pragma once

#include "types/type_id.hpp"

#include "base/time.hpp"
#include "discovery/type_lookup_event.hpp"
#include "discovery/type_lookup_message.hpp"
#include "model/guid.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace durability::discovery {

struct TypeQueryOptions {
    std::size_t ids_per_request{16};
    // Ids that are waited for, over all peers; beyond that they are unavailable at once.
    std::size_t max_pending{4'096};
    // A request is repeated after this time, doubled each time: a reply that was written before the
    // peer knew our reader is lost for good, since both are VOLATILE.
    Duration ask_again_after{std::chrono::milliseconds{250}};
    Duration give_up_after{std::chrono::seconds{5}};
};

class TypeQueries {
  public:
    // Requests are numbered upwards from `first_number`.
    TypeQueries(TypeQueryOptions options, std::int64_t first_number);

    // Ids that are waited for already from that peer are not asked for twice.
    void ask(GuidPrefix peer,
             const std::vector<types::TypeId>& ids,
             MonoTime now,
             std::deque<TypeLookupEvent>& events);

    struct Request {
        GuidPrefix peer;
        std::int64_t number{0};
        std::vector<types::TypeId> ids;
    };
    // What is to be sent now, one at a time. Gives up what has waited too long.
    [[nodiscard]] std::optional<Request> next_request(MonoTime now,
                                                      std::deque<TypeLookupEvent>& events);
    [[nodiscard]] MonoTime next_deadline() const;

    // `writer` sent the reply. What was not asked for under that number is ignored.
    void take(const Guid& writer,
              const TypeLookupReply& reply,
              std::deque<TypeLookupEvent>& events);
    // The peer cannot answer any more.
    void give_up(GuidPrefix peer, std::deque<TypeLookupEvent>& events);

    [[nodiscard]] std::size_t pending() const { return pending_; }

  private:
    struct Query {
        GuidPrefix peer;
        std::vector<types::TypeId> ids;  // those still missing
        MonoTime again{};
        Duration delay{};
        MonoTime give_up_at{};
    };
    using Queries = std::map<std::int64_t, Query>;

    [[nodiscard]] bool is_pending(GuidPrefix peer, const types::TypeId& id) const;
    Queries::iterator abandon(Queries::iterator query, std::deque<TypeLookupEvent>& events);

    TypeQueryOptions options_;
    std::int64_t next_number_;
    Queries queries_;
    std::size_t pending_{0};
};

}  // namespace durability::discovery
