// durabilityctl topics
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <set>

namespace durability::ctl {
namespace {

std::string limit_text(std::uint64_t value) {
    return value == unlimited ? "unlimited" : std::to_string(value);
}

// "keep_last 5", with whatever else differs from a contract without limits.
std::string contract_text(const Contract& contract) {
    std::string text(name(contract.history));
    if (contract.history == ContractHistory::keep_last) text += fmt::format(" {}", contract.depth);
    if (contract.history == ContractHistory::keep_all)
        text += fmt::format(" {}", limit_text(contract.max_samples));
    if (contract.scope == ContractScope::writer) text += " per writer";
    if (contract.cleanup_delay != std::chrono::nanoseconds::max()) {
        text += fmt::format(", {} after its writer", format_duration(contract.cleanup_delay));
    }
    return text;
}

std::string topic_text(const TopicStatus& topic) {
    std::string text = printable(topic.topic);
    if (topic.partitions.empty()) return text;
    std::vector<std::string> names;
    for (const std::string& partition : topic.partitions)
        names.push_back(printable(partition));
    return fmt::format("{} [{}]", text, fmt::join(names, ","));
}

std::vector<std::string> row(std::uint32_t domain, const TopicStatus& topic) {
    return {std::to_string(domain),
            topic_text(topic),
            printable(topic.type),
            std::string(name(topic.durability)),
            std::string(name(topic.storage)),
            contract_text(topic.contract),
            std::string(name(topic.contract_source)),
            std::to_string(topic.retained_samples),
            rounded_size(topic.retained_bytes),
            std::to_string(topic.writers),
            std::to_string(topic.readers),
            topic.degraded ? "degraded" : "ok"};
}

}  // namespace

Outcome run_topics(const Arguments& arguments) {
    const auto reply = snapshot(arguments, control::Command::topics);
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    Table table({{"DOMAIN", Align::right},
                 {"TOPIC"},
                 {"TYPE"},
                 {"DURABILITY"},
                 {"STORAGE"},
                 {"KEEPS"},
                 {"BY"},
                 {"SAMPLES", Align::right},
                 {"PAYLOAD", Align::right},
                 {"WRITERS", Align::right},
                 {"READERS", Align::right},
                 {"STATE"}});
    std::set<std::string> names;
    for (const DomainStatus& domain : reply->status.domains) {
        for (const TopicStatus& topic : domain.topics) {
            names.insert(printable(topic.topic));
            table.add(row(domain.domain, topic), topic.degraded ? Colour::red : Colour::none);
        }
    }
    if (arguments.names) {
        print_lines(names);
        return 0;
    }
    print(table.empty() ? "No topic is served.\n" : table.to_text());
    return 0;
}

}  // namespace durability::ctl
