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

std::vector<ArrivalRange> merge(std::vector<ArrivalRange> ranges) {
    std::ranges::sort(ranges, {}, &ArrivalRange::first);
    std::vector<ArrivalRange> merged;
    for (const ArrivalRange& range : ranges) {
        if (!merged.empty() && range.first <= merged.back().last + 1) {
            merged.back().last = std::max(merged.back().last, range.last);
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

bool overlap(std::span<const ArrivalRange> one, std::span<const ArrivalRange> other) {
    for (auto left = one.begin(), right = other.begin();
         left != one.end() && right != other.end();) {
        if (left->last < right->first) {
            ++left;
        } else if (right->last < left->first) {
            ++right;
        } else {
            return true;
        }
    }
    return false;
}

}  // namespace durability
