// Why foreign bytes did not decode. An enumeration and nothing else: the network chooses how often
// it happens, so a failure allocates nothing and carries no text.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <string_view>

namespace durability::wire {

enum class DecodeError : std::uint8_t {
    truncated,            // the bytes end before the value does
    bad_magic,            // not an RTPS message at all
    bad_version,          // RTPS of another major version
    bad_range,            // a number or an enumeration outside what the standard allows
    bad_flags,            // flags that exclude each other
    bad_length,           // a length field that contradicts the content
    bad_string,           // a string without its NUL, with a NUL inside, or longer than the limit
    bad_parameter,        // a parameter whose content cannot be read
    missing_sentinel,     // a parameter list that ends without PID_SENTINEL
    duplicate_parameter,  // a parameter that may stand once stands twice
    over_limit,           // well formed, but more of it than the configured limit
    unsupported,          // well formed, but of a kind this decoder does not know
};

// The enumerator as text, for counters and traces. Thread-safe; never fails.
[[nodiscard]] std::string_view name(DecodeError error);

template <class T>
using Decoded = tl::expected<T, DecodeError>;

[[nodiscard]] constexpr tl::unexpected<DecodeError> decode_failure(DecodeError error) {
    return tl::unexpected<DecodeError>(error);
}

}  // namespace durability::wire
