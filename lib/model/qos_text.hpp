// QoS values as people read them, with the names that the standard gives them (DDS 1.4, 2.2.3).
// Pure; thread-safe.
#pragma once

#include "model/qos.hpp"
#include "model/rtps_time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace durability {

// "infinite", or as in a configuration: "250ms".
[[nodiscard]] std::string text_of(QosDuration duration);
[[nodiscard]] std::string text_of(OwnershipKind kind);
[[nodiscard]] std::string text_of(DestinationOrderKind kind);
// "AUTOMATIC, lease infinite".
[[nodiscard]] std::string text_of(const Liveliness& liveliness);
// "GROUP, coherent, ordered".
[[nodiscard]] std::string text_of(const Presentation& presentation);
// "XCDR1"; the number of one that has no name here.
[[nodiscard]] std::string text_of_representation(std::int16_t representation);
// Each in quotes, with commas between them; foreign names are made printable.
[[nodiscard]] std::string quoted_names(const std::vector<std::string>& partitions);

}  // namespace durability
