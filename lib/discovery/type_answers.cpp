#include "discovery/type_answers.hpp"

#include "base/byte_reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace durability::discovery {
namespace {

TypeLookupReply reply_to(const TypeLookupRequest& request) {
    TypeLookupReply reply;
    reply.related = request.identity;
    reply.operation = request.operation;
    reply.delimited = request.delimited;
    return reply;
}

}  // namespace

bool TypeAnswers::offer(const types::TypeId& id,
                        Buffer object,
                        std::vector<types::TypeId> dependencies) {
    // One object with a wrong length would make all that follow it in a reply unreadable.
    ByteReader in(object);
    const bool fits = in.u32() == in.remaining() && object.size() <= options_.max_reply_bytes;
    if (!in.ok() || !fits || types::type_id_of(object) != id) return false;
    offered_.insert_or_assign(id, Offer{std::move(object), std::move(dependencies)});
    return true;
}

void TypeAnswers::take(GuidPrefix peer, TypeLookupRequest request) {
    Asker& asker = askers_[peer];
    // Also one without ids costs a reply.
    const std::size_t cost = std::max<std::size_t>(request.ids.size(), 1);
    if (asker.waiting_ids + cost > options_.max_waiting_ids) {
        ++dropped_;
        return;
    }
    asker.waiting_ids += cost;
    asker.waiting.push_back(std::move(request));
}

MonoTime TypeAnswers::due(const Asker& asker) const {
    if (asker.waiting.empty()) return MonoTime::max();
    if (asker.paid_until == MonoTime::min()) return MonoTime::min();
    return asker.paid_until - options_.interval * options_.burst;
}

std::optional<TypeAnswers::Answer> TypeAnswers::next_answer(MonoTime now) {
    std::erase_if(askers_, [now](const auto& entry) {
        return entry.second.waiting.empty() && entry.second.paid_until <= now;
    });
    for (auto& [peer, asker] : askers_) {
        if (asker.waiting.empty() || due(asker) > now) continue;
        const TypeLookupRequest request = std::move(asker.waiting.front());
        asker.waiting.pop_front();
        asker.waiting_ids -= std::max<std::size_t>(request.ids.size(), 1);
        asker.paid_until = after(std::max(asker.paid_until, now), options_.interval);
        return Answer{peer, answer(request)};
    }
    return std::nullopt;
}

MonoTime TypeAnswers::next_deadline() const {
    MonoTime deadline = MonoTime::max();
    for (const auto& [peer, asker] : askers_)
        deadline = std::min(deadline, due(asker));
    return deadline;
}

std::vector<Buffer> TypeAnswers::answer(const TypeLookupRequest& request) const {
    if (request.operation == TypeLookupOperation::get_dependencies)
        return {list_dependencies(request)};
    return describe(request);
}

std::vector<Buffer> TypeAnswers::describe(const TypeLookupRequest& request) const {
    std::vector<Buffer> replies;
    TypeLookupReply reply = reply_to(request);
    std::size_t size = 0;
    std::set<types::TypeId> described;
    for (const types::TypeId& id : request.ids) {
        const auto found = offered_.find(id);
        if (found == offered_.end() || !described.insert(id).second) continue;
        const Buffer& object = found->second.object;
        if (size + object.size() > options_.max_reply_bytes) {
            replies.push_back(encode_type_lookup_reply(reply));
            reply.types.clear();
            size = 0;
        }
        size += object.size();
        reply.types.push_back({id, object});
    }
    replies.push_back(encode_type_lookup_reply(reply));
    return replies;
}

Buffer TypeAnswers::list_dependencies(const TypeLookupRequest& request) const {
    TypeLookupReply reply = reply_to(request);
    std::set<types::TypeId> listed;
    for (const types::TypeId& id : request.ids) {
        const auto found = offered_.find(id);
        if (found == offered_.end()) continue;
        for (const types::TypeId& dependency : found->second.dependencies) {
            const auto known = offered_.find(dependency);
            if (known == offered_.end() || !listed.insert(dependency).second) continue;
            const auto size = static_cast<std::uint32_t>(known->second.object.size());
            reply.dependencies.push_back({dependency, size});
        }
    }
    return encode_type_lookup_reply(reply);
}

}  // namespace durability::discovery
