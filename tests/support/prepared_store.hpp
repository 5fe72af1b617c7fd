// A store on disk as a daemon would leave it: written by a Store, closed, for programs to work on.
#pragma once

#include "base/time.hpp"
#include "model/group.hpp"
#include "model/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace durability::test {

struct PreparedTopic {
    std::string name;
    bool keyed{false};
    std::uint64_t depth{3};
    std::string partition{};  // empty: none
    // The type described with the topic: peers::SmallKey { @key long id; long seq; string text },
    // minimal, so without the names of members. Payloads need a size of 8 to hold a key then.
    bool described{false};
    // Sample N answers request N % 3 + 1 of prepared_writer(9).
    bool replies{false};
    // When its samples were received, one a second from then; nothing: now.
    std::optional<WallTime> received{};
    StorageKind storage{StorageKind::disk};
};

// One of the writers of a prepared store, by number.
[[nodiscard]] Guid prepared_writer(std::uint8_t number);
// Instance 0 or 1: odd numbers of a keyed topic are of instance 1.
[[nodiscard]] KeyHash prepared_key(std::uint8_t instance);

// Samples 1 to `count` of writer 1, then as many of writer 2 if `both`, each with `size` octets of
// payload of which the fifth is the number.
void prepare_store(const std::string& state_directory,
                   const std::string& runtime_directory,
                   std::uint32_t domain,
                   const PreparedTopic& topic,
                   int count,
                   bool both = false,
                   std::size_t size = 5);

}  // namespace durability::test
