// The process's limit on file descriptors, and what it leaves for the logs of the store.
#pragma once

#include <cstddef>
#include <cstdint>

namespace durability::runtime {

// What everything but the logs may need at once: standard streams, loop and timers, the journal,
// the control socket and its clients; and in each domain the sockets, the leases and the files that
// are open for a moment only.
inline constexpr std::uint64_t descriptors_of_process = 32;
inline constexpr std::uint64_t descriptors_of_domain = 16;

// Raises the soft limit towards `wanted` as far as the hard one permits; returns the one in force.
[[nodiscard]] std::uint64_t raise_descriptor_limit(std::uint64_t wanted);

// The descriptors wanted where each of `domains` may hold `open_files` log files.
[[nodiscard]] std::uint64_t descriptors_wanted(std::uint64_t open_files, std::size_t domains);

// How many log files each domain may hold under a limit of `descriptors`, at most `open_files`.
// Never 0: a store needs a few whatever the limit, and then says itself what it could not open.
[[nodiscard]] std::uint64_t affordable_open_files(std::uint64_t open_files,
                                                  std::size_t domains,
                                                  std::uint64_t descriptors);

}  // namespace durability::runtime
