// Collects irrelevant numbers in increasing order into as few GAP submessages as their form allows:
// one range of any length and a window of 256 numbers behind it (RTPS 2.5, 8.3.8.4).
#pragma once

#include "model/guid.hpp"
#include "model/sequence_number.hpp"
#include "wire/submessage.hpp"

#include <optional>

namespace durability::rtps {

class GapBuilder {
  public:
    // The GAPs are addressed to one reader: Cyclone DDS ignores undirected ones (fact sheet 12.1).
    GapBuilder(EntityId reader, EntityId writer) : reader_(reader), writer_(writer) {}

    // Adds a range above all added before; an empty one changes nothing. Returns the GAP that had
    // to be finished first, if the range does not fit into it.
    [[nodiscard]] std::optional<wire::Gap> add(SequenceRange range);
    // The last GAP, if there is one; the builder starts again.
    [[nodiscard]] std::optional<wire::Gap> finish();

  private:
    EntityId reader_;
    EntityId writer_;
    std::optional<wire::Gap> open_;
};

}  // namespace durability::rtps
