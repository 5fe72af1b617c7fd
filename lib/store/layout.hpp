// Every file name of the store is made and parsed here. Names hold hashes, GUIDs and numbers only,
// never text from the network. The picture of the folder: lib/store/LOG-FORMAT.md, section 3.
#pragma once

#include "model/group.hpp"
#include "model/guid.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace durability::store {

using GroupHash = std::array<std::uint8_t, 16>;

// Names the group's folder: MD5 of the encoded key, so equal keys and only (but for a collision,
// which is checked for) equal keys have equal names.
[[nodiscard]] GroupHash hash_of(const GroupKey& key);

struct LogName {
    Guid writer;
    std::uint32_t segment{0};
    friend auto operator<=>(const LogName&, const LogName&) = default;
};

namespace layout {
inline constexpr std::string_view lease = "lease";
inline constexpr std::string_view records = "records.log";
inline constexpr std::string_view meta = "meta";
inline constexpr std::string_view checkpoint = "checkpoint";
inline constexpr std::string_view temporary_suffix = ".tmp";
inline constexpr std::string_view corrupt_suffix = ".corrupt";
inline constexpr std::string_view repaired_suffix = ".repaired";
}  // namespace layout

[[nodiscard]] std::string join(std::string_view directory, std::string_view name);
[[nodiscard]] std::string group_folder_name(const GroupHash& hash);
[[nodiscard]] std::optional<GroupHash> parse_group_folder(std::string_view name);
// 32 hex digits, a dash, 8 hex digits, ".log"
[[nodiscard]] std::string log_name(const LogName& name);
[[nodiscard]] std::optional<LogName> parse_log_name(std::string_view name);
// A private file of ours that a crash may leave behind: one of our names with ".tmp".
[[nodiscard]] bool is_leftover(std::string_view name);
// One of our names with ".corrupt", ".corrupt-2", ..., whether repair has dealt with it or not.
[[nodiscard]] bool is_set_aside(std::string_view name);
// The same with ".repaired", ".repaired-2", ... behind: what could be saved of it is in the store.
[[nodiscard]] bool is_repaired(std::string_view name);
// Set aside, and not dealt with.
[[nodiscard]] bool awaits_repair(std::string_view name);
// What a file that is set aside was called before.
[[nodiscard]] std::string_view name_before(std::string_view set_aside);
// The first of these that is not taken: what was set aside before is never replaced.
[[nodiscard]] std::string free_corrupt_name(
    const std::string& name, const std::function<bool(const std::string&)>& is_taken);
[[nodiscard]] std::string free_repaired_name(
    const std::string& set_aside, const std::function<bool(const std::string&)>& is_taken);

}  // namespace durability::store
