// What one living writer sent in the name of others (PID_ORIGINAL_WRITER_INFO; RTPS 2.5, 8.7.9): a
// router, a player of recordings, another service. Such samples are kept under the identity of
// their original writer; what the one who brought them will itself send to a late reader is told by
// the numbers it gave them. Pure.
#pragma once

#include "model/sample.hpp"
#include "model/sequence_number.hpp"

#include <cstddef>
#include <deque>
#include <set>
#include <utility>
#include <vector>

namespace durability::service {

class RelayedSamples {
  public:
    // Of more the oldest are forgotten: a late reader may then get them from the daemon as well.
    // One run holds any number of samples that follow each other on both sides.
    static constexpr std::size_t max_runs = 1'024;
    static constexpr std::size_t max_origins = 1'024;

    // `number` is the relaying writer's. True when it is the first of that original writer.
    bool add(SequenceNumber number, const SampleId& id);
    // What it sent under the numbers of `held`: original writers and their numbers.
    [[nodiscard]] std::vector<std::pair<Guid, SequenceRange>> within(SequenceRange held) const;
    [[nodiscard]] const std::set<Guid>& origins() const { return origins_; }

  private:
    struct Run {
        SequenceNumber first;
        SampleId id;  // of the first
        std::int64_t count{0};
    };
    std::deque<Run> runs_;
    std::set<Guid> origins_;
};

}  // namespace durability::service
