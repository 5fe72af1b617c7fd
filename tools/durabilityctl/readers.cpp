// durabilityctl readers [TOPIC]
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace durability::ctl {
namespace {

// Why it gets nothing or not yet; else what it is not owed.
std::string reason_of(const ReaderStatus& reader) {
    std::string text = printable(reader.reason);
    for (const UnowedSamples& unowed : reader.not_owed) {
        text += fmt::format(
            "{}{} not owed: {}", text.empty() ? "" : "; ", unowed.samples, printable(unowed.why));
    }
    return text;
}

std::string nobody(const Arguments& arguments) {
    if (arguments.words.empty()) return "No reader of a served topic is known.\n";
    const std::string topic = quote_if_needed(arguments.words.front());
    return fmt::format(
        "No reader of {0} matches what is served; 'durabilityctl explain {0}' says why.\n", topic);
}

}  // namespace

Outcome run_readers(const Arguments& arguments) {
    const auto reply = snapshot(arguments, control::Command::readers);
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    Table table({{"DOMAIN", Align::right},
                 {"TOPIC"},
                 {"READER"},
                 {"VENDOR"},
                 {"DURABILITY"},
                 {"RELIABILITY"},
                 {"OWED", Align::right},
                 {"SENT", Align::right},
                 {"ACKNOWLEDGED", Align::right},
                 {"STATE"},
                 {"REASON"}});
    for (const DomainStatus& domain : reply->status.domains) {
        for (const ReaderStatus& reader : domain.readers) {
            table.add({std::to_string(domain.domain),
                       printable(reader.topic),
                       to_string(reader.guid),
                       printable(reader.vendor),
                       std::string(name(reader.durability)),
                       reader.reliable ? "reliable" : "best effort",
                       std::to_string(reader.owed),
                       std::to_string(reader.sent),
                       std::to_string(reader.acknowledged),
                       printable(reader.state),
                       reason_of(reader)});
        }
    }
    print(table.empty() ? nobody(arguments) : table.to_text());
    return 0;
}

}  // namespace durability::ctl
