// MD5, which RTPS prescribes for the hash of keys longer than 16 octets (RTPS 2.5, 9.6.4.8).
#pragma once

#include "base/bytes.hpp"

#include <array>

namespace durability {

[[nodiscard]] std::array<std::uint8_t, 16> md5(ByteView bytes);

}  // namespace durability
