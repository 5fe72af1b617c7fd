// The configuration as values, every default visible. How it is written in YAML:
// durabilityd.yaml(5).
#pragma once

#include "durability/contract.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace durability {

// Every limit: finite by default, refuses before anything changes (semantics.md, section 11).
struct Limits {
    std::uint64_t remote_participants{1'000};
    std::uint64_t remote_writers{20'000};
    std::uint64_t remote_readers{20'000};
    std::uint64_t served_groups{5'000};
    std::uint64_t matches{100'000};
    std::uint64_t partitions_per_endpoint{64};
    std::uint64_t partition_length{256};
    std::uint64_t string_length{1'024};
    std::uint64_t sample_size{16ULL << 20U};
    std::uint64_t fragments_per_sample{65'536};
    std::uint64_t assemblies{256};
    std::uint64_t assembly_bytes{256ULL << 20U};
    std::uint64_t reorder_samples_per_writer{4'096};
    std::uint64_t reorder_bytes{128ULL << 20U};
    std::uint64_t coherent_sets{1'000};              // being received at once
    std::uint64_t coherent_set_bytes{16ULL << 20U};  // of one of them
    std::uint64_t coherent_bytes{128ULL << 20U};     // of all of them
    std::uint64_t uncommitted_bytes{64ULL << 20U};   // received and waiting for the disk
    std::uint64_t total_samples{10'000'000};
    std::uint64_t total_bytes_disk{16ULL << 30U};
    std::uint64_t reserve_disk{128ULL << 20U};  // left to others on the file system of the store
    std::uint64_t total_bytes_memory{256ULL << 20U};
    std::uint64_t retired_writers{10'000};
    std::uint64_t frontiers{20'000};
    std::uint64_t type_lookups{4'096};        // types being asked for at once
    std::uint64_t type_bytes{256ULL << 10U};  // of the descriptions of a topic's type
    std::uint64_t repair_retries{20};
    std::uint64_t open_files{512};
};

enum class SyncPolicy : std::uint8_t {
    commit,
    interval,
    none
};
enum class ShutdownMode : std::uint8_t {
    stay,
    goodbye
};
enum class SpdpVendor : std::uint8_t {
    own,
    cyclonedds
};
enum class LogLevel : std::uint8_t {
    error,
    warning,
    info,
    debug,
    trace
};

// The weakest offered durability a rule serves.
enum class ServeKind : std::uint8_t {
    transient_local,
    transient,
    persistent,
    never
};
enum class StorageChoice : std::uint8_t {
    automatic,
    disk,
    memory
};
enum class KeyedChoice : std::uint8_t {
    automatic,
    yes,
    no
};

// As sched_setscheduler(2): SCHED_OTHER, SCHED_FIFO, SCHED_RR.
enum class ThreadPolicy : std::uint8_t {
    other,
    fifo,
    rr
};

// How one of the service's threads is scheduled. What is not set stays as it was when the service
// was started. Only in builds with DURABILITYD_RT (has_realtime(), version.hpp).
struct ThreadSettings {
    std::optional<ThreadPolicy> policy;
    std::optional<std::uint64_t> priority;  // 1 to 99, with fifo and rr
    std::vector<std::uint32_t> cpus;        // by number; empty: not set
    friend bool operator==(const ThreadSettings&, const ThreadSettings&) = default;
    [[nodiscard]] bool empty() const { return *this == ThreadSettings{}; }
};

// Which fields of a rule's contract were written; the others come from the next source in line.
struct ContractOverride {
    std::optional<ContractHistory> history;
    std::optional<std::uint64_t> depth;
    std::optional<std::uint64_t> max_samples;
    std::optional<std::uint64_t> max_instances;
    std::optional<std::uint64_t> max_samples_per_instance;
    std::optional<std::chrono::nanoseconds> cleanup_delay;
    std::optional<ContractScope> scope;
    std::optional<std::uint64_t> max_bytes;
    std::optional<std::chrono::nanoseconds> max_age;
    friend bool operator==(const ContractOverride&, const ContractOverride&) = default;
    [[nodiscard]] bool empty() const { return *this == ContractOverride{}; }
};

struct TopicRule {
    std::string topic{"*"};  // globs as fnmatch(3)
    std::string type{"*"};
    std::string partition{"*"};
    // The same two as they were written, where that was in the way of ROS 2: "/tf_static",
    // "tf2_msgs/msg/TFMessage".
    std::optional<std::string> ros_topic;
    std::optional<std::string> ros_type;
    ServeKind serve{ServeKind::transient};
    StorageChoice storage{StorageChoice::automatic};
    KeyedChoice keyed{KeyedChoice::automatic};
    // Where the key is when nothing else tells: the members a sample begins with, such as "int32",
    // or "skip int32" for one that is not of the key. Empty: auto.
    std::vector<std::string> key;
    ContractOverride contract;
    std::string origin;  // file:line, for messages
    friend bool operator==(const TopicRule&, const TopicRule&) = default;
};

struct Config {
    std::vector<std::uint32_t> domains{0};
    struct Network {
        std::vector<std::string> interfaces;  // names or addresses; empty: see durabilityd.yaml(5)
        bool multicast{true};
        std::vector<std::string> peers;                // "10.0.0.7" or "10.0.0.7:7410"
        std::optional<std::uint16_t> port_base{7400};  // nothing: auto
    } network;
    struct Store {
        std::string directory{"/var/lib/durabilityd"};
        std::string runtime_directory{"/run/durabilityd"};
        SyncPolicy sync{SyncPolicy::commit};
        std::chrono::nanoseconds sync_interval{std::chrono::milliseconds{100}};
    } store;
    Contract default_contract;
    std::vector<TopicRule> topics;
    ShutdownMode shutdown{ShutdownMode::stay};
    std::chrono::nanoseconds network_lease{std::chrono::seconds{30}};
    struct Replay {
        std::chrono::nanoseconds handover_window{std::chrono::seconds{2}};
        std::uint64_t max_rate{unlimited};  // bytes per second over all late readers
        std::uint64_t priority{0};          // among the daemons of a domain
    } replay;
    struct Cleanup {
        std::chrono::nanoseconds interval{std::chrono::seconds{30}};
    } cleanup;
    struct Compatibility {
        SpdpVendor spdp_vendor{SpdpVendor::own};
    } compatibility;
    Limits limits;
    struct Threads {
        ThreadSettings loop;   // the protocol; the loop of a program that runs the service itself
        ThreadSettings store;  // one for each domain
        ThreadSettings sync;   // likewise
        ThreadSettings cleanup;
    } threads;
    struct Log {
        LogLevel level{LogLevel::info};
    } log;
    struct Control {
        std::string socket{"control.sock"};  // relative to store.runtime_directory
    } control;
    struct Metrics {
        std::string file;  // empty: none is written
        std::chrono::nanoseconds interval{std::chrono::seconds{15}};
    } metrics;
};

}  // namespace durability
