// Why a writer and a reader do not match, in words: the rule that match() found broken, and what
// either side has there. Decides nothing itself. Pure.
#pragma once

#include "discovery/matching.hpp"

#include <string>

namespace durability::discovery {

struct Mismatch {
    MismatchReason reason{MismatchReason::none};
    // What the writer offers and the reader requests of that policy: text for people, names from
    // the network made safe. Empty when they match.
    std::string offered;
    std::string requested;
};

[[nodiscard]] Mismatch explain_mismatch(const EndpointData& writer, const EndpointData& reader);

// What makes the two match, as an advice to whoever owns them; empty for `none`.
[[nodiscard]] std::string_view cure(MismatchReason reason);

}  // namespace durability::discovery
