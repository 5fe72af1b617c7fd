// What living writers wrote while a reader is given its history: a stored sample older than that
// must not follow it (semantics.md, section 7, last rule of what a reader is entitled to). Plain
// values, no clock. Belongs to the loop.
#pragma once

#include "model/rtps_time.hpp"
#include "model/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace durability::service {

// As ListedSample::instance counts them, in any group of one topic and type: equal exactly for
// samples of one instance; 0: not known.
[[nodiscard]] std::uint64_t instance_number(bool keyed, const std::optional<InstanceKey>& key);

class NewerLive {
  public:
    // Of more instances than these nothing is noted: what is stored of the others may then follow
    // what is newer.
    static constexpr std::size_t most_instances = 65'536;

    // A living writer gave the reader a sample of that instance. One without a valid timestamp is
    // newer than everything that is stored. An instance that is not known is passed over.
    void note(std::uint64_t instance, Timestamp source);
    // Whether a stored sample is older than what was noted. One without a valid timestamp is.
    [[nodiscard]] bool replaces(std::uint64_t instance, Timestamp source) const;
    void clear() { newest_ = {}; }

  private:
    std::unordered_map<std::uint64_t, Timestamp> newest_;  // invalid: see note()
};

}  // namespace durability::service
