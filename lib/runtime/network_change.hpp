// What a change of the machine's addresses means for a participant that peers know (fact
// sheet 12.3). Pure.
#pragma once

#include "net/interfaces.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace durability::runtime {

enum class NetworkChange : std::uint8_t {
    none,
    // Peers that know the participant reach it as before; the others learn the new addresses.
    extended,
    // Peers may know it under addresses that are gone only, and neither Cyclone DDS nor Fast DDS
    // learns new ones of a participant it knows: it has to come back as another one.
    replaced
};

// `known`: addresses announced under the present identity; `used`: interfaces in use so far;
// `available`: all that are up; `chosen`: of these, those to be used.
[[nodiscard]] NetworkChange judge_change(std::span<const std::uint32_t> known,
                                         std::span<const net::Interface> used,
                                         std::span<const net::Interface> available,
                                         std::span<const net::Interface> chosen);

// `known` and those of `chosen`, ascending, each once.
[[nodiscard]] std::vector<std::uint32_t> with_addresses(std::span<const std::uint32_t> known,
                                                        std::span<const net::Interface> chosen);

}  // namespace durability::runtime
