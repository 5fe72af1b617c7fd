#include "tools/sample_daemon.hpp"

#include "control/metrics.hpp"
#include "model/group_values.hpp"
#include "support/prepared_store.hpp"

#include <chrono>

namespace durability::test {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds beginning = 1'700'000'000s;

TopicStatus sample_topic(const std::string& name, std::uint64_t stored) {
    TopicStatus topic;
    topic.topic = name;
    topic.type = "nav_msgs::msg::dds_::OccupancyGrid_";
    topic.durability = DurabilityKind::transient;
    topic.contract.depth = 5;
    topic.contract.cleanup_delay = 90s;
    topic.contract_source = ContractSource::rule;
    topic.retained_samples = 5;
    topic.retained_bytes = 5 * 4'000;
    topic.disk_bytes = 65'536;
    topic.dead_bytes = 1'024;
    topic.instances = 1;
    topic.writers = 2;
    topic.readers = 1;
    topic.stored = stored;
    topic.duplicates = 3;
    topic.evicted = stored - 5;
    topic.replayed = 15;
    return topic;
}

WriterStatus sample_writer(std::uint8_t number, const std::string& topic) {
    WriterStatus writer;
    writer.topic = topic;
    writer.type = "nav_msgs::msg::dds_::OccupancyGrid_";
    writer.guid = prepared_writer(number);
    writer.received = 100;
    writer.appended = 99;
    writer.synced = writer.committed = 98;
    writer.retained_samples = 5;
    writer.retained_bytes = 20'000;
    return writer;
}

ReaderStatus sample_reader() {
    ReaderStatus reader;
    reader.topic = "rt/map";
    reader.type = "nav_msgs::msg::dds_::OccupancyGrid_";
    reader.guid = prepared_writer(9);
    reader.vendor = "Cyclone DDS";
    reader.durability = DurabilityKind::transient_local;
    reader.reliable = true;
    reader.owed = 5;
    reader.sent = 5;
    reader.acknowledged = 2;
    reader.not_owed = {{"expired", 4}};
    reader.state = "replaying";
    return reader;
}

std::vector<Event> sample_events() {
    std::vector<Event> events;
    const auto add = [&](EventKind kind, auto fields) {
        Event& event = events.emplace_back();
        event.kind = kind;
        event.fields = std::move(fields);
        event.number = events.size();
        event.wall = beginning + std::chrono::seconds{events.size()};
    };
    using Fields = std::vector<std::pair<std::string_view, std::string>>;
    add(EventKind::Ready, Fields{{"version", "1.2.3"}});
    add(EventKind::ServedFromDiscovery, Fields{{"domain", "0"}, {"topic", "rt/map"}});
    add(EventKind::SampleRejected, Fields{{"topic", "rt/map"}, {"limit", "max_samples"}});
    add(EventKind::StoreDegraded, Fields{{"topic", "rt/odd \x1b[2J"}, {"reason", "disk full"}});
    add(EventKind::WriterRetired, Fields{{"topic", "rt/map"}});
    add(EventKind::SampleLost, Fields{{"topic", "rt/tf"}});
    events.back().suppressed = 12;
    return events;
}

Explanation sample_explanation() {
    Explanation explanation;
    TopicExplanation& topic = explanation.topics.emplace_back();
    topic.topic = "rt/map";
    GroupExplanation& group = topic.groups.emplace_back();
    group.topic = sample_topic("rt/map", 105);
    group.state = "served";
    group.rule = "/etc/durabilityd/durabilityd.yaml:12";
    group.type_description = "known";
    group.key = "it has no key";
    WriterExplanation& writer = topic.writers.emplace_back();
    writer.guid = prepared_writer(1);
    writer.vendor = "Fast DDS";
    writer.type = group.topic.type;
    writer.reason = "it offers VOLATILE: by its own word there is nothing to keep";
    writer.cure = "let it offer TRANSIENT";
    ReaderExplanation& reader = topic.readers.emplace_back();
    reader.guid = prepared_writer(9);
    reader.vendor = "Cyclone DDS";
    reader.type = group.topic.type;
    ReaderMatch& match = reader.groups.emplace_back();
    match.policy = "durability";
    match.offered = "TRANSIENT";
    match.requested = "PERSISTENT";
    match.cure = "request less";
    return explanation;
}

Shown sample_shown() {
    Shown shown;
    ShownTopic& topic = shown.topics.emplace_back();
    topic.topic = "rt/map";
    ShownGroup& group = topic.groups.emplace_back();
    group.topic = sample_topic("rt/map", 105);
    group.state = "served";
    const std::string rule = "/etc/durabilityd/durabilityd.yaml:12";
    group.values = {{"serve", "transient_local", ValueOrigin::rule, rule},
                    {"storage", "disk", ValueOrigin::stored, "it stays where it was first stored"}};
    ContractOrigins origins;
    origins.fill({ValueOrigin::daemon_default, {}});
    origins[0] = origins[1] = {ValueOrigin::rule, rule};
    origins[2] = {ValueOrigin::announced, to_string(prepared_writer(1))};
    origins[3] = {ValueOrigin::announced, {}};
    for (ShownValue& value : contract_values(group.topic.contract, origins))
        group.values.push_back(std::move(value));
    GroupMeta meta;
    meta.key.topic = "rt/map";
    for (ShownValue& value : qos_values(meta))
        group.values.push_back(std::move(value));
    return shown;
}

InstanceList sample_instances() {
    InstanceList list;
    list.groups = 1;
    list.keyed = true;
    list.total = 1;
    InstanceStatus& instance = list.instances.emplace_back();
    instance.topic = "rt/map";
    instance.key = "id = 4";
    instance.key_hash = to_hex(prepared_key(1));
    instance.state = "alive";
    instance.samples = 5;
    instance.writers = {prepared_writer(1), prepared_writer(2)};
    instance.received_ns = beginning.count();
    return list;
}

}  // namespace

ServiceStatus sample_status() {
    ServiceStatus status;
    status.version = "1.2.3";
    status.pid = 4'711;
    status.uptime = 100s;
    status.started = beginning;
    status.recovery = 20ms;
    status.network_lease = 30s;
    status.store_directory = "/var/lib/durabilityd";
    status.runtime_directory = "/run/durabilityd";
    status.events = {{"SampleRejected", 1}};
    DomainStatus domain;
    domain.participants = 4;
    domain.unsynced = 2;
    domain.disk_bytes = 131'072;
    domain.datagrams_received = 5'000;
    domain.datagrams_sent = 4'000;
    domain.sync_times.add(3ms);
    domain.topics = {sample_topic("rt/map", 105), sample_topic("rt/odd \x1b[2J", 5)};
    domain.topics[1].degraded = true;
    domain.topics[1].refused = {{"max_samples", 7}};
    domain.writers = {sample_writer(1, "rt/map"), sample_writer(2, "rt/map")};
    domain.writers[0].alive = true;
    domain.writers[1].retired = true;
    domain.readers = {sample_reader()};
    status.domains.push_back(domain);
    return status;
}

ReloadVerdict sample_verdict() {
    ReloadVerdict verdict;
    verdict.accepted = true;
    verdict.files = {"/etc/durabilityd/durabilityd.yaml"};
    verdict.applied = {{"log.level", "info", "debug"}};
    verdict.restart = {{"domains", "[0]", "[0, 7]"}};
    verdict.rules = 2;
    verdict.rules_added = 1;
    verdict.topics = {
        {0, "rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", TopicEffect::Kind::served}};
    return verdict;
}

std::string sample_answer(const control::Request& request) {
    using control::Command;
    using control::encode_data;
    const auto reply = [](const std::string& data) { return control::encode_reply(data); };
    switch (request.command) {
        case Command::events:
            return reply(request.after ? encode_data(std::vector<Event>{}, "17")
                                       : encode_data(sample_events(), "17"));
        case Command::explain:
            return reply(encode_data(sample_explanation()));
        case Command::show:
            return reply(encode_data(sample_shown()));
        case Command::instances:
            return reply(encode_data(sample_instances()));
        case Command::purge: {
            PurgeOutcome outcome;
            outcome.groups = 1;
            outcome.samples = 5;
            return reply(encode_data(outcome));
        }
        case Command::metrics: {
            control::CounterMemory counters;
            return reply(control::encode_text(
                control::metrics_text(sample_status(),
                                      counters,
                                      request.prometheus ? control::MetricsFormat::prometheus
                                                         : control::MetricsFormat::openmetrics)));
        }
        case Command::reload:
            return reply(encode_data(sample_verdict()));
        case Command::stop:
        case Command::compact:
            return reply("{}");
        case Command::status:
        case Command::topics:
        case Command::writers:
        case Command::readers:
            break;
    }
    return reply(encode_data(request.command, sample_status()));
}

}  // namespace durability::test
