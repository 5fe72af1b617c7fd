// CRC-32C (Castagnoli), the checksum of every frame in a log.
#pragma once

#include "base/bytes.hpp"

namespace durability {

// Checksum of `bytes`, continuing from `crc` (0 to begin). Uses the processor's instruction where
// it exists. Thread-safe.
[[nodiscard]] std::uint32_t crc32c(ByteView bytes, std::uint32_t crc = 0);

// The portable implementation (Boost.CRC); the oracle in tests and the path on other processors.
[[nodiscard]] std::uint32_t crc32c_portable(ByteView bytes, std::uint32_t crc = 0);

}  // namespace durability
