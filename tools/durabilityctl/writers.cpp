// durabilityctl writers [TOPIC]
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

#include <set>

namespace durability::ctl {

Outcome run_writers(const Arguments& arguments) {
    const auto reply = snapshot(arguments, control::Command::writers);
    if (!reply) return tl::unexpected(reply.error());
    if (arguments.json) {
        print(reply->data + "\n");
        return 0;
    }
    if (arguments.names) {
        std::set<std::string> guids;
        for (const DomainStatus& domain : reply->status.domains) {
            for (const WriterStatus& writer : domain.writers)
                guids.insert(to_string(writer.guid));
        }
        print_lines(guids);
        return 0;
    }
    Table table({{"DOMAIN", Align::right},
                 {"TOPIC"},
                 {"WRITER"},
                 {"STATE"},
                 {"RECEIVED", Align::right},
                 {"APPENDED", Align::right},
                 {"SYNCED", Align::right},
                 {"COMMITTED", Align::right},
                 {"LOST", Align::right},
                 {"SAMPLES", Align::right},
                 {"PAYLOAD", Align::right}});
    for (const DomainStatus& domain : reply->status.domains) {
        for (const WriterStatus& writer : domain.writers) {
            table.add({std::to_string(domain.domain),
                       printable(writer.topic),
                       to_string(writer.guid),
                       writer.retired ? "retired"
                       : writer.alive ? "alive"
                                      : "away",
                       std::to_string(writer.received),
                       std::to_string(writer.appended),
                       std::to_string(writer.synced),
                       std::to_string(writer.committed),
                       std::to_string(writer.lost),
                       std::to_string(writer.retained_samples),
                       rounded_size(writer.retained_bytes)});
        }
    }
    print(table.empty() ? "No writer is known.\n" : table.to_text());
    return 0;
}

}  // namespace durability::ctl
