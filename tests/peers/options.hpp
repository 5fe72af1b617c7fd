// The command line both peers understand, word for word the same, so that a test names a vendor and
// nothing else changes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace peer {

enum class Command {
    publish,
    subscribe
};
enum class Durability {
    volatile_kind,
    transient_local,
    transient,
    persistent
};
enum class HistoryKind {
    keep_last,
    keep_all
};
enum class LivelinessKind {
    automatic,
    manual_by_participant,
    manual_by_topic
};
enum class AccessScope {
    instance,
    topic,
    group
};
enum class Representation {
    vendor_default,
    xcdr1,
    xcdr2
};

struct History {
    HistoryKind kind{HistoryKind::keep_all};
    std::int32_t depth{1};
};

struct DurabilityService {
    History history;
    std::int32_t max_samples{-1};  // -1: unlimited, here and below
    std::int32_t max_instances{-1};
    std::int32_t max_samples_per_instance{-1};
    double cleanup_delay_s{0};  // infinity() for never
};

struct Options {
    Command command{Command::publish};

    std::uint32_t domain{0};
    std::string topic{"peers/topic"};
    std::string type{"unkeyed"};
    std::string type_name;        // announced; empty: the type's own
    bool key_hashes{false};       // Cyclone DDS only: GenerateKeyhash, unless CYCLONEDDS_URI is set
    bool type_information{true};  // false, Cyclone DDS only: endpoints do not describe their type
    Durability durability{Durability::volatile_kind};
    bool reliable{true};
    std::vector<std::string> partitions;
    History history;
    Representation representation{Representation::vendor_default};
    bool exclusive{false};
    std::int32_t ownership_strength{0};
    bool by_source{false};
    std::string user_data;
    std::string topic_data;
    std::string group_data;
    std::optional<std::chrono::milliseconds> deadline;
    LivelinessKind liveliness{LivelinessKind::automatic};
    std::optional<std::chrono::milliseconds> liveliness_lease;
    AccessScope access_scope{AccessScope::instance};
    bool ordered_access{false};
    std::optional<std::chrono::milliseconds> lifespan;
    std::optional<std::chrono::milliseconds> latency_budget;
    std::optional<DurabilityService> durability_service;
    std::string persistence_guid;  // Fast DDS only; empty: a random one
    std::string persistence_file;  // Fast DDS only; needed for TRANSIENT
    bool autodispose{true};
    bool loopback{true};
    std::string address;  // of the one interface to use; empty: loopback, or the vendor's choice
    std::uint64_t seed{1};
    std::chrono::milliseconds timeout{30'000};
    bool quiet{false};
    bool bench{false};

    // pub
    std::uint32_t count{0};
    std::vector<std::uint32_t> sizes{100};
    std::uint32_t keys{1};  // ids are first_key + seq % keys
    std::uint32_t first_key{0};
    double rate_hz{0};
    std::uint32_t start_seq{1};
    std::int32_t wait_matched{1};
    std::uint32_t dispose_every{0};
    std::uint32_t unregister_every{0};
    bool batch{false};
    std::uint32_t burst{0};  // bursts of so many without end, each waited for
    std::string ops;

    // sub
    std::uint64_t expect{0};
    std::chrono::milliseconds settle{300};
    bool stay{false};
    bool lazy{false};  // nothing is taken before the end
    std::uint32_t readers{1};
    std::chrono::milliseconds reader_delay{0};
    bool one_by_one{false};  // the next reader only when the one before has what it expects
    std::vector<Durability> reader_durability;
    std::uint32_t joins{0};
    std::chrono::milliseconds join_delay_max{0};
    std::uint64_t join_seed{1};
    bool on_request{false};  // a join for each order from stdin
    bool report_states{false};
    std::string expect_states;
};

// The exit status of both programs.
inline constexpr int exit_ok = 0;
inline constexpr int exit_short = 1;        // timed out, or fewer samples than expected
inline constexpr int exit_usage = 2;        // the command line makes no sense
inline constexpr int exit_unsupported = 3;  // this vendor cannot do it
inline constexpr int exit_middleware = 4;   // the DDS implementation refused

// Reads the command line. On a mistake (or --help) prints a message and ends the process.
Options parse_options(int argc, char** argv);

}  // namespace peer
