// The types we can describe, and who waits to hear about them: the answering half of TypeLookup.
// Bookkeeping without messages; TypeLookup sends. Not thread-safe.
#pragma once

#include "types/type_id.hpp"

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "discovery/type_lookup_message.hpp"
#include "model/guid.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace durability::discovery {

struct TypeAnswerOptions {
    // Replies to one peer: so many at once, then one in each interval. What cannot be answered at
    // once waits: Cyclone DDS asks once and never again.
    std::uint32_t burst{32};
    Duration interval{std::chrono::milliseconds{20}};
    // Ids in requests of one peer that wait; a request that would exceed it is dropped.
    std::size_t max_waiting_ids{2'048};
    // TypeObjects in one reply. What is left over goes into another one with the same identity; a
    // larger object is not offered.
    std::size_t max_reply_bytes{512U << 10U};
};

class TypeAnswers {
  public:
    explicit TypeAnswers(TypeAnswerOptions options) : options_(options) {}

    // `object` is the serialized TypeObject of `id`, `dependencies` what getTypeDependencies is
    // answered with. False, and nothing changes, when it is not, or is too large.
    bool offer(const types::TypeId& id, Buffer object, std::vector<types::TypeId> dependencies);
    void withdraw(const types::TypeId& id) { offered_.erase(id); }
    [[nodiscard]] std::size_t offered() const { return offered_.size(); }

    void take(GuidPrefix peer, TypeLookupRequest request);
    struct Answer {
        GuidPrefix peer;
        std::vector<Buffer> replies;  // payloads
    };
    // What is to be sent now, one request at a time.
    [[nodiscard]] std::optional<Answer> next_answer(MonoTime now);
    [[nodiscard]] MonoTime next_deadline() const;
    void forget(GuidPrefix peer) { askers_.erase(peer); }

    // Requests that were dropped because too much of the same peer was waiting.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  private:
    struct Offer {
        Buffer object;
        std::vector<types::TypeId> dependencies;
    };
    struct Asker {
        // Up to when what was sent has used up the allowance.
        MonoTime paid_until{MonoTime::min()};
        std::deque<TypeLookupRequest> waiting;
        std::size_t waiting_ids{0};
    };

    [[nodiscard]] MonoTime due(const Asker& asker) const;
    [[nodiscard]] std::vector<Buffer> answer(const TypeLookupRequest& request) const;
    [[nodiscard]] std::vector<Buffer> describe(const TypeLookupRequest& request) const;
    [[nodiscard]] Buffer list_dependencies(const TypeLookupRequest& request) const;

    TypeAnswerOptions options_;
    std::map<types::TypeId, Offer> offered_;
    std::map<GuidPrefix, Asker> askers_;
    std::uint64_t dropped_{0};
};

}  // namespace durability::discovery
