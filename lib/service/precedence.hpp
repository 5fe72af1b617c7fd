// Several daemons in one domain: what they tell each other, and which of them serves a late reader
// (durabilityd(8), SEVERAL DAEMONS). Pure.
//
// A daemon of higher rank serves; the others *yield* to it, and say so in their announcement. What
// was announced, not what anybody thinks of ranks, decides: who has not yielded yet serves, so that
// every reader has exactly one daemon also while the ranks are being settled. Two clocks are never
// compared: a daemon goes by when it first saw the reader and when it first saw the other one
// yield. Both see either with a delay of their own, and the window makes up for it: a reader of
// that window may be served twice, and none is left out.
#pragma once

#include "base/time.hpp"
#include "discovery/participant_data.hpp"
#include "model/guid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace durability::service {

enum class ServiceRole : std::uint8_t {
    ingest,
    replay
};

// What a participant of a daemon says of itself.
struct ServiceAnnouncement {
    ServiceRole role{ServiceRole::ingest};
    std::uint64_t priority{0};
    std::string host;
    // Greater with each start: what it says then is not a change of what an earlier run said.
    std::uint64_t run{0};
    // Replay participants of daemons that it leaves late readers to.
    std::vector<GuidPrefix> yields_to;
    friend bool operator==(const ServiceAnnouncement&, const ServiceAnnouncement&) = default;
};
// Of others than this many no notice is taken: beyond, readers may be served twice.
inline constexpr std::size_t max_peer_services = 8;

[[nodiscard]] discovery::Properties to_properties(const ServiceAnnouncement& announcement);
// Nothing for participants that are not a daemon's. What cannot be read counts as not said.
[[nodiscard]] std::optional<ServiceAnnouncement> service_announcement(
    const discovery::ParticipantData& participant);

struct ServiceRank {
    std::uint64_t priority{0};
    GuidPrefix prefix;  // of the replay participant
};
// The higher priority, then the lower GUID.
[[nodiscard]] bool outranks(const ServiceRank& one, const ServiceRank& other);

// Another daemon, as far as one reader is concerned. Times are those of the daemon that asks;
// MonoTime::min(): before it started.
struct PeerClaim {
    ServiceRank rank;
    // Within its lease.
    bool alive{true};
    // Heard in this run, not only remembered from an earlier one.
    bool confirmed{true};
    MonoTime heard{};  // last
    // It has a replay writer that matches the reader.
    bool matches{false};
    // Until then its writers may not all be known.
    MonoTime settled_at{MonoTime::min()};
    // Since when we yield to it.
    std::optional<MonoTime> yielded_since;
    struct Yield {
        GuidPrefix to;
        MonoTime seen{};
    };
    std::vector<Yield> yields_to;
};

struct PrecedenceQuestion {
    ServiceRank own;
    MonoTime appeared{};  // the reader, to us
    // Whom we took it to belong to before; matters when that one is lost.
    GuidPrefix left_to{};
    Duration window{};
    // Until then daemons that are there may not be known, or not be heard again, yet.
    MonoTime acquainted_at{MonoTime::min()};
    std::span<const PeerClaim> peers;
};

struct Precedence {
    enum class Standing : std::uint8_t {
        ours,
        waiting,  // it is another daemon's, if that is alive
        theirs    // for good: another daemon has had its time to serve it
    };
    Standing standing{Standing::ours};
    GuidPrefix owner{};  // unknown_prefix: nobody's yet
    // When waiting: the answer may change by then without anything being heard.
    MonoTime until{MonoTime::max()};
};
[[nodiscard]] Precedence judge_precedence(const PrecedenceQuestion& question, MonoTime now);

}  // namespace durability::service
