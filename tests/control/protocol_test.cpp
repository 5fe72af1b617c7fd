#include "control/protocol.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace durability;
using namespace durability::control;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

ServiceStatus busy() {
    ServiceStatus status;
    status.version = "1.2.3";
    status.pid = 4'211;
    status.uptime = 90s;
    status.store_directory = "/srv/d";
    status.runtime_directory = "/run/d";
    status.sync = SyncPolicy::interval;
    status.sync_interval = 250ms;
    DomainStatus domain;
    domain.domain = 7;
    domain.participants = 12;
    domain.ingest_prefix = parse_guid("0110aabbccddeeff00112233:00000000")->prefix;
    TopicStatus topic;
    topic.topic = "rt/map";
    topic.type = "nav_msgs::msg::dds_::OccupancyGrid_";
    topic.keyed = true;
    topic.partitions = {"a", "b*"};
    topic.representation = 2;
    topic.durability = DurabilityKind::persistent;
    topic.storage = StorageKind::memory;
    topic.contract.history = ContractHistory::keep_all;
    topic.contract.max_samples = 50;
    topic.contract.cleanup_delay = 5s;
    topic.contract.scope = ContractScope::writer;
    topic.contract.max_bytes = 123;
    topic.contract.max_age = 77s;
    topic.contract_source = ContractSource::announced;
    topic.retained_samples = 3;
    topic.retained_bytes = UINT64_MAX - 1;
    topic.disk_bytes = 4'096;
    topic.dead_bytes = 1'024;
    topic.compacting = 2;
    topic.writers = 2;
    topic.readers = 1;
    topic.degraded = true;
    domain.topics.push_back(topic);
    WriterStatus writer;
    writer.topic = "rt/map";
    writer.type = topic.type;
    writer.guid = *parse_guid("0110aabbccddeeff00112233:00000102");
    writer.alive = true;
    writer.received = 10;
    writer.appended = 9;
    writer.synced = 7;
    writer.committed = 8;
    writer.lost = 1;
    writer.retained_samples = 3;
    domain.writers.push_back(writer);
    ReaderStatus reader;
    reader.topic = "rt/map";
    reader.guid = *parse_guid("0110aabbccddeeff00112233:00000107");
    reader.durability = DurabilityKind::transient;
    reader.reliable = true;
    reader.owed = 3;
    reader.sent = 2;
    reader.acknowledged = 1;
    reader.vendor = "Fast DDS";
    reader.not_owed = {{"expired", 4}, {"came after it", 5}};
    reader.state = "replaying";
    reader.reason = "a\xff";
    reader.cure = "patience";
    domain.readers.push_back(reader);
    status.domains.push_back(domain);
    return status;
}

Reply round_trip(Command command, const ServiceStatus& status) {
    const auto line = encode_reply(encode_data(command, status));
    CHECK(line.find('\n') == std::string::npos);
    auto reply = decode_reply(line);
    if (!reply) FAIL(reply.error().text());
    return *std::move(reply);
}

}  // namespace

TEST_CASE("a request is read as it was written") {
    for (const Command command : {Command::status,
                                  Command::topics,
                                  Command::writers,
                                  Command::readers,
                                  Command::events,
                                  Command::stop}) {
        const Request request{command, command == Command::stop};
        const auto read = decode_request(encode(request));
        REQUIRE(read.has_value());
        CHECK(*read == request);
    }
}

TEST_CASE("a request with members is read as it was written, whatever the topic is called") {
    Request purge{Command::purge};
    purge.topic = "rt/\"map\"";
    purge.writer = parse_guid("0110aabbccddeeff00112233:00000102");
    purge.instance = parse_key_hash("000102030405060708090a0b0c0d0e0f");
    purge.domain = 4'294'967'295U;
    REQUIRE(purge.instance.has_value());
    Request odd{Command::compact};
    odd.topic = std::string("a\xff\0b", 4);
    for (const Request& request : {purge, odd, Request{Command::compact}}) {
        const auto read = decode_request(encode(request));
        if (!read) FAIL(read.error().text());
        CHECK(*read == request);
    }
    // Beside the exact form the readable one counts for nothing, in whatever order they come.
    const auto read = decode_request(R"({"topic_hex":"61ff","command":"compact","topic":"x"})");
    REQUIRE(read.has_value());
    CHECK(read->topic == "a\xff");
}

TEST_CASE("a list of instances comes back as it was sent") {
    const Request request = [] {
        Request asked{Command::instances};
        asked.topic = "rt/robots";
        asked.domain = 3;
        return asked;
    }();
    CHECK(decode_request(encode(request)) == request);
    InstanceList list{1, true, 9, {}};
    InstanceStatus& one = list.instances.emplace_back();
    one.domain = 3;
    one.topic = "rt/robots";
    one.type = "Robot";
    one.key = "name=\"a\\xff\"";
    one.key_hash = std::string(32, '0');
    one.state = "no writers";
    one.samples = 4;
    one.operations = 2;
    one.writers = {Guid{GuidPrefix{{1, 2}}, EntityId{0x102}}};
    one.received_ns = 17;
    const auto reply = decode_reply(encode_reply(encode_data(list)));
    REQUIRE(reply);
    CHECK(reply->instances.total == 9U);
    CHECK(reply->instances.keyed);
    REQUIRE(reply->instances.instances.size() == 1U);
    const InstanceStatus& read = reply->instances.instances.front();
    CHECK(read.domain == 3U);
    CHECK(read.topic == one.topic);
    CHECK(read.type == one.type);
    CHECK(read.key == one.key);
    CHECK(read.key_hash == one.key_hash);
    CHECK(read.state == one.state);
    CHECK(read.samples == 4U);
    CHECK(read.operations == 2U);
    CHECK(read.writers == one.writers);
    CHECK(read.received_ns == 17);
    CHECK_FALSE(decode_request(R"({"command":"instances"})"));
    CHECK_FALSE(decode_request(R"({"command":"instances","topic":"a","writer":"x"})"));
}

TEST_CASE("what was done travels back") {
    PurgeOutcome purged{2, 17, true, false};
    auto reply = decode_reply(encode_reply(encode_data(purged)));
    REQUIRE(reply.has_value());
    CHECK(reply->purged.groups == 2U);
    CHECK(reply->purged.samples == 17U);
    CHECK(reply->purged.writer_known);
    CHECK_FALSE(reply->purged.keyed);
    CompactionOutcome begun{3, 4, 5'000, 6'000};
    reply = decode_reply(encode_reply(encode_data(begun)));
    REQUIRE(reply.has_value());
    CHECK(reply->compaction.groups == 3U);
    CHECK(reply->compaction.files == 4U);
    CHECK(reply->compaction.disk_bytes == 5'000U);
    CHECK(reply->compaction.dead_bytes == 6'000U);
}

TEST_CASE("what is no request is refused with a reason") {
    const auto reason = [](std::string_view line) {
        const auto read = decode_request(line);
        return read ? "accepted" : read.error().text();
    };
    CHECK_THAT(reason(""), Contains("not JSON"));
    CHECK_THAT(reason("topics"), Contains("not JSON"));
    CHECK_THAT(reason("{\"command\":\"topics\""), Contains("not JSON"));
    CHECK_THAT(reason("[]"), Contains("a JSON object"));
    CHECK_THAT(reason("7"), Contains("a JSON object"));
    CHECK_THAT(reason("{}"), Contains("names no command"));
    CHECK_THAT(reason(R"({"command":"launch"})"), Contains("unknown command launch"));
    CHECK_THAT(reason(R"({"command":5})"), Contains("unknown command"));
    CHECK_THAT(reason(R"({"command":"topics","x":1})"), Contains("unknown member x"));
    CHECK_THAT(reason(R"({"command":"stop","goodbye":"yes"})"),
               Contains("goodbye is neither true nor false"));
    CHECK_THAT(reason(R"({"command":"topics","goodbye":true})"),
               Contains("topics takes no member goodbye"));
    CHECK_THAT(reason(R"({"topic":"a","command":"status"})"),
               Contains("status takes no member topic"));
    CHECK_THAT(reason(R"({"command":"purge"})"), Contains("purge needs the member topic"));
    CHECK_THAT(reason(R"({"command":"purge","topic":""})"), Contains("topic names no topic"));
    CHECK_THAT(reason(R"({"command":"purge","topic":5})"), Contains("topic is not a text"));
    CHECK_THAT(reason(R"({"command":"purge","topic_hex":"0g"})"), Contains("names no topic"));
    CHECK_THAT(reason(R"({"command":"purge","topic":"a","writer":"b"})"),
               Contains("writer is not a GUID"));
    CHECK_THAT(reason(R"({"command":"purge","topic":"a","instance":7})"),
               Contains("instance is not"));
    CHECK_THAT(reason(R"({"command":"purge","topic":"a","domain":-1})"), Contains("domain is not"));
    CHECK_THAT(reason(R"({"command":"purge","topic":"a","domain":4294967296})"),
               Contains("domain is not"));
    CHECK_THAT(reason(R"({"command":"compact","domain":"0"})"), Contains("domain is not"));
    CHECK_THAT(reason(R"({"command":"compact","writer":"0110aabbccddeeff00112233:00000102"})"),
               Contains("compact takes no member writer"));
    CHECK_THAT(reason(R"({"version":2,"command":"topics"})"), Contains("speaks version 1"));
    CHECK_THAT(reason(std::string(largest_request + 1, ' ')), Contains("too long"));
}

TEST_CASE("no request crashes the reader") {
    std::mt19937 random(7);
    Request purge{Command::purge};
    purge.topic = "rt/map";
    purge.writer = parse_guid("0110aabbccddeeff00112233:00000102");
    purge.instance = KeyHash{};
    purge.domain = 7;
    const std::string good = GENERATE_COPY(encode(Request{Command::stop, true}), encode(purge));
    for (int i = 0; i < 20'000; ++i) {
        std::string line = good;
        for (int k = 0; k < 3; ++k)
            line[random() % line.size()] = static_cast<char>(random());
        line.resize(random() % (line.size() + 1));
        const auto read = decode_request(line);
        if (!read) CHECK_FALSE(read.error().text().empty());
    }
    CHECK_FALSE(decode_request(std::string(60'000, '[')).has_value());
    CHECK_FALSE(decode_request(R"({"command":)" + std::string(60'000, '{')).has_value());
}

TEST_CASE("a snapshot survives the way through the socket") {
    const auto status = round_trip(Command::status, busy()).status;
    CHECK(status.version == "1.2.3");
    CHECK(status.pid == 4'211);
    CHECK(status.uptime == 90s);
    CHECK(status.store_directory == "/srv/d");
    CHECK(status.sync == SyncPolicy::interval);
    CHECK(status.sync_interval == 250ms);
    REQUIRE(status.domains.size() == 1);
    const auto& domain = status.domains[0];
    CHECK(domain.domain == 7U);
    CHECK(domain.participants == 12U);
    REQUIRE(domain.topics.size() == 1);
    const auto before = busy().domains[0].topics[0];
    const auto& topic = domain.topics[0];
    CHECK(topic.topic == before.topic);
    CHECK(topic.type == before.type);
    CHECK(topic.keyed);
    CHECK(topic.partitions == before.partitions);
    CHECK(topic.representation == 2);
    CHECK(topic.durability == before.durability);
    CHECK(topic.storage == before.storage);
    CHECK(topic.contract == before.contract);
    CHECK(topic.contract_source == before.contract_source);
    CHECK(topic.retained_bytes == UINT64_MAX - 1);
    CHECK(topic.dead_bytes == 1'024U);
    CHECK(topic.compacting == 2U);
    CHECK(topic.degraded);
    REQUIRE(domain.writers.size() == 1);
    CHECK(domain.writers[0].guid == busy().domains[0].writers[0].guid);
    CHECK(domain.writers[0].received == 10);
    CHECK(domain.writers[0].appended == 9);
    CHECK(domain.writers[0].synced == 7);
    CHECK(domain.writers[0].committed == 8);
    CHECK(unsynced(domain.writers[0]) == 3U);
    REQUIRE(domain.readers.size() == 1);
    CHECK(domain.readers[0].state == "replaying");
    CHECK(domain.readers[0].acknowledged == 1U);
    CHECK(domain.readers[0].vendor == "Fast DDS");
    CHECK(domain.readers[0].not_owed == busy().domains[0].readers[0].not_owed);
    CHECK(domain.readers[0].reason == "a\xff");
    CHECK(domain.readers[0].cure == "patience");
    // Also once rows of the snapshot are gone, as with a topic named.
    CHECK(domain.ingest_prefix == busy().domains[0].ingest_prefix);
    ServiceStatus less = status;
    less.domains[0].writers.clear();
    CHECK(round_trip(Command::writers, less).status.domains[0].unsynced == 3U);
}

TEST_CASE("a command gets its own part of the snapshot only") {
    const auto topics = round_trip(Command::topics, busy());
    CHECK(topics.status.domains.at(0).topics.size() == 1);
    CHECK(topics.status.domains.at(0).writers.empty());
    CHECK(topics.data.find("\"writers\":[") == std::string::npos);
    CHECK(round_trip(Command::writers, busy()).status.domains.at(0).topics.empty());
}

TEST_CASE("names that are no UTF-8 come back byte for byte") {
    ServiceStatus status = busy();
    const std::string odd = std::string("a\xff\0\n\"b", 6);
    status.domains[0].topics[0].topic = odd;
    status.domains[0].topics[0].partitions = {odd};
    const auto reply = round_trip(Command::topics, status);
    CHECK(reply.status.domains.at(0).topics.at(0).topic == odd);
    CHECK(reply.status.domains.at(0).topics.at(0).partitions.at(0) == odd);
    CHECK_THAT(reply.data, Contains(R"("topic_hex":"61ff000a2262")"));
}

TEST_CASE("events travel with their fields and their line") {
    Event event;
    event.kind = EventKind::TornTailTruncated;
    event.fields = {{"file", "a b"}, {"bytes", "12"}};
    event.wall = 5s;
    const auto reply = decode_reply(encode_reply(encode_data({event}, "1")));
    REQUIRE(reply.has_value());
    REQUIRE(reply->events.size() == 1);
    CHECK(reply->events[0].line == "event=TornTailTruncated file=\"a b\" bytes=12");
    CHECK(reply->events[0].wall_ns == 5'000'000'000);
    CHECK_THAT(reply->data, Contains(R"("fields":{"file":"a b","bytes":"12"})"));
}

TEST_CASE("an error of the daemon arrives as one with the same exit status") {
    for (const Errc code : {Errc::invalid_argument,
                            Errc::version,
                            Errc::unavailable,
                            Errc::not_found,
                            Errc::io,
                            Errc::in_use,
                            Errc::permission,
                            Errc::configuration}) {
        const auto reply = decode_reply(encode_reply(Error{code, 0, "no such topic"}));
        REQUIRE_FALSE(reply.has_value());
        CHECK(reply.error().detail == "no such topic");
        CHECK(reply.error().code == code);
    }
    // As an older daemon says it.
    const auto old = decode_reply(R"({"version":1,"ok":false,"error":"x","exit":74})");
    REQUIRE_FALSE(old.has_value());
    CHECK(old.error().code == Errc::io);
}

TEST_CASE("what no daemon sends is an error, not an exception") {
    for (const char* line : {"",
                             "x",
                             "[]",
                             "{}",
                             R"({"version":2,"ok":true})",
                             R"({"version":1,"ok":true,"data":{"topics":[{"topic":7}]}})",
                             R"({"version":1,"ok":true,"data":{"pid":"x"}})"}) {
        CAPTURE(line);
        CHECK_FALSE(decode_reply(line).has_value());
    }
}
