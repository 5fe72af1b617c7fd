// The bytes of a test sample: a pure function of seed, instance, number and size, so that a reader
// can tell without the writer's help whether it received what was written.
#pragma once

#include <cstdint>
#include <span>

namespace peer {

// Fills `out` for sample `seq` of instance `id`. Any thread.
void fill_payload(std::span<std::uint8_t> out,
                  std::uint64_t seed,
                  std::uint32_t id,
                  std::uint32_t seq);

// True when `bytes` is what fill_payload would have made of the same arguments. Any thread.
bool is_payload(std::span<const std::uint8_t> bytes,
                std::uint64_t seed,
                std::uint32_t id,
                std::uint32_t seq);

// FNV-1a, 64 bits: for a person comparing two outputs, not for safety. Any thread.
std::uint64_t fnv1a64(std::span<const std::uint8_t> bytes);

}  // namespace peer
