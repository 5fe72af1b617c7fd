#include "durability/error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace durability {

std::string Error::text() const {
    if (sys_errno == 0) return detail;
    char buffer[128] = {};
    // The GNU strerror_r may return a static string instead of filling the buffer.
    const char* reason = ::strerror_r(sys_errno, buffer, sizeof buffer);
    return fmt::format("{}: {}", detail, reason);
}

std::string_view name(Errc code) {
    switch (code) {
        case Errc::invalid_argument:
            return "invalid argument";
        case Errc::configuration:
            return "configuration";
        case Errc::not_found:
            return "not found";
        case Errc::io:
            return "input/output";
        case Errc::in_use:
            return "in use";
        case Errc::unavailable:
            return "unavailable";
        case Errc::permission:
            return "permission";
        case Errc::corrupt:
            return "corrupt";
        case Errc::version:
            return "version";
        case Errc::resource_limit:
            return "resource limit";
        case Errc::unsupported:
            return "unsupported";
        case Errc::internal:
            return "internal";
    }
    return "?";
}

int exit_status(Errc code) {
    switch (code) {
        case Errc::invalid_argument:
            return 64;
        case Errc::version:
        case Errc::corrupt:
            return 65;
        case Errc::not_found:
        case Errc::unavailable:
            return 69;
        case Errc::internal:
        case Errc::resource_limit:
            return 70;
        case Errc::io:
            return 74;
        case Errc::in_use:
            return 75;
        case Errc::permission:
            return 77;
        case Errc::configuration:
        case Errc::unsupported:
            return 78;
    }
    return 70;
}

}  // namespace durability
