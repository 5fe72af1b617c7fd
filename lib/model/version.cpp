#include "durability/version.hpp"

namespace durability {

std::string_view version() {
    return DURABILITYD_VERSION;
}

}  // namespace durability
