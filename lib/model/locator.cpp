#include "model/locator.hpp"

#include "base/bytes.hpp"

#include <fmt/format.h>

namespace durability {

std::string to_string(const Locator& locator) {
    if (locator.is_udp_v4()) {
        return fmt::format("{}.{}.{}.{}:{}",
                           locator.address[12],
                           locator.address[13],
                           locator.address[14],
                           locator.address[15],
                           locator.port);
    }
    return fmt::format("kind {} {}:{}", locator.kind, to_hex(locator.address), locator.port);
}

}  // namespace durability
