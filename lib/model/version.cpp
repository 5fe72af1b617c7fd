#include "durability/version.hpp"

namespace durability {

std::string_view version() {
    return DURABILITYD_VERSION;
}

bool has_realtime() {
#ifdef DURABILITYD_RT
    return true;
#else
    return false;
#endif
}

}  // namespace durability
