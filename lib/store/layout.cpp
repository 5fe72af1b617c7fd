#include "store/layout.hpp"

#include "base/bytes.hpp"
#include "base/md5.hpp"
#include "store/group_meta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace durability::store {
namespace {

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

std::optional<std::array<std::uint8_t, 16>> parse_octets(std::string_view text) {
    if (text.size() != 32 || !is_lower_hex(text)) return std::nullopt;
    std::array<std::uint8_t, 16> octets{};
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const char* const at = text.data() + 2 * i;
        std::from_chars(at, at + 2, octets[i], 16);
    }
    return octets;
}

bool is_plain_name(std::string_view name) {
    return name == layout::records || name == layout::meta || name == layout::checkpoint ||
           parse_log_name(name).has_value();
}

// The suffix alone, or with "-2" and so on behind it.
bool is_numbered(std::string_view text, std::string_view suffix) {
    if (!text.starts_with(suffix)) return false;
    text.remove_prefix(suffix.size());
    if (text.empty()) return true;
    if (!text.starts_with('-')) return false;
    text.remove_prefix(1);
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string free_name(const std::string& name,
                      std::string_view suffix,
                      const std::function<bool(const std::string&)>& is_taken) {
    std::string target = name + std::string(suffix);
    for (unsigned n = 2; is_taken(target); ++n)
        target = fmt::format("{}{}-{}", name, suffix, n);
    return target;
}

}  // namespace

GroupHash hash_of(const GroupKey& key) {
    Buffer encoded;
    encode_group_key(key, encoded);
    return md5(encoded);
}

std::string join(std::string_view directory, std::string_view name) {
    return fmt::format("{}/{}", directory, name);
}

std::string group_folder_name(const GroupHash& hash) {
    return to_hex(hash);
}

std::optional<GroupHash> parse_group_folder(std::string_view name) {
    return parse_octets(name);
}

std::string log_name(const LogName& name) {
    return fmt::format("{}-{:08x}.log", to_hex(to_octets(name.writer)), name.segment);
}

std::optional<LogName> parse_log_name(std::string_view name) {
    constexpr std::string_view suffix = ".log";
    if (name.size() != 32 + 1 + 8 + suffix.size() || name[32] != '-' || !name.ends_with(suffix)) {
        return std::nullopt;
    }
    const auto octets = parse_octets(name.substr(0, 32));
    const std::string_view digits = name.substr(33, 8);
    if (!octets || !is_lower_hex(digits)) return std::nullopt;
    LogName result{guid_from_octets(*octets), 0};
    std::from_chars(digits.data(), digits.data() + digits.size(), result.segment, 16);
    return result;
}

bool is_leftover(std::string_view name) {
    if (!name.ends_with(layout::temporary_suffix)) return false;
    return is_plain_name(name.substr(0, name.size() - layout::temporary_suffix.size()));
}

bool is_set_aside(std::string_view name) {
    const std::size_t at = name.rfind(layout::corrupt_suffix);
    if (at == std::string_view::npos || !is_plain_name(name.substr(0, at))) return false;
    name.remove_prefix(at);
    const std::size_t repaired = name.find(layout::repaired_suffix);
    if (repaired != std::string_view::npos &&
        !is_numbered(name.substr(repaired), layout::repaired_suffix)) {
        return false;
    }
    return is_numbered(name.substr(0, repaired), layout::corrupt_suffix);
}

bool is_repaired(std::string_view name) {
    return is_set_aside(name) && name.find(layout::repaired_suffix) != std::string_view::npos;
}

bool awaits_repair(std::string_view name) {
    return is_set_aside(name) && !is_repaired(name);
}

std::string_view name_before(std::string_view set_aside) {
    return set_aside.substr(0, set_aside.rfind(layout::corrupt_suffix));
}

std::string free_corrupt_name(const std::string& name,
                              const std::function<bool(const std::string&)>& is_taken) {
    return free_name(name, layout::corrupt_suffix, is_taken);
}

std::string free_repaired_name(const std::string& set_aside,
                               const std::function<bool(const std::string&)>& is_taken) {
    return free_name(set_aside, layout::repaired_suffix, is_taken);
}

}  // namespace durability::store
