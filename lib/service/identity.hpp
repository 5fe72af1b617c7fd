// What must survive so that a restart is not a departure (semantics.md, section 7a): the identity
// of the two participants, entity ids, numbers and counts, remembered peers, frontiers. Values and
// their encoding as records of the store; pure.
#pragma once

#include "base/bytes.hpp"
#include "model/guid.hpp"
#include "model/sample.hpp"
#include "model/sequence_number.hpp"
#include "rtps/replay_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace durability::service {

enum class Side : std::uint8_t {
    ingest = 0,
    replay = 1
};
inline constexpr std::size_t side_count = 2;
[[nodiscard]] std::string_view name(Side side);

// One participant. Peers take neither a new port nor numbers below the old ones from a participant
// they know (fact sheet 12.3).
struct ParticipantIdentity {
    GuidPrefix prefix;
    std::uint16_t metatraffic_port{0};
    std::uint16_t user_port{0};
    friend bool operator==(const ParticipantIdentity&, const ParticipantIdentity&) = default;
};

// The next run starts above these. They are written ahead in steps, so that they need not be
// written with every message.
struct Reserved {
    SequenceNumber sedp_number{0};
    // Apart, because it grows with every announcement, and a Fast DDS peer works through every SEDP
    // number that is skipped; SPDP numbers it only compares.
    SequenceNumber spdp_number{0};
    std::int32_t count{0};  // of HEARTBEAT and ACKNACK
    friend bool operator==(const Reserved&, const Reserved&) = default;
};

// What the numbers mean that a replay writer gave out to a process. After a restart a reader that
// had part of its history is sent the same numbers again, and ignores those it has.
struct ProcessNumbers {
    EntityId replay_writer;
    GuidPrefix process;
    rtps::ReplayNumbers numbers;
};

// What a reader has had (semantics.md, section 7). Kept per reader and replay writer.
struct Frontier {
    Guid reader;
    EntityId replay_writer;
    Arrival matched{0};       // the reader's history is what arrived up to here
    Arrival acknowledged{0};  // of that, what it has acknowledged
    // Of what counts as acknowledged: what living writers had promised it and may not have sent
    // before they, and the daemon, were lost. Ascending; at most most_open of them.
    std::vector<ArrivalRange> open{};
    static constexpr std::size_t most_open = 64;

    // Nothing is left to be decided on.
    [[nodiscard]] bool is_settled() const { return acknowledged >= matched && open.empty(); }
    // Where what is left to be decided on begins.
    [[nodiscard]] Arrival unsettled_from() const {
        return open.empty() ? acknowledged + 1 : std::min(open.front().first, acknowledged + 1);
    }
    friend bool operator==(const Frontier&, const Frontier&) = default;
};

// The one octet a record's key begins with, for kinds that hold more than one thing.
[[nodiscard]] Buffer identity_key(Side side);
[[nodiscard]] Buffer counter_key(Side side);
// The addresses that were announced under the present identity.
[[nodiscard]] Buffer addresses_key();
// Names an endpoint of ours across runs; `description` is what makes it that endpoint.
[[nodiscard]] Buffer entity_key(Side side, std::string_view description);
[[nodiscard]] Buffer frontier_key(const Guid& reader, EntityId replay_writer);
[[nodiscard]] Buffer numbers_key(EntityId replay_writer, const GuidPrefix& process);
// Of the daemon whose replay participant that is, when this one yields to it.
[[nodiscard]] Buffer yield_key(const GuidPrefix& replay);
[[nodiscard]] std::optional<GuidPrefix> yield_of_key(ByteView key);
[[nodiscard]] Buffer peer_key(const GuidPrefix& prefix);

[[nodiscard]] Buffer encode(const ParticipantIdentity& identity);
[[nodiscard]] Buffer encode(const Reserved& reserved);
[[nodiscard]] Buffer encode(const Frontier& frontier);
[[nodiscard]] Buffer encode(EntityId id);
// IPv4 addresses in host byte order.
[[nodiscard]] Buffer encode(std::span<const std::uint32_t> addresses);
// A few octets for each stretch without a hole. Where that would be more than a record may hold,
// only the greatest number is kept.
[[nodiscard]] Buffer encode(const rtps::ReplayNumbers& numbers);
// Nothing when the bytes are not what encode() makes.
[[nodiscard]] std::optional<ParticipantIdentity> decode_identity(ByteView bytes);
[[nodiscard]] std::optional<Reserved> decode_reserved(ByteView bytes);
[[nodiscard]] std::optional<Frontier> decode_frontier(ByteView bytes);
[[nodiscard]] std::optional<EntityId> decode_entity(ByteView bytes);
[[nodiscard]] std::optional<std::vector<std::uint32_t>> decode_addresses(ByteView bytes);
// From both parts of the record: the key names writer and process.
[[nodiscard]] std::optional<ProcessNumbers> decode_numbers(ByteView key, ByteView bytes);

}  // namespace durability::service
