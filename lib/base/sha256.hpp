// SHA-256 (FIPS 180-4), for names that must differ where somebody wants them to be the same.
#pragma once

#include "base/bytes.hpp"

#include <array>

namespace durability {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(ByteView bytes);

}  // namespace durability
