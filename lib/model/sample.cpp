#include "model/sample.hpp"

#include <algorithm>
#include <charconv>

namespace durability {

std::optional<KeyHash> parse_key_hash(std::string_view text) {
    KeyHash key{};
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (text.size() != 2 * key.size() || !std::all_of(text.begin(), text.end(), is_digit))
        return std::nullopt;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char* const at = text.data() + 2 * i;
        std::from_chars(at, at + 2, key[i], 16);
    }
    return key;
}

}  // namespace durability
