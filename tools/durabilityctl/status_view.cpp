#include "durabilityctl/status_view.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/rates.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace durability::ctl {
namespace {

constexpr std::size_t most_events = 5;
constexpr std::size_t most_degraded = 5;

struct Sum {
    std::uint64_t samples{0};
    std::uint64_t bytes{0};
    std::uint64_t files{0};
    std::uint64_t stored{0};
    std::uint64_t replayed{0};
    std::uint64_t waiting{0};
    std::size_t retired{0};
    std::vector<std::string> degraded;
};

Sum sum(const DomainStatus& domain) {
    Sum all;
    for (const TopicStatus& topic : domain.topics) {
        all.samples += topic.retained_samples;
        all.bytes += topic.retained_bytes;
        all.files += topic.disk_bytes;
        all.stored += topic.stored;
        all.replayed += topic.replayed;
        if (topic.degraded) all.degraded.push_back(quote_if_needed(topic.topic));
    }
    for (const WriterStatus& writer : domain.writers) {
        if (writer.retired) ++all.retired;
        all.waiting += unsynced(writer);
    }
    all.waiting = std::max(all.waiting, domain.unsynced);
    return all;
}

// "12.0 stored and 0.0 replayed a second"
std::string rates_text(const Sum& before, const Sum& now, std::optional<double> seconds) {
    const auto rate = [&](std::uint64_t from, std::uint64_t to) {
        return rate_text(seconds && *seconds > 0 ? std::optional(per_second(from, to, *seconds))
                                                 : std::nullopt);
    };
    return fmt::format("{} stored and {} replayed a second",
                       rate(before.stored, now.stored),
                       rate(before.replayed, now.replayed));
}

std::string domain_text(const DomainStatus& domain,
                        const Sum& before,
                        std::optional<double> seconds,
                        bool since_start) {
    Sum all = sum(domain);
    std::string text = fmt::format(
        "domain {}: {}, {} ({} retired), {}, {}\n"
        "          {} kept, {} of payload, {} in files\n"
        "          {}{}\n"
        "          {} received and not yet synced\n",
        domain.domain,
        counted(domain.topics.size(), "topic"),
        counted(domain.writers.size(), "writer"),
        all.retired,
        counted(domain.readers.size(), "reader"),
        counted(domain.participants, "remote participant"),
        counted(all.samples, "sample"),
        rounded_size(all.bytes),
        rounded_size(all.files),
        rates_text(before, all, seconds),
        since_start ? ", since the start" : "",
        counted(all.waiting, "sample"));
    if (all.degraded.empty()) return text;
    const std::size_t count = all.degraded.size();
    all.degraded.resize(std::min(count, most_degraded));
    return text + "          " +
           coloured(fmt::format("{} degraded: {}{}",
                                counted(count, "topic"),
                                fmt::join(all.degraded, ", "),
                                count > most_degraded ? ", ..." : ""),
                    Colour::red) +
           "\n";
}

std::string sync_text(const ServiceStatus& status) {
    switch (status.sync) {
        case SyncPolicy::commit:
            return "commit";
        case SyncPolicy::interval:
            return "interval " + format_duration(status.sync_interval);
        case SyncPolicy::none:
            return "none";
    }
    return "?";
}

const DomainStatus* find(const ServiceStatus* status, std::uint32_t domain) {
    if (status == nullptr) return nullptr;
    const auto found = std::find_if(
        status->domains.begin(), status->domains.end(), [domain](const DomainStatus& one) {
            return one.domain == domain;
        });
    return found == status->domains.end() ? nullptr : &*found;
}

}  // namespace

std::string status_text(const ServiceStatus* before,
                        const ServiceStatus& now,
                        const std::vector<control::Reply::EventText>& events) {
    std::string text = fmt::format(
        "{}, pid {}, up {}\nstore {}, runtime {}, sync {}\n"
        "lease {}: a restart within it goes unnoticed\n",
        coloured(fmt::format("durabilityd {}", printable(now.version)), Colour::bold),
        now.pid,
        human_duration(now.uptime),
        printable(now.store_directory),
        printable(now.runtime_directory),
        sync_text(now),
        format_duration(now.network_lease));
    if (!now.config_in_force) {
        text += coloured("the configuration that was read last was not taken; see the events",
                         Colour::red) +
                "\n";
    }
    const auto between = before == nullptr ? std::nullopt : seconds_between(*before, now);
    for (const DomainStatus& domain : now.domains) {
        const DomainStatus* const was = between ? find(before, domain.domain) : nullptr;
        const bool since_start = was == nullptr;
        text +=
            domain_text(domain,
                        since_start ? Sum{} : sum(*was),
                        since_start ? std::chrono::duration<double>(now.uptime).count() : between,
                        since_start);
    }
    if (!events.empty()) text += "latest events:\n";
    const std::size_t first = events.size() > most_events ? events.size() - most_events : 0;
    for (std::size_t i = first; i < events.size(); ++i)
        text += "  " + event_text(events[i].wall_ns, events[i].severity, events[i].line) + "\n";
    return text;
}

}  // namespace durability::ctl
