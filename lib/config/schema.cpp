#include "config/schema.hpp"

#include <algorithm>
#include <array>

namespace durability::config {
namespace {

using std::string_view;

constexpr std::array<string_view, 3> sync_names{"commit", "interval", "none"};
constexpr std::array<string_view, 2> history_names{"keep_last", "keep_all"};
constexpr std::array<string_view, 2> scope_names{"topic", "writer"};
constexpr std::array<string_view, 4> serve_names{
    "transient_local", "transient", "persistent", "never"};
constexpr std::array<string_view, 3> storage_names{"auto", "disk", "memory"};
constexpr std::array<string_view, 3> keyed_names{"auto", "yes", "no"};
constexpr std::array<string_view, 2> shutdown_names{"stay", "goodbye"};
constexpr std::array<string_view, 2> vendor_names{"own", "cyclonedds"};
#ifdef DURABILITYD_RT
constexpr std::array<string_view, 3> policy_names{"other", "fifo", "rr"};
#endif
constexpr std::array<string_view, 5> level_names{"error", "warning", "info", "debug", "trace"};

constexpr std::uint64_t no_maximum = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t million = 1'000'000;
constexpr std::uint64_t kib = 1ULL << 10U;
constexpr std::uint64_t gib = 1ULL << 30U;
constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t hour = 3'600 * second;

// A table is read by columns.
// clang-format off
const std::array rows{
    Option{"domains", Type::domain_list, {0, 232}, {},
           "DDS domains to serve; each has two participants and a store folder of its own.",
           [](Target t) -> Slot { return &t.config->domains; }},

    Option{"network.interfaces", Type::interface_list, {}, {},
           "Interfaces to use, by name or IPv4 address; none given means every one that is up "
           "and can multicast, else loopback.",
           [](Target t) -> Slot { return &t.config->network.interfaces; }},
    Option{"network.multicast", Type::flag, {}, {},
           "Whether participants are discovered by multicast; without it only peers are asked.",
           [](Target t) -> Slot { return &t.config->network.multicast; }},
    Option{"network.peers", Type::peer_list, {}, {},
           "IPv4 addresses, with a port where it is known, to announce to by unicast.",
           [](Target t) -> Slot { return &t.config->network.peers; }},
    Option{"network.port_base", Type::port_or_auto, {1, 65'535}, {},
           "Port base of the RTPS port mapping; auto takes the first whose ports are all free.",
           [](Target t) -> Slot { return &t.config->network.port_base; }},

    Option{"store.directory", Type::absolute_path, {}, {},
           "Where the logs of disk topics are kept.",
           [](Target t) -> Slot { return &t.config->store.directory; }},
    Option{"store.runtime_directory", Type::absolute_path, {}, {},
           "Where the logs of memory topics and the control socket are; on a tmpfs.",
           [](Target t) -> Slot { return &t.config->store.runtime_directory; }},
    Option{"store.sync", Type::choice, {}, sync_names,
           "When a disk sample counts as safe and is acknowledged.",
           [](Target t) -> Slot { return &t.config->store.sync; }},
    Option{"store.sync_interval", Type::duration, {millisecond, hour}, {},
           "Time between two syncs when store.sync is interval.",
           [](Target t) -> Slot { return &t.config->store.sync_interval; }, Reload::live},

    Option{"default_contract.history", Type::choice, {}, history_names,
           "Whether the last samples of an instance are kept, or all up to the limits.",
           [](Target t) -> Slot { return &t.config->default_contract.history; }, Reload::live},
    Option{"default_contract.depth", Type::number, {1, 1'000 * million}, {},
           "Samples kept of each instance with keep_last.",
           [](Target t) -> Slot { return &t.config->default_contract.depth; }, Reload::live},
    Option{"default_contract.max_samples", Type::count, {1, no_maximum}, {},
           "Samples kept in total.",
           [](Target t) -> Slot { return &t.config->default_contract.max_samples; }, Reload::live},
    Option{"default_contract.max_instances", Type::count, {1, no_maximum}, {},
           "Instances kept; one more frees the oldest other one.",
           [](Target t) -> Slot { return &t.config->default_contract.max_instances; },
           Reload::live},
    Option{"default_contract.max_samples_per_instance", Type::count, {1, no_maximum}, {},
           "Samples kept of each instance.",
           [](Target t) -> Slot { return &t.config->default_contract.max_samples_per_instance; },
           Reload::live},
    Option{"default_contract.cleanup_delay", Type::duration, {}, {},
           "How long history is kept after its writer has gone or its instance was disposed.",
           [](Target t) -> Slot { return &t.config->default_contract.cleanup_delay; },
           Reload::live},
    Option{"default_contract.scope", Type::choice, {}, scope_names,
           "Whether limits count over all writers of a topic or for each writer.",
           [](Target t) -> Slot { return &t.config->default_contract.scope; }, Reload::live},
    Option{"default_contract.max_bytes", Type::size, {1, no_maximum}, {},
           "Payload bytes kept; keep_last frees the oldest, keep_all refuses.",
           [](Target t) -> Slot { return &t.config->default_contract.max_bytes; }, Reload::live},
    Option{"default_contract.max_age", Type::duration, {second, no_maximum}, {},
           "How long a sample is kept after it was received.",
           [](Target t) -> Slot { return &t.config->default_contract.max_age; }, Reload::live},

    Option{"topics[].topic", Type::pattern, {}, {},
           "Topic name the rule applies to, with globs.",
           [](Target t) -> Slot { return &t.rule->topic; }, Reload::live},
    Option{"topics[].ros_topic", Type::ros_topic, {}, {},
           "In place of topic: the name of a ROS 2 topic, with globs.",
           [](Target t) -> Slot { return &t.rule->ros_topic; }, Reload::live},
    Option{"topics[].type", Type::pattern, {}, {},
           "Type name the rule applies to, with globs.",
           [](Target t) -> Slot { return &t.rule->type; }, Reload::live},
    Option{"topics[].ros_type", Type::ros_type, {}, {},
           "In place of type: the name of a ROS 2 message type, with globs.",
           [](Target t) -> Slot { return &t.rule->ros_type; }, Reload::live},
    Option{"topics[].partition", Type::name_pattern, {}, {},
           "Partition the rule applies to, with globs.",
           [](Target t) -> Slot { return &t.rule->partition; }, Reload::live},
    Option{"topics[].serve", Type::choice, {}, serve_names,
           "Weakest offered durability that is served.",
           [](Target t) -> Slot { return &t.rule->serve; }, Reload::live},
    Option{"topics[].storage", Type::choice, {}, storage_names,
           "Where the history is kept; auto means disk for PERSISTENT and memory for the "
           "others.",
           [](Target t) -> Slot { return &t.rule->storage; }, Reload::live},
    Option{"topics[].contract.history", Type::choice, {}, history_names,
           "As default_contract.history, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.history; }, Reload::live},
    Option{"topics[].contract.depth", Type::number, {1, 1'000 * million}, {},
           "As default_contract.depth, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.depth; }, Reload::live},
    Option{"topics[].contract.max_samples", Type::count, {1, no_maximum}, {},
           "As default_contract.max_samples, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.max_samples; }, Reload::live},
    Option{"topics[].contract.max_instances", Type::count, {1, no_maximum}, {},
           "As default_contract.max_instances, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.max_instances; }, Reload::live},
    Option{"topics[].contract.max_samples_per_instance", Type::count, {1, no_maximum}, {},
           "As default_contract.max_samples_per_instance, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.max_samples_per_instance; },
           Reload::live},
    Option{"topics[].contract.cleanup_delay", Type::duration, {}, {},
           "As default_contract.cleanup_delay, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.cleanup_delay; }, Reload::live},
    Option{"topics[].contract.scope", Type::choice, {}, scope_names,
           "As default_contract.scope, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.scope; }, Reload::live},
    Option{"topics[].contract.max_bytes", Type::size, {1, no_maximum}, {},
           "As default_contract.max_bytes, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.max_bytes; }, Reload::live},
    Option{"topics[].contract.max_age", Type::duration, {second, no_maximum}, {},
           "As default_contract.max_age, for this rule.",
           [](Target t) -> Slot { return &t.rule->contract.max_age; }, Reload::live},
    Option{"topics[].keyed", Type::choice, {}, keyed_names,
           "Whether the topic has a key; with an exact topic and type it is served from the "
           "start.",
           [](Target t) -> Slot { return &t.rule->keyed; }, Reload::live},
    Option{"topics[].key", Type::key_layout, {}, {},
           "Where the key lies in a sample when neither its writer nor a type description tells.",
           [](Target t) -> Slot { return &t.rule->key; }, Reload::live},

    Option{"shutdown", Type::choice, {}, shutdown_names,
           "Whether the daemon leaves silently to return as the same participants, or says "
           "good-bye.",
           [](Target t) -> Slot { return &t.config->shutdown; }, Reload::live},
    Option{"network_lease", Type::duration, {2 * second, hour}, {},
           "Participant lease announced to peers; a restart must take less.",
           [](Target t) -> Slot { return &t.config->network_lease; }},
    Option{"replay.handover_window", Type::duration, {0, hour}, {},
           "How long after a reader appeared the loss of a living writer makes its share ours "
           "to send.",
           [](Target t) -> Slot { return &t.config->replay.handover_window; }, Reload::live},
    Option{"replay.max_rate", Type::size, {kib, no_maximum}, {},
           "Bytes a second sent to all late readers together.",
           [](Target t) -> Slot { return &t.config->replay.max_rate; }, Reload::live},
    Option{"replay.priority", Type::number, {0, million}, {},
           "Of several daemons the one with the higher number serves late readers.",
           [](Target t) -> Slot { return &t.config->replay.priority; }, Reload::live},
    Option{"cleanup.interval", Type::duration, {second, 24 * hour}, {},
           "Time between two clean-up passes.",
           [](Target t) -> Slot { return &t.config->cleanup.interval; }, Reload::live},
    Option{"compatibility.spdp_vendor", Type::choice, {}, vendor_names,
           "Vendor id announced in discovery.",
           [](Target t) -> Slot { return &t.config->compatibility.spdp_vendor; }},

    Option{"limits.remote_participants", Type::number, {1, million}, {},
           "Participants of others known at once; the next one is ignored.",
           [](Target t) -> Slot { return &t.config->limits.remote_participants; }},
    Option{"limits.remote_writers", Type::number, {1, 10 * million}, {},
           "Writers of others known at once; the next one is ignored.",
           [](Target t) -> Slot { return &t.config->limits.remote_writers; }},
    Option{"limits.remote_readers", Type::number, {1, 10 * million}, {},
           "Readers of others known at once; the next one is ignored.",
           [](Target t) -> Slot { return &t.config->limits.remote_readers; }},
    Option{"limits.served_groups", Type::number, {1, 100'000}, {},
           "Groups served at once; the next one is not served.",
           [](Target t) -> Slot { return &t.config->limits.served_groups; }, Reload::live},
    Option{"limits.matches", Type::number, {1, 10 * million}, {},
           "Pairs of a local and a remote endpoint; the next one is not matched.",
           [](Target t) -> Slot { return &t.config->limits.matches; }},
    Option{"limits.partitions_per_endpoint", Type::number, {1, 10'000}, {},
           "Partitions of one endpoint; an endpoint with more is ignored.",
           [](Target t) -> Slot { return &t.config->limits.partitions_per_endpoint; }},
    Option{"limits.partition_length", Type::number, {1, 65'535}, {},
           "Bytes of a partition name; an endpoint with a longer one is ignored.",
           [](Target t) -> Slot { return &t.config->limits.partition_length; }},
    Option{"limits.string_length", Type::number, {256, 65'535}, {},
           "Bytes of a topic or type name; an endpoint with a longer one is ignored.",
           [](Target t) -> Slot { return &t.config->limits.string_length; }},
    Option{"limits.sample_size", Type::size, {kib, gib}, {},
           "Bytes of a sample; a larger one is rejected.",
           [](Target t) -> Slot { return &t.config->limits.sample_size; }},
    Option{"limits.fragments_per_sample", Type::number, {1, 16 * million}, {},
           "Fragments of a sample; one with more is rejected.",
           [](Target t) -> Slot { return &t.config->limits.fragments_per_sample; }},
    Option{"limits.assemblies", Type::number, {1, 100'000}, {},
           "Fragmented samples being put together at once; another one waits to be repeated.",
           [](Target t) -> Slot { return &t.config->limits.assemblies; }},
    Option{"limits.assembly_bytes", Type::size, {64 * kib, 64 * gib}, {},
           "Memory for fragmented samples being put together.",
           [](Target t) -> Slot { return &t.config->limits.assembly_bytes; }},
    Option{"limits.reorder_samples_per_writer", Type::number, {1, million}, {},
           "Samples of a writer held back until an earlier one arrives.",
           [](Target t) -> Slot { return &t.config->limits.reorder_samples_per_writer; }},
    Option{"limits.reorder_bytes", Type::size, {64 * kib, 64 * gib}, {},
           "Memory for samples held back until an earlier one arrives.",
           [](Target t) -> Slot { return &t.config->limits.reorder_bytes; }},
    Option{"limits.coherent_sets", Type::number, {1, million}, {},
           "Coherent sets being received at once; another one is dropped.",
           [](Target t) -> Slot { return &t.config->limits.coherent_sets; }, Reload::live},
    Option{"limits.coherent_set_bytes", Type::size, {kib, 64 * gib}, {},
           "Memory for a coherent set being received; a larger one is dropped.",
           [](Target t) -> Slot { return &t.config->limits.coherent_set_bytes; }, Reload::live},
    Option{"limits.coherent_bytes", Type::size, {64 * kib, 64 * gib}, {},
           "Memory for all coherent sets being received; at it, sets are dropped.",
           [](Target t) -> Slot { return &t.config->limits.coherent_bytes; }, Reload::live},
    Option{"limits.uncommitted_bytes", Type::size, {64 * kib, 64 * gib}, {},
           "Memory for samples that wait for the disk; at it, writers are made to wait.",
           [](Target t) -> Slot { return &t.config->limits.uncommitted_bytes; }},
    Option{"limits.total_samples", Type::count, {1, no_maximum}, {},
           "Samples kept over all topics of a domain; the next one is rejected.",
           [](Target t) -> Slot { return &t.config->limits.total_samples; }, Reload::live},
    Option{"limits.total_bytes_disk", Type::size, {64 * kib, no_maximum}, {},
           "Bytes of all files under store.directory of a domain; at it, samples are rejected.",
           [](Target t) -> Slot { return &t.config->limits.total_bytes_disk; }, Reload::live},
    Option{"limits.reserve_disk", Type::size, {0, no_maximum}, {},
           "Bytes left free on the file system of store.directory; below, the disk counts as full: "
           "samples wait and are not acknowledged.",
           [](Target t) -> Slot { return &t.config->limits.reserve_disk; }, Reload::live},
    Option{"limits.total_bytes_memory", Type::size, {64 * kib, no_maximum}, {},
           "Bytes of all files under store.runtime_directory of a domain; at it, samples are "
           "rejected.",
           [](Target t) -> Slot { return &t.config->limits.total_bytes_memory; }, Reload::live},
    Option{"limits.retired_writers", Type::number, {1, 10 * million}, {},
           "Writers that have gone and whose history waits for its cleanup_delay.",
           [](Target t) -> Slot { return &t.config->limits.retired_writers; }, Reload::live},
    Option{"limits.frontiers", Type::number, {1, 10 * million}, {},
           "Readers whose progress is remembered; at it the oldest is forgotten.",
           [](Target t) -> Slot { return &t.config->limits.frontiers; }, Reload::live},
    Option{"limits.type_lookups", Type::number, {1, million}, {},
           "Types of topics asked for at once; the next one counts as not to be had.",
           [](Target t) -> Slot { return &t.config->limits.type_lookups; }},
    Option{"limits.type_bytes", Type::size, {kib, 512 * kib}, {},
           "Bytes of the description of a topic's type; a larger one counts as not to be had.",
           [](Target t) -> Slot { return &t.config->limits.type_bytes; }, Reload::live},
    Option{"limits.repair_retries", Type::number, {1, 10'000}, {},
           "Times a missing sample is asked for before it counts as lost.",
           [](Target t) -> Slot { return &t.config->limits.repair_retries; }},
    Option{"limits.open_files", Type::number, {16, million}, {},
           "Log files held open at once.",
           [](Target t) -> Slot { return &t.config->limits.open_files; }},

#ifdef DURABILITYD_RT
    Option{"threads.loop.policy", Type::choice, {}, policy_names,
           "Scheduling policy of the loop, which speaks with the network.",
           [](Target t) -> Slot { return &t.config->threads.loop.policy; }},
    Option{"threads.loop.priority", Type::number, {1, 99}, {},
           "Its priority with fifo and rr.",
           [](Target t) -> Slot { return &t.config->threads.loop.priority; }},
    Option{"threads.loop.cpus", Type::cpu_list, {0, 1'023}, {},
           "Processors it may run on, by number.",
           [](Target t) -> Slot { return &t.config->threads.loop.cpus; }},
    Option{"threads.store.policy", Type::choice, {}, policy_names,
           "Scheduling policy of the threads that write and read the logs.",
           [](Target t) -> Slot { return &t.config->threads.store.policy; }},
    Option{"threads.store.priority", Type::number, {1, 99}, {},
           "Its priority with fifo and rr.",
           [](Target t) -> Slot { return &t.config->threads.store.priority; }},
    Option{"threads.store.cpus", Type::cpu_list, {0, 1'023}, {},
           "Processors it may run on, by number.",
           [](Target t) -> Slot { return &t.config->threads.store.cpus; }},
    Option{"threads.sync.policy", Type::choice, {}, policy_names,
           "Scheduling policy of the threads that wait for the disk.",
           [](Target t) -> Slot { return &t.config->threads.sync.policy; }},
    Option{"threads.sync.priority", Type::number, {1, 99}, {},
           "Its priority with fifo and rr.",
           [](Target t) -> Slot { return &t.config->threads.sync.priority; }},
    Option{"threads.sync.cpus", Type::cpu_list, {0, 1'023}, {},
           "Processors it may run on, by number.",
           [](Target t) -> Slot { return &t.config->threads.sync.cpus; }},
    Option{"threads.cleanup.policy", Type::choice, {}, policy_names,
           "Scheduling policy of the thread that starts clean-up passes.",
           [](Target t) -> Slot { return &t.config->threads.cleanup.policy; }},
    Option{"threads.cleanup.priority", Type::number, {1, 99}, {},
           "Its priority with fifo and rr.",
           [](Target t) -> Slot { return &t.config->threads.cleanup.priority; }},
    Option{"threads.cleanup.cpus", Type::cpu_list, {0, 1'023}, {},
           "Processors it may run on, by number.",
           [](Target t) -> Slot { return &t.config->threads.cleanup.cpus; }},
#endif

    Option{"log.level", Type::choice, {}, level_names,
           "Least severe diagnostics written; events are written at every level.",
           [](Target t) -> Slot { return &t.config->log.level; }, Reload::live},
    Option{"control.socket", Type::socket_path, {}, {},
           "Socket of durabilityctl, relative to store.runtime_directory.",
           [](Target t) -> Slot { return &t.config->control.socket; }},

    Option{"metrics.file", Type::optional_path, {}, {},
           "File to write metrics to, for the textfile collector of node_exporter.",
           [](Target t) -> Slot { return &t.config->metrics.file; }},
    Option{"metrics.interval", Type::duration, {second, hour}, {},
           "Time between two writings of metrics.file.",
           [](Target t) -> Slot { return &t.config->metrics.interval; }},
};
// clang-format on

}  // namespace

std::string_view name(Reload reload) {
    return reload == Reload::live ? "reload" : "restart";
}

std::span<const Option> options() {
    return rows;
}

const Option* find_option(std::string_view path) {
    const auto found = std::find_if(
        rows.begin(), rows.end(), [path](const Option& option) { return option.path == path; });
    return found == rows.end() ? nullptr : &*found;
}

bool is_section(std::string_view path) {
    return !names_below(path).empty();
}

std::vector<std::string_view> names_below(std::string_view section) {
    std::vector<std::string_view> names;
    for (const Option& option : rows) {
        std::string_view rest = option.path;
        if (!section.empty()) {
            const bool below = rest.size() > section.size() &&
                               rest.substr(0, section.size()) == section &&
                               rest[section.size()] == '.';
            if (!below) continue;
            rest.remove_prefix(section.size() + 1);
        }
        const auto name = rest.substr(0, rest.find_first_of(".["));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

}  // namespace durability::config
