#include "durability/event.hpp"

#include "base/text.hpp"

namespace durability {
namespace {

struct Row {
    EventKind kind;
    std::string_view name;
    Severity severity;
};

constexpr Row rows[] = {
    {EventKind::Ready, "Ready", Severity::notice},
    {EventKind::Stopping, "Stopping", Severity::notice},
    {EventKind::AutoServeFailed, "AutoServeFailed", Severity::warning},
    {EventKind::ConflictingDurabilityService, "ConflictingDurabilityService", Severity::warning},
    {EventKind::ReplayWriteFailed, "ReplayWriteFailed", Severity::error},
    {EventKind::ServedFromStoredMeta, "ServedFromStoredMeta", Severity::info},
    {EventKind::ServedFromDiscovery, "ServedFromDiscovery", Severity::info},
    {EventKind::TopicMetaMismatch, "TopicMetaMismatch", Severity::warning},
    {EventKind::KeyUnresolved, "KeyUnresolved", Severity::warning},
    {EventKind::TornTailTruncated, "TornTailTruncated", Severity::warning},
    {EventKind::CorruptLog, "CorruptLog", Severity::error},
    {EventKind::ForeignFile, "ForeignFile", Severity::warning},
    {EventKind::StoreDegraded, "StoreDegraded", Severity::error},
    {EventKind::StoreRecovered, "StoreRecovered", Severity::notice},
    {EventKind::IngestStalled, "IngestStalled", Severity::warning},
    {EventKind::SampleRejected, "SampleRejected", Severity::warning},
    {EventKind::SampleLost, "SampleLost", Severity::warning},
    {EventKind::ResourceLimit, "ResourceLimit", Severity::warning},
    {EventKind::WriterRetired, "WriterRetired", Severity::info},
    {EventKind::WriterExpired, "WriterExpired", Severity::info},
    {EventKind::IncompleteSetDropped, "IncompleteSetDropped", Severity::warning},
    {EventKind::MalformedMessage, "MalformedMessage", Severity::warning},
    {EventKind::ReaderCannotBeServed, "ReaderCannotBeServed", Severity::warning},
    {EventKind::PeerServiceFound, "PeerServiceFound", Severity::notice},
    {EventKind::PeerServiceLost, "PeerServiceLost", Severity::notice},
    {EventKind::IdentityReplaced, "IdentityReplaced", Severity::warning},
    {EventKind::ReceiveBufferSmall, "ReceiveBufferSmall", Severity::notice},
    {EventKind::NoNetwork, "NoNetwork", Severity::warning},
    {EventKind::NetworkChanged, "NetworkChanged", Severity::notice},
    {EventKind::ThreadSettingRefused, "ThreadSettingRefused", Severity::warning},
    {EventKind::ConfigReloaded, "ConfigReloaded", Severity::notice},
    {EventKind::ConfigRejected, "ConfigRejected", Severity::error},
    {EventKind::WatchdogLate, "WatchdogLate", Severity::error},
    {EventKind::MetricsFileFailed, "MetricsFileFailed", Severity::warning},
};
static_assert(std::size(rows) == event_kind_count);

const Row& row(EventKind kind) {
    return rows[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view name(EventKind kind) {
    return row(kind).name;
}
Severity severity(EventKind kind) {
    return row(kind).severity;
}

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::notice:
            return "notice";
        case Severity::info:
            return "info";
    }
    return "?";
}

std::string to_line(const Event& event) {
    std::string line = "event=";
    line += name(event.kind);
    for (const auto& [key, value] : event.fields) {
        line += ' ';
        line += key;
        line += '=';
        line += quote_if_needed(value);
    }
    if (event.suppressed > 0) {
        line += " suppressed=";
        line += std::to_string(event.suppressed);
    }
    return line;
}

}  // namespace durability
