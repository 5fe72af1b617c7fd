// Every option as one row: where it is written in YAML, what it may hold, where it goes. The
// loader,
// --check-config, the manual page's test and the default file's test all walk this table.
//
// Defaults are not repeated here: a row's default is what its slot holds in a fresh Config.
#pragma once

#include "durability/config.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace durability::config {

// What may be written. The text kinds differ in what they refuse.
enum class Type : std::uint8_t {
    flag,            // true false yes no
    number,          // 42
    count,           // 42 or unlimited
    duration,        // 250ms, 10s, 5min, 2h, 7d, infinite
    size,            // 64KiB, 1MiB, a number of bytes, unlimited
    choice,          // one of `choices`
    pattern,         // a glob as fnmatch(3); no blanks, not empty
    name_pattern,    // the same for partitions: may be empty (the default partition)
    ros_topic,       // /tf_static, with globs
    ros_type,        // tf2_msgs/msg/TFMessage, with globs
    absolute_path,   // begins with '/'
    socket_path,     // absolute, or relative to store.runtime_directory
    optional_path,   // begins with '/', or none
    port_or_auto,    // 1..65535 or auto
    domain_list,     // [0, 7]
    cpu_list,        // [2, 3]
    interface_list,  // [eth0, 192.0.2.7]
    peer_list,       // [192.0.2.7, "192.0.2.8:7410"]
    key_layout,      // auto, or a list: [int32, "skip int64", string]
};

// Inclusive, in the unit of the type: a number, nanoseconds, bytes. `infinite` and `unlimited` are
// the greatest value, so a row that has no maximum admits them.
struct Range {
    std::uint64_t min{0};
    std::uint64_t max{std::numeric_limits<std::uint64_t>::max()};
};

// The place in a Config or a TopicRule that a row fills. monostate: accepted, holds nothing.
using Slot = std::variant<std::monostate,
                          bool*,
                          std::uint64_t*,
                          std::chrono::nanoseconds*,
                          std::string*,
                          std::vector<std::string>*,
                          std::vector<std::uint32_t>*,
                          std::optional<std::uint16_t>*,
                          std::optional<std::uint64_t>*,
                          std::optional<std::string>*,
                          std::optional<std::chrono::nanoseconds>*,
                          SyncPolicy*,
                          ShutdownMode*,
                          SpdpVendor*,
                          LogLevel*,
                          ServeKind*,
                          StorageChoice*,
                          KeyedChoice*,
                          ContractHistory*,
                          ContractScope*,
                          std::optional<ContractHistory>*,
                          std::optional<ContractScope>*,
                          std::optional<ThreadPolicy>*>;

// Both are given for rows under "topics[]"; the others look at `config` only. Never null then.
struct Target {
    Config* config{nullptr};
    TopicRule* rule{nullptr};
};

// What a change of the option needs (surface.md: SIGHUP).
enum class Reload : std::uint8_t {
    restart,
    live  // a reload applies it
};
[[nodiscard]] std::string_view name(Reload reload);

struct Option {
    std::string_view path;  // "store.sync_interval", "topics[].contract.depth"
    Type type{};
    Range range;
    std::span<const std::string_view> choices;  // in the order of the enumeration
    std::string_view help;                      // one sentence
    Slot (*slot)(Target target){nullptr};
    // Of a new option: what it needs until somebody makes it follow.
    Reload reload{Reload::restart};
};

// All rows, grouped by section in the order of the manual page.
[[nodiscard]] std::span<const Option> options();

// The row with exactly this path, or nullptr.
[[nodiscard]] const Option* find_option(std::string_view path);
// True when some option lies below `path` ("store", "topics[].contract").
[[nodiscard]] bool is_section(std::string_view path);
// Names that may stand directly below a section ("" is the root), without duplicates.
[[nodiscard]] std::vector<std::string_view> names_below(std::string_view section);

// One YAML scalar, as written.
struct Scalar {
    std::string text;
    bool quoted{false};
};
struct Complaint {
    std::string message;
    std::string hint;  // may be empty
};

[[nodiscard]] bool is_list(Type type);
// "a duration: 250ms, 10s, 5min, 2h, 7d or infinite"
[[nodiscard]] std::string describe_expected(const Option& option);

// Checks one scalar (for a list: one element) and stores it; on a complaint nothing has changed.
// Elements are appended, so a list is emptied with clear() first.
[[nodiscard]] std::optional<Complaint> assign(const Option& option,
                                              Slot slot,
                                              const Scalar& scalar);
void clear(Slot slot);

// The value in the form that assign() reads; "" for an override that is not set, "[a, b]" for a
// list.
[[nodiscard]] std::string format_value(const Option& option, Slot slot);

}  // namespace durability::config
