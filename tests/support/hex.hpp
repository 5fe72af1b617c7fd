// Bytes written as text in tests: "1e001c00 05000000", blanks and line breaks anywhere.
#pragma once

#include "base/bytes.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace durability::test {

[[nodiscard]] inline std::uint8_t hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
    throw std::invalid_argument(std::string("not a hexadecimal digit: ") + digit);
}

// Throws on anything that is not a pair of lower-case digits: a typing error must not pass for
// data.
[[nodiscard]] inline Buffer from_hex(std::string_view text) {
    Buffer bytes;
    bool half = false;
    for (const char character : text) {
        if (character == ' ' || character == '\n' || character == '\t') continue;
        const std::uint8_t digit = hex_digit(character);
        if (half) {
            bytes.back() = static_cast<std::uint8_t>(bytes.back() << 4U | digit);
        } else {
            bytes.push_back(digit);
        }
        half = !half;
    }
    if (half) throw std::invalid_argument("an odd number of hexadecimal digits");
    return bytes;
}

}  // namespace durability::test
