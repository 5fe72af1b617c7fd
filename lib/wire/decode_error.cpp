#include "wire/decode_error.hpp"

namespace durability::wire {

std::string_view name(DecodeError error) {
    switch (error) {
        case DecodeError::truncated:
            return "truncated";
        case DecodeError::bad_magic:
            return "bad_magic";
        case DecodeError::bad_version:
            return "bad_version";
        case DecodeError::bad_range:
            return "bad_range";
        case DecodeError::bad_flags:
            return "bad_flags";
        case DecodeError::bad_length:
            return "bad_length";
        case DecodeError::bad_string:
            return "bad_string";
        case DecodeError::bad_parameter:
            return "bad_parameter";
        case DecodeError::missing_sentinel:
            return "missing_sentinel";
        case DecodeError::duplicate_parameter:
            return "duplicate_parameter";
        case DecodeError::over_limit:
            return "over_limit";
        case DecodeError::unsupported:
            return "unsupported";
    }
    return "?";
}

}  // namespace durability::wire
