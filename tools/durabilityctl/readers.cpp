// durabilityctl readers [TOPIC]
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

namespace durability::ctl {

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
                 {"DURABILITY"},
                 {"RELIABILITY"},
                 {"OWED", Align::right},
                 {"SENT", Align::right},
                 {"ACKNOWLEDGED", Align::right},
                 {"STATE"}});
    for (const DomainStatus& domain : reply->status.domains) {
        for (const ReaderStatus& reader : domain.readers) {
            table.add({std::to_string(domain.domain),
                       printable(reader.topic),
                       to_string(reader.guid),
                       std::string(name(reader.durability)),
                       reader.reliable ? "reliable" : "best effort",
                       std::to_string(reader.owed),
                       std::to_string(reader.sent),
                       std::to_string(reader.acknowledged),
                       printable(reader.state)});
        }
    }
    print(table.empty() ? "No reader is known.\n" : table.to_text());
    return 0;
}

}  // namespace durability::ctl
