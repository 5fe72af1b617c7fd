// What goes on, in a few figures: for the line that a service manager shows.
#pragma once

#include <cstdint>

namespace durability::runtime {

struct Summary {
    std::uint64_t topics{0};  // served groups
    std::uint64_t writers{
        0};  // source writers: those that are there, and those whose history waits
    std::uint64_t retired{0};  // of these, the latter
    std::uint64_t bytes{0};    // of all files
    std::uint64_t samples{0};  // received since the start
    Summary& operator+=(const Summary& other) {
        topics += other.topics;
        writers += other.writers;
        retired += other.retired;
        bytes += other.bytes;
        samples += other.samples;
        return *this;
    }
    friend bool operator==(const Summary&, const Summary&) = default;
};

}  // namespace durability::runtime
