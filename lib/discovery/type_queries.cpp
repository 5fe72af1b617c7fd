#include "discovery/type_queries.hpp"

#include <algorithm>
#include <utility>

namespace durability::discovery {

TypeQueries::TypeQueries(TypeQueryOptions options, std::int64_t first_number)
    : options_(options), next_number_(first_number) {
    options_.ids_per_request = std::max<std::size_t>(options_.ids_per_request, 1);
}

void TypeQueries::ask(GuidPrefix peer,
                      const std::vector<types::TypeId>& ids,
                      MonoTime now,
                      std::deque<TypeLookupEvent>& events) {
    TypesUnavailable refused{peer, {}};
    Query* open = nullptr;
    for (const types::TypeId& id : ids) {
        if (is_pending(peer, id)) continue;
        if (pending_ >= options_.max_pending) {
            refused.types.push_back(id);
            continue;
        }
        if (open == nullptr || open->ids.size() >= options_.ids_per_request) {
            open = &queries_[next_number_++];
            *open = {peer, {}, now, options_.ask_again_after, after(now, options_.give_up_after)};
        }
        open->ids.push_back(id);
        ++pending_;
    }
    if (!refused.types.empty()) events.emplace_back(std::move(refused));
}

bool TypeQueries::is_pending(GuidPrefix peer, const types::TypeId& id) const {
    return std::any_of(queries_.begin(), queries_.end(), [&](const auto& entry) {
        const Query& query = entry.second;
        return query.peer == peer &&
               std::find(query.ids.begin(), query.ids.end(), id) != query.ids.end();
    });
}

std::optional<TypeQueries::Request> TypeQueries::next_request(MonoTime now,
                                                              std::deque<TypeLookupEvent>& events) {
    for (auto at = queries_.begin(); at != queries_.end();) {
        Query& query = at->second;
        if (query.give_up_at <= now) {
            at = abandon(at, events);
            continue;
        }
        if (query.again <= now) {
            query.again = std::min(after(now, query.delay), query.give_up_at);
            query.delay *= 2;
            return Request{query.peer, at->first, query.ids};
        }
        ++at;
    }
    return std::nullopt;
}

MonoTime TypeQueries::next_deadline() const {
    MonoTime deadline = MonoTime::max();
    for (const auto& [number, query] : queries_)
        deadline = std::min(deadline, query.again);
    return deadline;
}

void TypeQueries::take(const Guid& writer,
                       const TypeLookupReply& reply,
                       std::deque<TypeLookupEvent>& events) {
    const auto found = queries_.find(reply.related.number);
    if (found == queries_.end() || reply.operation != TypeLookupOperation::get_types) return;
    Query& query = found->second;
    TypesReceived received{query.peer, {}};
    bool forged = false;
    for (const TypeLookupReply::FoundType& type : reply.types) {
        const auto asked = std::find(query.ids.begin(), query.ids.end(), type.id);
        if (asked == query.ids.end()) continue;
        if (types::type_id_of(type.object) != type.id) {
            forged = true;
            continue;
        }
        received.types.emplace_back(type.id, Buffer(type.object.begin(), type.object.end()));
        query.ids.erase(asked);
        --pending_;
    }
    if (forged)
        events.emplace_back(MalformedAnnouncement{writer, wire::DecodeError::bad_parameter});
    if (!received.types.empty()) events.emplace_back(std::move(received));
    // A Cyclone DDS process answers with the first of its participants, whichever was asked, and
    // what has the right hash is right. That something is not known only the one asked can say.
    if (writer.prefix == query.peer || query.ids.empty()) abandon(found, events);
}

void TypeQueries::give_up(GuidPrefix peer, std::deque<TypeLookupEvent>& events) {
    for (auto at = queries_.begin(); at != queries_.end();)
        at = at->second.peer == peer ? abandon(at, events) : std::next(at);
}

TypeQueries::Queries::iterator TypeQueries::abandon(Queries::iterator query,
                                                    std::deque<TypeLookupEvent>& events) {
    pending_ -= query->second.ids.size();
    if (!query->second.ids.empty())
        events.emplace_back(TypesUnavailable{query->second.peer, std::move(query->second.ids)});
    return queries_.erase(query);
}

}  // namespace durability::discovery
