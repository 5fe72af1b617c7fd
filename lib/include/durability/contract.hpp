// The retention contract of a topic: what is kept for late readers, and for how long after its
// writer.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace durability {

enum class ContractHistory : std::uint8_t {
    keep_last,
    keep_all
};
// Over what the limits count: all source writers of a group, or each of them (semantics.md, section
// 3).
enum class ContractScope : std::uint8_t {
    topic,
    writer
};
// Where a contract came from, strongest first.
enum class ContractSource : std::uint8_t {
    rule,
    announced,
    daemon_default
};
enum class StorageKind : std::uint8_t {
    disk,
    memory
};

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

struct Contract {
    ContractHistory history{ContractHistory::keep_last};
    std::uint64_t depth{1};
    std::uint64_t max_samples{10'000};
    std::uint64_t max_instances{10'000};
    std::uint64_t max_samples_per_instance{unlimited};
    std::chrono::nanoseconds cleanup_delay{std::chrono::nanoseconds::max()};  // max(): infinite
    ContractScope scope{ContractScope::topic};
    // Quotas beside what DDS has: octets of payload, and time since a sample was received. They
    // count over the same as the other limits do.
    std::uint64_t max_bytes{unlimited};
    std::chrono::nanoseconds max_age{std::chrono::nanoseconds::max()};  // max(): infinite
    friend bool operator==(const Contract&, const Contract&) = default;
};

[[nodiscard]] std::string_view name(ContractHistory history);
[[nodiscard]] std::string_view name(ContractScope scope);
[[nodiscard]] std::string_view name(ContractSource source);
[[nodiscard]] std::string_view name(StorageKind storage);

}  // namespace durability
