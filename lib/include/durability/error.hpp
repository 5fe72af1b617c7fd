// Errors are values: a code, a sentence a person can act on, and errno where the system said no.
// Nothing here throws; every function that can fail returns Result<T>.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace durability {

enum class Errc : std::uint8_t {
    invalid_argument,  // the caller asked for something that makes no sense
    configuration,     // the configuration is wrong; the detail names file, line and key
    not_found,         // what was asked for does not exist
    io,                // the system refused; sys_errno says why
    in_use,            // somebody else owns it (directory lease, port)
    unavailable,       // a port or interface is not to be had
    permission,        // not permitted; the detail names the path
    corrupt,           // stored bytes are damaged; the detail names file and offset
    version,           // stored by a newer version
    resource_limit,    // a configured limit was reached; nothing was changed
    unsupported,       // a feature this build does not have
    internal,          // our own mistake
};

struct Error {
    Errc code{Errc::internal};
    int sys_errno{0};
    std::string detail;  // what was attempted, on what, why not; no full stop

    // The detail, followed by the system's reason where there is one.
    [[nodiscard]] std::string text() const;
};

// std::expected in all but name and header; the wrapper only adds [[nodiscard]].
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using Base = tl::expected<T, Error>;
    using Base::Base;
    Result(Base base)
        : Base(std::move(base)) {}  // NOLINT(google-explicit-constructor): what map() returns
};

using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string detail, int sys_errno = 0) {
    return tl::unexpected<Error>(Error{code, sys_errno, std::move(detail)});
}

[[nodiscard]] std::string_view name(Errc code);

// Exit status of a program that ends because of `code` (sysexits; see surface.md and
// durabilityd(8)).
[[nodiscard]] int exit_status(Errc code);

}  // namespace durability
