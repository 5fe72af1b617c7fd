// durabilityctl status
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace durability::ctl {
namespace {

std::string domain_text(const DomainStatus& domain) {
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
    std::uint64_t disk = 0;
    std::size_t degraded = 0;
    for (const TopicStatus& topic : domain.topics) {
        samples += topic.retained_samples;
        bytes += topic.retained_bytes;
        disk += topic.disk_bytes;
        if (topic.degraded) ++degraded;
    }
    std::size_t retired = 0;
    std::uint64_t waiting = 0;
    for (const WriterStatus& writer : domain.writers) {
        if (writer.retired) ++retired;
        waiting += unsynced(writer);
    }
    std::string text = fmt::format(
        "domain {}: {} topics, {} writers ({} retired), {} readers, {} remote participants\n"
        "          {} samples kept, {} of payload, {} in files\n"
        "          {} samples received and not yet synced\n",
        domain.domain,
        domain.topics.size(),
        domain.writers.size(),
        retired,
        domain.readers.size(),
        domain.participants,
        samples,
        human_size(bytes),
        human_size(disk),
        waiting);
    if (degraded > 0)
        text += fmt::format("          {} topics degraded; see durabilityctl events\n", degraded);
    return text;
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

}  // namespace

Outcome run_status(const Arguments& arguments) {
    const auto reply = ask_daemon(arguments, control::Request{control::Command::status, false});
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    const ServiceStatus& status = reply->status;
    print(fmt::format("durabilityd {}, pid {}, up {}\nstore {}, runtime {}, sync {}\n",
                      printable(status.version),
                      status.pid,
                      human_duration(status.uptime),
                      printable(status.store_directory),
                      printable(status.runtime_directory),
                      sync_text(status)));
    for (const DomainStatus& domain : status.domains)
        print(domain_text(domain));
    return 0;
}

}  // namespace durability::ctl
