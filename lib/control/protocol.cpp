#include "control/protocol.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>

namespace durability::control {
namespace {

// Objects keep the order in which members were written, so that output is stable and readable.
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> command_names{
    "status", "topics", "writers", "readers", "events", "stop"};

// ---- writing

std::string to_text(const Json& json) {
    // Names were checked to be UTF-8; replacing is the last resort for texts that were not names.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Names from the network may hold any octets, JSON strings may not. One that is no UTF-8 is shown
// escaped, and exactly given in hexadecimal beside it.
void put_name(Json& json, const char* key, const std::string& text) {
    if (is_utf8(text)) {
        json[key] = text;
        return;
    }
    json[key] = printable(text, text.size() * 4);
    const std::span octets(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    json[std::string(key) + "_hex"] = to_hex(octets);
}

Json limit(std::uint64_t value) {
    return value == unlimited ? Json("unlimited") : Json(value);
}

Json delay(std::chrono::nanoseconds value) {
    return value == std::chrono::nanoseconds::max() ? Json("infinite") : Json(value.count());
}

Json contract_json(const Contract& contract) {
    Json json;
    json["history"] = name(contract.history);
    json["depth"] = contract.depth;
    json["max_samples"] = limit(contract.max_samples);
    json["max_instances"] = limit(contract.max_instances);
    json["max_samples_per_instance"] = limit(contract.max_samples_per_instance);
    json["cleanup_delay_ns"] = delay(contract.cleanup_delay);
    json["scope"] = name(contract.scope);
    json["max_bytes"] = limit(contract.max_bytes);
    json["max_age_ns"] = delay(contract.max_age);
    return json;
}

Json topic_json(std::uint32_t domain, const TopicStatus& topic) {
    Json json;
    json["domain"] = domain;
    put_name(json, "topic", topic.topic);
    put_name(json, "type", topic.type);
    json["keyed"] = topic.keyed;
    Json partitions = Json::array();
    for (const std::string& partition : topic.partitions) {
        Json one;
        put_name(one, "name", partition);
        partitions.push_back(std::move(one));
    }
    json["partitions"] = std::move(partitions);
    json["representation"] = topic.representation;
    json["durability"] = name(topic.durability);
    json["storage"] = name(topic.storage);
    json["contract"] = contract_json(topic.contract);
    json["contract_source"] = name(topic.contract_source);
    json["retained_samples"] = topic.retained_samples;
    json["retained_bytes"] = topic.retained_bytes;
    json["disk_bytes"] = topic.disk_bytes;
    json["writers"] = topic.writers;
    json["readers"] = topic.readers;
    json["degraded"] = topic.degraded;
    return json;
}

Json writer_json(std::uint32_t domain, const WriterStatus& writer) {
    Json json;
    json["domain"] = domain;
    put_name(json, "topic", writer.topic);
    put_name(json, "type", writer.type);
    json["guid"] = to_string(writer.guid);
    json["alive"] = writer.alive;
    json["retired"] = writer.retired;
    json["received"] = writer.received;
    json["committed"] = writer.committed;
    json["lost"] = writer.lost;
    json["rejected"] = writer.rejected;
    json["retained_samples"] = writer.retained_samples;
    json["retained_bytes"] = writer.retained_bytes;
    return json;
}

Json reader_json(std::uint32_t domain, const ReaderStatus& reader) {
    Json json;
    json["domain"] = domain;
    put_name(json, "topic", reader.topic);
    put_name(json, "type", reader.type);
    json["guid"] = to_string(reader.guid);
    json["durability"] = name(reader.durability);
    json["reliable"] = reader.reliable;
    json["owed"] = reader.owed;
    json["sent"] = reader.sent;
    json["acknowledged"] = reader.acknowledged;
    put_name(json, "state", reader.state);
    return json;
}

Json domain_json(const DomainStatus& domain) {
    Json json;
    json["domain"] = domain.domain;
    json["ingest_prefix"] = to_string(domain.ingest_prefix);
    json["replay_prefix"] = to_string(domain.replay_prefix);
    json["participants"] = domain.participants;
    return json;
}

template <class Rows, class MakeJson>
void append_rows(Json& array, std::uint32_t domain, const Rows& rows, MakeJson make) {
    for (const auto& row : rows)
        array.push_back(make(domain, row));
}

// ---- reading; a member that is missing or of another type leaves the default

std::string get_name(const Json& json, const char* key) {
    const auto octet = [](const std::string& hex, std::size_t i) -> std::optional<char> {
        const auto digit = [](char c) -> int {
            if (c >= '0' && c <= '9') return c - '0';
            if (c >= 'a' && c <= 'f') return c - 'a' + 10;
            return -1;
        };
        const int high = digit(hex[i]);
        const int low = digit(hex[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        return static_cast<char>(high * 16 + low);
    };
    const std::string hex = json.value(std::string(key) + "_hex", std::string());
    if (hex.empty() || hex.size() % 2 != 0) return json.value(key, std::string());
    std::string text;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const auto value = octet(hex, i);
        if (!value) return json.value(key, std::string());
        text += *value;
    }
    return text;
}

std::uint64_t get_limit(const Json& json, const char* key) {
    const Json value = json.value(key, Json());
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : unlimited;
}

std::chrono::nanoseconds get_delay(const Json& json, const char* key) {
    const Json value = json.value(key, Json());
    return value.is_number_integer() ? std::chrono::nanoseconds(value.get<std::int64_t>())
                                     : std::chrono::nanoseconds::max();
}

template <class E, std::size_t N>
E get_enum(const Json& json, const char* key, const std::array<E, N>& all) {
    const std::string text = json.value(key, std::string());
    const auto found =
        std::find_if(all.begin(), all.end(), [&](E value) { return name(value) == text; });
    return found == all.end() ? all.front() : *found;
}

constexpr std::array durabilities{DurabilityKind::volatile_,
                                  DurabilityKind::transient_local,
                                  DurabilityKind::transient,
                                  DurabilityKind::persistent};

Contract read_contract(const Json& json) {
    Contract contract;
    contract.history = get_enum(
        json, "history", std::array{ContractHistory::keep_last, ContractHistory::keep_all});
    contract.depth = json.value("depth", contract.depth);
    contract.max_samples = get_limit(json, "max_samples");
    contract.max_instances = get_limit(json, "max_instances");
    contract.max_samples_per_instance = get_limit(json, "max_samples_per_instance");
    contract.cleanup_delay = get_delay(json, "cleanup_delay_ns");
    contract.max_bytes = get_limit(json, "max_bytes");
    contract.max_age = get_delay(json, "max_age_ns");
    contract.scope =
        get_enum(json, "scope", std::array{ContractScope::topic, ContractScope::writer});
    return contract;
}

TopicStatus read_topic(const Json& json) {
    TopicStatus topic;
    topic.topic = get_name(json, "topic");
    topic.type = get_name(json, "type");
    topic.keyed = json.value("keyed", false);
    for (const Json& partition : json.value("partitions", Json::array())) {
        topic.partitions.push_back(get_name(partition, "name"));
    }
    topic.representation = json.value("representation", topic.representation);
    topic.durability = get_enum(json, "durability", durabilities);
    topic.storage = get_enum(json, "storage", std::array{StorageKind::disk, StorageKind::memory});
    topic.contract = read_contract(json.value("contract", Json::object()));
    topic.contract_source = get_enum(
        json,
        "contract_source",
        std::array{
            ContractSource::daemon_default, ContractSource::announced, ContractSource::rule});
    topic.retained_samples = json.value("retained_samples", topic.retained_samples);
    topic.retained_bytes = json.value("retained_bytes", topic.retained_bytes);
    topic.disk_bytes = json.value("disk_bytes", topic.disk_bytes);
    topic.writers = json.value("writers", topic.writers);
    topic.readers = json.value("readers", topic.readers);
    topic.degraded = json.value("degraded", false);
    return topic;
}

WriterStatus read_writer(const Json& json) {
    WriterStatus writer;
    writer.topic = get_name(json, "topic");
    writer.type = get_name(json, "type");
    writer.guid = parse_guid(json.value("guid", std::string())).value_or(unknown_guid);
    writer.alive = json.value("alive", false);
    writer.retired = json.value("retired", false);
    writer.received = json.value("received", writer.received);
    writer.committed = json.value("committed", writer.committed);
    writer.lost = json.value("lost", writer.lost);
    writer.rejected = json.value("rejected", writer.rejected);
    writer.retained_samples = json.value("retained_samples", writer.retained_samples);
    writer.retained_bytes = json.value("retained_bytes", writer.retained_bytes);
    return writer;
}

ReaderStatus read_reader(const Json& json) {
    ReaderStatus reader;
    reader.topic = get_name(json, "topic");
    reader.type = get_name(json, "type");
    reader.guid = parse_guid(json.value("guid", std::string())).value_or(unknown_guid);
    reader.durability = get_enum(json, "durability", durabilities);
    reader.reliable = json.value("reliable", false);
    reader.owed = json.value("owed", reader.owed);
    reader.sent = json.value("sent", reader.sent);
    reader.acknowledged = json.value("acknowledged", reader.acknowledged);
    reader.state = get_name(json, "state");
    return reader;
}

DomainStatus& domain_of(ServiceStatus& status, const Json& row) {
    const auto number = row.value("domain", std::uint32_t{0});
    const auto found = std::find_if(
        status.domains.begin(), status.domains.end(), [number](const DomainStatus& domain) {
            return domain.domain == number;
        });
    if (found != status.domains.end()) return *found;
    status.domains.emplace_back().domain = number;
    return status.domains.back();
}

ServiceStatus read_status(const Json& data) {
    ServiceStatus status;
    status.version = data.value("daemon_version", std::string());
    status.pid = data.value("pid", status.pid);
    status.uptime = std::chrono::nanoseconds(data.value("uptime_ns", std::int64_t{0}));
    status.store_directory = get_name(data, "store_directory");
    status.runtime_directory = get_name(data, "runtime_directory");
    for (const Json& row : data.value("domains", Json::array())) {
        domain_of(status, row).participants = row.value("participants", std::uint64_t{0});
    }
    for (const Json& row : data.value("topics", Json::array())) {
        domain_of(status, row).topics.push_back(read_topic(row));
    }
    for (const Json& row : data.value("writers", Json::array())) {
        domain_of(status, row).writers.push_back(read_writer(row));
    }
    for (const Json& row : data.value("readers", Json::array())) {
        domain_of(status, row).readers.push_back(read_reader(row));
    }
    return status;
}

Errc errc_of_exit(int status) {
    constexpr std::array codes{Errc::invalid_argument,
                               Errc::version,
                               Errc::unavailable,
                               Errc::internal,
                               Errc::io,
                               Errc::permission,
                               Errc::in_use,
                               Errc::configuration};
    const auto found = std::find_if(
        codes.begin(), codes.end(), [status](Errc code) { return exit_status(code) == status; });
    return found == codes.end() ? Errc::internal : *found;
}

Result<Request> read_request(const Json& json) {
    if (!json.is_object()) return fail(Errc::invalid_argument, "a request is a JSON object");
    Request request;
    bool named = false;
    for (const auto& [key, value] : json.items()) {
        if (key == "version") {
            if (value != protocol_version) {
                return fail(
                    Errc::version,
                    fmt::format("this daemon speaks version {} of the protocol", protocol_version));
            }
        } else if (key == "command") {
            const auto text = value.is_string() ? value.get<std::string>() : std::string();
            const auto found = std::find(command_names.begin(), command_names.end(), text);
            if (found == command_names.end()) {
                return fail(Errc::invalid_argument,
                            fmt::format("unknown command {}", quote_if_needed(text)));
            }
            request.command = static_cast<Command>(found - command_names.begin());
            named = true;
        } else if (key == "goodbye" && value.is_boolean()) {
            request.goodbye = value.get<bool>();
        } else {
            return fail(Errc::invalid_argument,
                        fmt::format("unknown member {}", quote_if_needed(key)));
        }
    }
    if (!named) return fail(Errc::invalid_argument, "the request names no command");
    return request;
}

}  // namespace

std::string_view name(Command command) {
    return command_names[static_cast<std::size_t>(command)];
}

std::string encode(const Request& request) {
    Json json;
    json["version"] = protocol_version;
    json["command"] = name(request.command);
    if (request.goodbye) json["goodbye"] = true;
    return to_text(json);
}

Result<Request> decode_request(std::string_view line) {
    if (line.size() > largest_request)
        return fail(Errc::invalid_argument, "the request is too long");
    // A request is flat; the parser recurses no deeper than this before it is asked to stop.
    const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
        return depth <= 2;
    };
    const Json json = Json::parse(line, shallow, false);
    if (json.is_discarded()) return fail(Errc::invalid_argument, "the request is not JSON");
    return read_request(json);
}

std::string encode_data(Command command, const ServiceStatus& status) {
    Json data;
    data["daemon_version"] = status.version;
    data["pid"] = status.pid;
    data["uptime_ns"] = status.uptime.count();
    put_name(data, "store_directory", status.store_directory);
    put_name(data, "runtime_directory", status.runtime_directory);
    Json domains = Json::array();
    Json topics = Json::array();
    Json writers = Json::array();
    Json readers = Json::array();
    const bool all = command == Command::status;
    for (const DomainStatus& domain : status.domains) {
        domains.push_back(domain_json(domain));
        if (all || command == Command::topics)
            append_rows(topics, domain.domain, domain.topics, topic_json);
        if (all || command == Command::writers)
            append_rows(writers, domain.domain, domain.writers, writer_json);
        if (all || command == Command::readers)
            append_rows(readers, domain.domain, domain.readers, reader_json);
    }
    data["domains"] = std::move(domains);
    if (all || command == Command::topics) data["topics"] = std::move(topics);
    if (all || command == Command::writers) data["writers"] = std::move(writers);
    if (all || command == Command::readers) data["readers"] = std::move(readers);
    return to_text(data);
}

std::string encode_data(const std::vector<Event>& events) {
    Json rows = Json::array();
    for (const Event& event : events) {
        Json row;
        row["event"] = name(event.kind);
        row["time_ns"] = event.wall.count();
        row["suppressed"] = event.suppressed;
        Json fields = Json::object();
        for (const auto& [key, value] : event.fields)
            put_name(fields, std::string(key).c_str(), value);
        row["fields"] = std::move(fields);
        row["line"] = to_line(event);
        rows.push_back(std::move(row));
    }
    Json data;
    data["events"] = std::move(rows);
    return to_text(data);
}

std::string encode_reply(std::string_view data) {
    return fmt::format(R"({{"version":{},"ok":true,"data":{}}})", protocol_version, data);
}

std::string encode_reply(const Error& error) {
    Json json;
    json["version"] = protocol_version;
    json["ok"] = false;
    json["error"] = error.text();
    json["exit"] = exit_status(error.code);
    return to_text(json);
}

Result<Reply> decode_reply(std::string_view line) {
    try {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) return fail(Errc::internal, "the reply is not JSON");
        if (json.value("version", 0) != protocol_version) {
            return fail(Errc::version, "the daemon speaks another version of the protocol");
        }
        if (!json.value("ok", false)) {
            return fail(errc_of_exit(json.value("exit", 70)),
                        json.value("error", std::string("no reason given")));
        }
        Reply reply;
        const Json data = json.value("data", Json::object());
        reply.data = to_text(data);
        reply.status = read_status(data);
        for (const Json& row : data.value("events", Json::array())) {
            reply.events.push_back(
                {row.value("time_ns", std::int64_t{0}), row.value("line", std::string())});
        }
        return reply;
    } catch (const Json::exception& error) {
        return fail(Errc::internal,
                    fmt::format("the reply is not what a daemon sends: {}", error.what()));
    }
}

}  // namespace durability::control
