// Replies as they are written: the snapshot of a service, and what was done.
#include "control/json.hpp"
#include "control/protocol.hpp"
#include "control/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::control {
namespace {

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

}  // namespace

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
    json["dead_bytes"] = topic.dead_bytes;
    json["compacting"] = topic.compacting;
    json["writers"] = topic.writers;
    json["readers"] = topic.readers;
    json["degraded"] = topic.degraded;
    json["instances"] = topic.instances;
    json["stored"] = topic.stored;
    json["duplicates"] = topic.duplicates;
    json["evicted"] = topic.evicted;
    json["replayed"] = topic.replayed;
    Json refused = Json::object();
    for (const LimitCount& one : topic.refused)
        refused[one.limit] = one.samples;
    json["refused"] = std::move(refused);
    return json;
}

namespace {

Json writer_json(std::uint32_t domain, const WriterStatus& writer) {
    Json json;
    json["domain"] = domain;
    put_name(json, "topic", writer.topic);
    put_name(json, "type", writer.type);
    json["guid"] = to_string(writer.guid);
    json["alive"] = writer.alive;
    json["retired"] = writer.retired;
    json["received"] = writer.received;
    json["appended"] = writer.appended;
    json["synced"] = writer.synced;
    json["committed"] = writer.committed;
    json["lost"] = writer.lost;
    json["rejected"] = writer.rejected;
    json["retained_samples"] = writer.retained_samples;
    json["retained_bytes"] = writer.retained_bytes;
    return json;
}

}  // namespace

Json reader_json(std::uint32_t domain, const ReaderStatus& reader) {
    Json json;
    json["domain"] = domain;
    put_name(json, "topic", reader.topic);
    put_name(json, "type", reader.type);
    json["guid"] = to_string(reader.guid);
    json["vendor"] = reader.vendor;
    json["durability"] = name(reader.durability);
    json["reliable"] = reader.reliable;
    json["owed"] = reader.owed;
    json["sent"] = reader.sent;
    json["acknowledged"] = reader.acknowledged;
    Json not_owed = Json::array();
    for (const UnowedSamples& unowed : reader.not_owed) {
        Json one;
        one["why"] = unowed.why;
        one["samples"] = unowed.samples;
        not_owed.push_back(std::move(one));
    }
    json["not_owed"] = std::move(not_owed);
    put_name(json, "state", reader.state);
    if (!reader.reason.empty()) put_name(json, "reason", reader.reason);
    if (!reader.cure.empty()) put_name(json, "cure", reader.cure);
    return json;
}

namespace {

Json domain_json(const DomainStatus& domain) {
    Json json;
    json["domain"] = domain.domain;
    json["ingest_prefix"] = to_string(domain.ingest_prefix);
    json["replay_prefix"] = to_string(domain.replay_prefix);
    json["participants"] = domain.participants;
    std::uint64_t waiting = 0;
    for (const WriterStatus& writer : domain.writers)
        waiting += unsynced(writer);
    json["unsynced"] = std::max(domain.unsynced, waiting);
    json["disk_bytes"] = domain.disk_bytes;
    json["memory_bytes"] = domain.memory_bytes;
    json["queue_depth"] = domain.queue_depth;
    json["open_files"] = domain.open_files;
    json["datagrams_received"] = domain.datagrams_received;
    json["datagrams_sent"] = domain.datagrams_sent;
    json["malformed"] = domain.malformed;
    json["failed_syncs"] = domain.failed_syncs;
    json["compactions"] = domain.compactions;
    return json;
}

template <class Rows, class MakeJson>
void append_rows(Json& array, std::uint32_t domain, const Rows& rows, MakeJson make) {
    for (const auto& row : rows)
        array.push_back(make(domain, row));
}

}  // namespace

std::string encode_data(Command command, const ServiceStatus& status) {
    Json data;
    data["daemon_version"] = status.version;
    data["pid"] = status.pid;
    data["uptime_ns"] = status.uptime.count();
    put_name(data, "store_directory", status.store_directory);
    put_name(data, "runtime_directory", status.runtime_directory);
    data["sync"] = sync_name(status.sync);
    if (status.sync == SyncPolicy::interval)
        data["sync_interval_ns"] = status.sync_interval.count();
    data["network_lease_ns"] = status.network_lease.count();
    data["started_ns"] = status.started.count();
    data["recovery_ns"] = status.recovery.count();
    data["config_in_force"] = status.config_in_force;
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

std::string encode_data(const std::vector<Event>& events, std::string_view run) {
    Json rows = Json::array();
    for (const Event& event : events) {
        Json row;
        row["number"] = event.number;
        row["event"] = name(event.kind);
        row["severity"] = name(severity(event.kind));
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
    data["run"] = run;
    data["events"] = std::move(rows);
    return to_text(data);
}

std::string encode_text(std::string_view text) {
    Json data;
    data["text"] = text;
    return to_text(data);
}

std::string encode_data(const PurgeOutcome& outcome) {
    Json data;
    data["groups"] = outcome.groups;
    data["samples"] = outcome.samples;
    data["writer_known"] = outcome.writer_known;
    data["keyed"] = outcome.keyed;
    return to_text(data);
}

std::string encode_data(const CompactionOutcome& outcome) {
    Json data;
    data["groups"] = outcome.groups;
    data["files"] = outcome.files;
    data["disk_bytes"] = outcome.disk_bytes;
    data["dead_bytes"] = outcome.dead_bytes;
    return to_text(data);
}

std::string encode_data(const InstanceList& list) {
    Json rows = Json::array();
    for (const InstanceStatus& instance : list.instances) {
        Json row;
        row["domain"] = instance.domain;
        put_name(row, "topic", instance.topic);
        put_name(row, "type", instance.type);
        if (!instance.key.empty()) put_name(row, "key", instance.key);
        row["key_hash"] = instance.key_hash;
        row["state"] = instance.state;
        row["samples"] = instance.samples;
        row["operations"] = instance.operations;
        Json writers = Json::array();
        for (const Guid& writer : instance.writers)
            writers.push_back(to_string(writer));
        row["writers"] = std::move(writers);
        row["received_ns"] = instance.received_ns;
        rows.push_back(std::move(row));
    }
    Json data;
    data["groups"] = list.groups;
    data["keyed"] = list.keyed;
    data["total"] = list.total;
    data["instances"] = std::move(rows);
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
    json["reason"] = name(error.code);
    json["exit"] = exit_status(error.code);
    return to_text(json);
}

}  // namespace durability::control
