// What the daemon reports: a name that scripts may rely on, a severity, and fields in a fixed
// order. Events are values; text is made at the edge (daemon/event_sink, durabilityctl).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace durability {

enum class Severity : std::uint8_t {
    error,
    warning,
    notice,
    info
};

enum class EventKind : std::uint8_t {
    Ready,
    Stopping,
    AutoServeFailed,
    ConflictingDurabilityService,
    ReplayWriteFailed,
    ServedFromStoredMeta,
    ServedFromDiscovery,
    TopicMetaMismatch,
    KeyUnresolved,
    TornTailTruncated,
    CorruptLog,
    ForeignFile,
    StoreDegraded,
    StoreRecovered,
    IngestStalled,
    SampleRejected,
    SampleLost,
    ResourceLimit,
    WriterRetired,
    WriterExpired,
    IncompleteSetDropped,
    MalformedMessage,
    ReaderCannotBeServed,
    PeerServiceFound,
    PeerServiceLost,
    IdentityReplaced,
    ReceiveBufferSmall,
    NoNetwork,
    NetworkChanged,
    ThreadSettingRefused,
    ConfigReloaded,
    ConfigRejected,
    WatchdogLate,
    MetricsFileFailed,
};
inline constexpr std::size_t event_kind_count =
    static_cast<std::size_t>(EventKind::MetricsFileFailed) + 1;

struct Event {
    EventKind kind{};
    // key and value, in the order they are printed; values are raw and escaped at the edge
    std::vector<std::pair<std::string_view, std::string>> fields;
    // Repeats suppressed by the rate limit since the last event of this kind and subject.
    std::uint64_t suppressed{0};
    std::chrono::nanoseconds wall{};  // since 1970-01-01 UTC
    // Its place among the events of this run, from 1; 0 until it is reported.
    std::uint64_t number{0};
};

[[nodiscard]] std::string_view name(EventKind kind);
[[nodiscard]] Severity severity(EventKind kind);
// "error", "warning", "notice", "info"
[[nodiscard]] std::string_view name(Severity severity);

// One line: `event=Name key=value ...`, values quoted and escaped where needed.
[[nodiscard]] std::string to_line(const Event& event);

}  // namespace durability
