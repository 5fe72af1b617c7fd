// What one reader received, judged: duplicates and order per instance, and whether the bytes are
// right.
#pragma once

#include "endpoint.hpp"
#include "states.hpp"

#include <bitset>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace peer {

// One thread at a time.
class Tally {
  public:
    using Time = std::chrono::steady_clock::time_point;

    struct Verdict {
        bool right_bytes{};
    };

    // `check_bytes` off saves the time in a benchmark; duplicates and order are counted all the
    // same.
    Tally(std::uint64_t seed, bool check_bytes) : seed_(seed), check_bytes_(check_bytes) {}

    Verdict add(const Received& sample, Time now);

    std::uint64_t valid() const { return valid_; }
    std::uint64_t bytes() const { return bytes_; }
    std::optional<Time> first() const { return first_; }
    std::optional<Time> last() const { return last_; }
    const Instances& instances() const { return reports_; }

    // The SUMMARY line without its tag. `created` and `matched` are the reader's.
    std::string summary(Time created, std::optional<Time> matched) const;

  private:
    // Which numbers were seen, a bit each: a benchmark takes a million samples a second, and a set
    // with a node for each would measure the allocator.
    class SeenNumbers {
      public:
        // False when `number` was there already.
        bool insert(std::uint32_t number);

      private:
        static constexpr std::uint32_t chunk_bits = 4096;
        std::unordered_map<std::uint32_t, std::bitset<chunk_bits>> chunks_;
    };

    std::uint64_t seed_;
    bool check_bytes_;
    std::uint64_t received_{0};
    std::uint64_t valid_{0};
    std::uint64_t bytes_{0};
    std::uint64_t duplicates_{0};
    std::uint64_t out_of_order_{0};
    std::uint64_t bad_{0};
    std::uint32_t lowest_{0};  // numbers of valid samples, of any instance
    std::uint32_t highest_{0};
    std::optional<Time> first_;
    std::optional<Time> last_;
    std::unordered_map<std::uint32_t, SeenNumbers> seen_;
    Instances reports_;
};

}  // namespace peer
