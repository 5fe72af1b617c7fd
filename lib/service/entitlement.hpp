// What a late reader is owed (semantics.md, section 7): the heart of exactly-once. A pure function
// of the retained samples, the reader and what living writers will send it themselves; it has no
// state and no side effects, so that a table of rows tests it completely.
#pragma once

#include "base/time.hpp"
#include "discovery/endpoint_data.hpp"
#include "model/qos.hpp"
#include "model/sample.hpp"
#include "store/commands.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace durability::service {

// What a source writer that lives and matches the reader does for it.
struct LivingShare {
    // What it sends the reader from its own history; empty for one that sends late readers nothing.
    SequenceRange history{};
    // It has dropped what it unregistered.
    bool drops_unregistered{false};
    // The reader finds the right instance for its disposes and unregisters.
    bool operations_understood{true};
    // What others that live send of its samples, in its name.
    struct Relayed {
        SequenceRange numbers;  // its own
        Guid by;
    };
    std::vector<Relayed> relayed;

    [[nodiscard]] bool empty() const { return history.empty() && relayed.empty(); }
};

// The reader, as far as the decision needs it.
struct LateReader {
    bool wants_history{true};  // false for VOLATILE
    // Samples that arrived after this one are live for the reader, not history.
    Arrival matched_arrival{0};
    // Up to here it already acknowledged what it was owed, in an earlier run of the daemon.
    Arrival frontier{0};
    // A sample that arrives later replaces an earlier one whatever their timestamps say: KEEP_LAST
    // 1 and ordered by reception (fact sheet 5.4). Such a reader must not get an older sample of an
    // instance of which a living writer gives it a newer one. Where it keeps several, nothing is
    // replaced, and what is withheld would be missing: of two writers of a topic without keys, the
    // dead one's newest sample is older than the living one's.
    bool latest_arrival_wins{false};
    // At or below the frontier, and still to be decided on: living writers had promised it, and the
    // daemon ended before it was clear that they had kept their word. Ascending.
    std::vector<ArrivalRange> unsettled{};
};

// Whether LateReader::latest_arrival_wins holds for the reader; by its QoS and its vendor.
[[nodiscard]] bool latest_arrival_wins(const discovery::EndpointData& reader);

enum class Entitlement : std::uint8_t {
    owed,
    not_history,    // arrived after the reader matched, or the reader wants none
    acknowledged,   // at or below the frontier
    expired,        // LIFESPAN is over
    living_writer,  // its living writer sends it
    superseded,     // a living writer gives the reader a newer sample of the instance
    deferred,       // its living writer sends it in a form the reader does not understand: ours to
                    // send, once that writer has sent what comes before it
    held,  // unregistered by one writer, while another one that is there holds the instance
};
inline constexpr std::size_t entitlement_count = 8;
[[nodiscard]] std::string_view name(Entitlement entitlement);

struct EntitlementInput {
    std::span<const store::ListedSample> retained;  // ascending arrivals
    QosDuration lifespan{infinite_qos_duration};
    LateReader reader;
    // Living source writers that match the reader. A writer that is not in here is gone, or does
    // not match: the daemon speaks for it.
    const std::unordered_map<Guid, LivingShare>& living;
    WallTime now{};
};

struct EntitlementResult {
    std::vector<ArrivalRange> owed;  // ascending
    // What living writers send, by the one that sends: ours to send should one be lost before it
    // has.
    std::map<Guid, std::vector<ArrivalRange>> promised;
    std::vector<ArrivalRange> deferred;
    std::array<std::uint64_t, entitlement_count> counts{};  // by Entitlement, for `explain`
};

// Whether a verdict can depend on samples that arrived later. Where it cannot, a long history may
// be decided on in pieces.
[[nodiscard]] bool needs_whole_history(const LateReader& reader,
                                       const std::unordered_map<Guid, LivingShare>& living);
// Adds the verdicts on `retained` to `result`.
void decide(const EntitlementInput& input, EntitlementResult& result);

}  // namespace durability::service
