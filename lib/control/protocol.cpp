// Replies as they are read.
#include "control/protocol.hpp"

#include "control/json.hpp"
#include "control/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace durability::control {
namespace {

// A member that is missing or of another type leaves the default.

std::uint64_t get_limit(const Json& json, const char* key) {
    const Json value = json.value(key, Json());
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : unlimited;
}

std::chrono::nanoseconds get_delay(const Json& json, const char* key) {
    const Json value = json.value(key, Json());
    return value.is_number_integer() ? std::chrono::nanoseconds(value.get<std::int64_t>())
                                     : std::chrono::nanoseconds::max();
}

GuidPrefix get_prefix(const Json& json, const char* key) {
    const auto guid = parse_guid(json.value(key, std::string()) + ":00000000");
    return guid ? guid->prefix : GuidPrefix{};
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

}  // namespace

DurabilityKind read_durability(const Json& json) {
    return get_enum(json, "durability", durabilities);
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
    topic.durability = read_durability(json);
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
    topic.dead_bytes = json.value("dead_bytes", topic.dead_bytes);
    topic.compacting = json.value("compacting", topic.compacting);
    topic.writers = json.value("writers", topic.writers);
    topic.readers = json.value("readers", topic.readers);
    topic.degraded = json.value("degraded", false);
    topic.instances = json.value("instances", topic.instances);
    topic.stored = json.value("stored", topic.stored);
    topic.duplicates = json.value("duplicates", topic.duplicates);
    topic.evicted = json.value("evicted", topic.evicted);
    topic.replayed = json.value("replayed", topic.replayed);
    const Json refused = json.value("refused", Json::object());
    for (const auto& [limit, samples] : refused.items())
        topic.refused.push_back({limit, samples.get<std::uint64_t>()});
    return topic;
}

namespace {

WriterStatus read_writer(const Json& json) {
    WriterStatus writer;
    writer.topic = get_name(json, "topic");
    writer.type = get_name(json, "type");
    writer.guid = parse_guid(json.value("guid", std::string())).value_or(unknown_guid);
    writer.alive = json.value("alive", false);
    writer.retired = json.value("retired", false);
    writer.received = json.value("received", writer.received);
    writer.appended = json.value("appended", writer.appended);
    writer.synced = json.value("synced", writer.synced);
    writer.committed = json.value("committed", writer.committed);
    writer.lost = json.value("lost", writer.lost);
    writer.rejected = json.value("rejected", writer.rejected);
    writer.retained_samples = json.value("retained_samples", writer.retained_samples);
    writer.retained_bytes = json.value("retained_bytes", writer.retained_bytes);
    return writer;
}

}  // namespace

ReaderStatus read_reader(const Json& json) {
    ReaderStatus reader;
    reader.topic = get_name(json, "topic");
    reader.type = get_name(json, "type");
    reader.guid = parse_guid(json.value("guid", std::string())).value_or(unknown_guid);
    reader.vendor = get_name(json, "vendor");
    reader.durability = read_durability(json);
    reader.reliable = json.value("reliable", false);
    reader.owed = json.value("owed", reader.owed);
    reader.sent = json.value("sent", reader.sent);
    reader.acknowledged = json.value("acknowledged", reader.acknowledged);
    for (const Json& row : json.value("not_owed", Json::array())) {
        reader.not_owed.push_back(
            {row.value("why", std::string()), row.value("samples", std::uint64_t{0})});
    }
    reader.state = get_name(json, "state");
    reader.reason = get_name(json, "reason");
    reader.cure = get_name(json, "cure");
    return reader;
}

namespace {

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
    const std::string sync = data.value("sync", std::string());
    for (const SyncPolicy policy : {SyncPolicy::interval, SyncPolicy::none}) {
        if (sync_name(policy) == sync) status.sync = policy;
    }
    status.sync_interval =
        std::chrono::nanoseconds(data.value("sync_interval_ns", std::int64_t{0}));
    status.network_lease =
        std::chrono::nanoseconds(data.value("network_lease_ns", std::int64_t{0}));
    status.started = std::chrono::nanoseconds(data.value("started_ns", std::int64_t{0}));
    status.recovery = std::chrono::nanoseconds(data.value("recovery_ns", std::int64_t{0}));
    status.config_in_force = data.value("config_in_force", true);
    for (const Json& row : data.value("domains", Json::array())) {
        DomainStatus& domain = domain_of(status, row);
        domain.ingest_prefix = get_prefix(row, "ingest_prefix");
        domain.replay_prefix = get_prefix(row, "replay_prefix");
        domain.participants = row.value("participants", std::uint64_t{0});
        domain.unsynced = row.value("unsynced", std::uint64_t{0});
        domain.disk_bytes = row.value("disk_bytes", std::uint64_t{0});
        domain.memory_bytes = row.value("memory_bytes", std::uint64_t{0});
        domain.queue_depth = row.value("queue_depth", std::uint64_t{0});
        domain.open_files = row.value("open_files", std::uint64_t{0});
        domain.datagrams_received = row.value("datagrams_received", std::uint64_t{0});
        domain.datagrams_sent = row.value("datagrams_sent", std::uint64_t{0});
        domain.malformed = row.value("malformed", std::uint64_t{0});
        domain.failed_syncs = row.value("failed_syncs", std::uint64_t{0});
        domain.compactions = row.value("compactions", std::uint64_t{0});
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

void read_outcomes(const Json& data, Reply& reply) {
    PurgeOutcome& purged = reply.purged;
    CompactionOutcome& compaction = reply.compaction;
    purged.groups = compaction.groups = data.value("groups", std::uint64_t{0});
    purged.samples = data.value("samples", std::uint64_t{0});
    purged.writer_known = data.value("writer_known", false);
    purged.keyed = data.value("keyed", false);
    compaction.files = data.value("files", std::uint64_t{0});
    compaction.disk_bytes = data.value("disk_bytes", std::uint64_t{0});
    compaction.dead_bytes = data.value("dead_bytes", std::uint64_t{0});
}

InstanceStatus read_instance(const Json& json) {
    InstanceStatus instance;
    instance.domain = json.value("domain", instance.domain);
    instance.topic = get_name(json, "topic");
    instance.type = get_name(json, "type");
    instance.key = get_name(json, "key");
    instance.key_hash = json.value("key_hash", std::string());
    instance.state = json.value("state", std::string());
    instance.samples = json.value("samples", instance.samples);
    instance.operations = json.value("operations", instance.operations);
    for (const Json& writer : json.value("writers", Json::array())) {
        const auto guid = parse_guid(writer.is_string() ? writer.get<std::string>() : "");
        if (guid) instance.writers.push_back(*guid);
    }
    instance.received_ns = json.value("received_ns", instance.received_ns);
    return instance;
}

void read_instances(const Json& data, InstanceList& list) {
    list.groups = data.value("groups", std::uint64_t{0});
    list.keyed = data.value("keyed", false);
    list.total = data.value("total", std::uint64_t{0});
    for (const Json& row : data.value("instances", Json::array()))
        list.instances.push_back(read_instance(row));
}

void read_events(const Json& data, Reply& reply) {
    reply.run = data.value("run", std::string());
    for (const Json& row : data.value("events", Json::array())) {
        Reply::EventText& event = reply.events.emplace_back();
        event.number = row.value("number", std::uint64_t{0});
        event.wall_ns = row.value("time_ns", std::int64_t{0});
        event.name = row.value("event", std::string());
        event.severity = row.value("severity", std::string());
        event.topic = get_name(row.value("fields", Json::object()), "topic");
        event.line = row.value("line", std::string());
        event.json = to_text(row);
        reply.newest = std::max(reply.newest, event.number);
    }
}

// By its name; a daemon that gives none, or one we do not know, still says how the tool is to end.
Errc errc_of(const Json& reply) {
    constexpr std::array codes{Errc::invalid_argument,
                               Errc::version,
                               Errc::unavailable,
                               Errc::not_found,
                               Errc::internal,
                               Errc::io,
                               Errc::permission,
                               Errc::in_use,
                               Errc::configuration};
    const std::string reason = reply.value("reason", std::string());
    const int status = reply.value("exit", 70);
    const auto named = std::find_if(
        codes.begin(), codes.end(), [&](Errc code) { return durability::name(code) == reason; });
    if (named != codes.end()) return *named;
    const auto found = std::find_if(
        codes.begin(), codes.end(), [status](Errc code) { return exit_status(code) == status; });
    return found == codes.end() ? Errc::internal : *found;
}

}  // namespace

Result<Reply> decode_reply(std::string_view line) {
    try {
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) return fail(Errc::internal, "the reply is not JSON");
        if (json.value("version", 0) != protocol_version) {
            return fail(Errc::version, "the daemon speaks another version of the protocol");
        }
        if (!json.value("ok", false)) {
            return fail(errc_of(json), json.value("error", std::string("no reason given")));
        }
        Reply reply;
        const Json data = json.value("data", Json::object());
        reply.data = to_text(data);
        reply.reload = read_reload(data);
        // Other replies mean something else by members of the same names.
        if (is_reload(data)) return reply;
        reply.status = read_status(data);
        read_events(data, reply);
        read_outcomes(data, reply);
        read_instances(data, reply.instances);
        reply.explanation = read_explanation(data);
        reply.shown = read_shown(data);
        reply.text = data.value("text", std::string());
        return reply;
    } catch (const Json::exception& error) {
        return fail(Errc::internal,
                    fmt::format("the reply is not what a daemon sends: {}", error.what()));
    }
}

}  // namespace durability::control
