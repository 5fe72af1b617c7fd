#include "daemon/event_sink.hpp"

#include "daemon/message_ids.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace durability;
using namespace durability::daemon;
using Catch::Contains;

namespace {

std::string_view severity_name(Severity severity) {
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

}  // namespace

TEST_CASE("the journal is used only when the stream is the named one") {
    struct stat status {};
    REQUIRE(::fstat(STDERR_FILENO, &status) == 0);
    const auto right = fmt::format("{}:{}", status.st_dev, status.st_ino);
    const auto wrong = fmt::format("{}:{}", status.st_dev, status.st_ino + 1);
    CHECK(is_journal_stream(right.c_str(), STDERR_FILENO));
    CHECK_FALSE(is_journal_stream(wrong.c_str(), STDERR_FILENO));
    CHECK_FALSE(is_journal_stream(nullptr, STDERR_FILENO));
    CHECK_FALSE(is_journal_stream("", STDERR_FILENO));
    CHECK_FALSE(is_journal_stream(right.c_str(), -1));
}

TEST_CASE("fields have names the journal takes") {
    CHECK(journal_field("topic") == "DDS_TOPIC");
    CHECK(journal_field("writer") == "DDS_WRITER_GUID");
    CHECK(journal_field("granted_bytes") == "DURABILITY_GRANTED_BYTES");
    CHECK(journal_field("odd-key") == "DURABILITY_ODD_KEY");
}

TEST_CASE("every kind of event has an id of its own and stands in the manual page with it") {
    std::ifstream in(SOURCE_DIRECTORY "/man/durabilityd-events.7");
    std::ostringstream manual;
    manual << in.rdbuf();
    std::set<std::string_view> ids;
    for (std::size_t i = 0; i < event_kind_count; ++i) {
        const auto kind = static_cast<EventKind>(i);
        CAPTURE(name(kind));
        const auto id = message_id(kind);
        CHECK(id.size() == 32);
        CHECK(id.find_first_not_of("0123456789abcdef") == std::string_view::npos);
        CHECK(ids.insert(id).second);
        const auto text = manual.str();
        const auto start = text.find(fmt::format(".It Sy {}\n", name(kind)));
        REQUIRE(start != std::string::npos);
        const auto entry = text.substr(start, text.find("\n.It", start + 1) - start);
        CHECK_THAT(entry, Contains(fmt::format("Message id: {}.", id)));
        CHECK_THAT(entry, Contains(fmt::format("Severity: {}.", severity_name(severity(kind)))));
    }
}
