#include "daemon/event_sink.hpp"

#include "daemon/message_ids.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION  // the location would be this file for every event
#include <systemd/sd-journal.h>

namespace durability::daemon {
namespace {

int priority(Severity severity) {
    switch (severity) {
        case Severity::error:
            return 3;
        case Severity::warning:
            return 4;
        case Severity::notice:
            return 5;
        case Severity::info:
            return 6;
    }
    return 6;
}

struct KnownField {
    std::string_view key;
    std::string_view field;
};
constexpr std::array<KnownField, 6> known_fields{{{"domain", "DDS_DOMAIN"},
                                                  {"topic", "DDS_TOPIC"},
                                                  {"type", "DDS_TYPE"},
                                                  {"writer", "DDS_WRITER_GUID"},
                                                  {"reader", "DDS_READER_GUID"},
                                                  {"errno", "ERRNO"}}};

void to_journal(const Event& event) {
    std::vector<std::string> fields;
    fields.push_back("MESSAGE=" + to_line(event));
    fields.push_back(fmt::format("MESSAGE_ID={}", message_id(event.kind)));
    fields.push_back(fmt::format("PRIORITY={}", priority(severity(event.kind))));
    fields.push_back("SYSLOG_IDENTIFIER=durabilityd");
    fields.push_back(fmt::format("DURABILITY_EVENT={}", name(event.kind)));
    if (event.suppressed > 0)
        fields.push_back(fmt::format("DURABILITY_SUPPRESSED={}", event.suppressed));
    // Values may hold any octets: the journal stores fields with their length.
    for (const auto& [key, value] : event.fields)
        fields.push_back(journal_field(key) + '=' + value);
    std::vector<iovec> parts;
    for (std::string& field : fields)
        parts.push_back({field.data(), field.size()});
    // Its result says nothing: it is a success even when nobody listens. The stream was checked
    // before.
    std::ignore = ::sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

}  // namespace

bool is_journal_stream(const char* journal_stream, int fd) {
    if (journal_stream == nullptr) return false;
    struct stat status {};
    if (::fstat(fd, &status) != 0) return false;
    return fmt::format("{}:{}", status.st_dev, status.st_ino) == journal_stream;
}

std::string journal_field(std::string_view key) {
    for (const auto& [known, field] : known_fields) {
        if (known == key) return std::string(field);
    }
    std::string field = "DURABILITY_";
    for (const char c : key) {
        const auto octet = static_cast<unsigned char>(c);
        field += std::isalnum(octet) != 0 ? static_cast<char>(std::toupper(octet)) : '_';
    }
    return field;
}

EventSink::EventSink()
    : journal_(is_journal_stream(std::getenv("JOURNAL_STREAM"), STDERR_FILENO)) {}

void EventSink::write(const Event& event) const {
    if (journal_) return to_journal(event);
    const std::string line = to_line(event) + "\n";
    // One write, so that lines of several threads or processes on one stream do not mix.
    std::ignore = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace durability::daemon
