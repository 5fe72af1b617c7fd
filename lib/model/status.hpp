// What a running service is doing, as values: one snapshot that `status`, `topics`, `writers`,
// `readers` and (later) metrics read. Taken on the loop thread; a copy, so nothing in it changes.
#pragma once

#include "durability/config.hpp"
#include "durability/contract.hpp"
#include "model/guid.hpp"
#include "model/qos.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace durability {

// Samples that a limit refused.
struct LimitCount {
    std::string limit;
    std::uint64_t samples{0};
    friend bool operator==(const LimitCount&, const LimitCount&) = default;
};

// How long something took, as metrics count it: how many took at most so long.
struct DurationHistogram {
    static constexpr std::array bounds{std::chrono::microseconds{500},
                                       std::chrono::microseconds{1'000},
                                       std::chrono::microseconds{2'500},
                                       std::chrono::microseconds{5'000},
                                       std::chrono::microseconds{10'000},
                                       std::chrono::microseconds{25'000},
                                       std::chrono::microseconds{50'000},
                                       std::chrono::microseconds{100'000},
                                       std::chrono::microseconds{250'000},
                                       std::chrono::microseconds{500'000},
                                       std::chrono::microseconds{1'000'000},
                                       std::chrono::microseconds{2'500'000},
                                       std::chrono::microseconds{10'000'000}};
    // By the first bound that is not below; the last place is for what is above all of them.
    std::array<std::uint64_t, bounds.size() + 1> counts{};
    std::chrono::nanoseconds sum{0};

    void add(std::chrono::nanoseconds took) {
        const auto* const at = std::lower_bound(bounds.begin(), bounds.end(), took);
        ++counts[static_cast<std::size_t>(at - bounds.begin())];
        sum += took;
    }
    friend bool operator==(const DurationHistogram&, const DurationHistogram&) = default;
};

// One served group (semantics.md, section 2). Names are raw text from the network.
struct TopicStatus {
    std::string topic;
    std::string type;
    bool keyed{false};
    std::vector<std::string> partitions;
    std::int16_t representation{0};  // 0: XCDR1, 1: XML, 2: XCDR2
    DurabilityKind durability{DurabilityKind::transient_local};
    StorageKind storage{StorageKind::disk};
    Contract contract;
    ContractSource contract_source{ContractSource::daemon_default};
    std::uint64_t retained_samples{0};
    std::uint64_t retained_bytes{0};  // payloads
    std::uint64_t disk_bytes{0};      // files, dead frames included
    std::uint64_t dead_bytes{0};      // of these, frames that are no longer retained
    std::uint64_t compacting{0};      // files that wait to be rewritten, or are
    std::uint64_t writers{0};         // known source writers, retired ones included
    std::uint64_t readers{0};         // matched readers now
    bool degraded{false};             // the store refuses or has refused; see the events
    std::uint64_t instances{0};       // of which something is retained
    // Since the start:
    std::uint64_t stored{0};      // samples
    std::uint64_t duplicates{0};  // received, and stored already
    std::uint64_t evicted{0};     // gave way to newer ones
    std::uint64_t replayed{0};    // handed to late readers, each time
    std::vector<LimitCount> refused;
};

// One source writer of a served group.
struct WriterStatus {
    std::string topic;
    std::string type;
    Guid guid;
    bool alive{false};    // discovered and within its lease
    bool retired{false};  // gone; its history waits for cleanup_delay
    // Four marks on the way of a sample, each a sequence number: received in order; written to the
    // files; known to be on the topic's medium; acknowledged, so that the writer may forget it. The
    // last two differ where the sync policy acknowledges before the disk does.
    std::int64_t received{0};
    std::int64_t appended{0};
    std::int64_t synced{0};
    std::int64_t committed{0};
    std::uint64_t lost{0};      // numbers the writer no longer had when they were asked for
    std::uint64_t rejected{0};  // refused by the contract or a limit
    std::uint64_t retained_samples{0};
    std::uint64_t retained_bytes{0};
};

// Samples of the writer that a power cut would take: received and not yet on the medium. Numbers
// that need no storing are not counted where the acknowledgement has passed them.
[[nodiscard]] constexpr std::uint64_t unsynced(const WriterStatus& writer) {
    const std::int64_t done = std::max(writer.committed, writer.appended);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, writer.received - done) +
                                      std::max<std::int64_t>(0, writer.appended - writer.synced));
}

// Samples that are kept and that a late reader is not to be sent, and why.
struct UnowedSamples {
    std::string why;
    std::uint64_t samples{0};
    friend bool operator==(const UnowedSamples&, const UnowedSamples&) = default;
};

// One remote reader that matches a served group.
struct ReaderStatus {
    std::string topic;
    std::string type;
    Guid guid;
    std::string vendor;  // "Cyclone DDS"
    DurabilityKind durability{DurabilityKind::volatile_};
    bool reliable{false};
    std::uint64_t owed{0};          // samples it was found entitled to
    std::uint64_t sent{0};          // of these, sent at least once
    std::uint64_t acknowledged{0};  // of these, acknowledged
    std::vector<UnowedSamples> not_owed;
    std::string state;   // "waiting", "replaying", "complete" or "unserved"
    std::string reason;  // what it waits for, or why it gets nothing
    std::string cure;    // what helps, where something does
};

struct DomainStatus {
    std::uint32_t domain{0};
    GuidPrefix ingest_prefix;
    GuidPrefix replay_prefix;
    std::uint64_t participants{0};  // remote ones
    std::uint64_t unsynced{0};      // of all its writers, also of those not listed here
    std::uint64_t disk_bytes{0};    // files, of topics on disk and of the daemon's own records
    std::uint64_t memory_bytes{0};  // files of topics in memory
    std::uint64_t queue_depth{0};   // commands that wait for the store
    std::uint64_t open_files{0};    // logs
    // Since the start:
    std::uint64_t datagrams_received{0};
    std::uint64_t datagrams_sent{0};
    std::uint64_t malformed{0};  // datagrams that could not be read to their end
    std::uint64_t failed_syncs{0};
    std::uint64_t compactions{0};
    DurationHistogram sync_times;
    std::vector<TopicStatus> topics;
    std::vector<WriterStatus> writers;
    std::vector<ReaderStatus> readers;
};

struct ServiceStatus {
    std::string version;
    std::int64_t pid{0};
    std::chrono::nanoseconds uptime{0};
    std::string store_directory;
    std::string runtime_directory;
    SyncPolicy sync{SyncPolicy::commit};
    std::chrono::nanoseconds sync_interval{0};  // meaningful with SyncPolicy::interval
    std::chrono::nanoseconds network_lease{0};  // a restart must take less
    std::chrono::nanoseconds started{0};        // since 1970-01-01 UTC
    std::chrono::nanoseconds recovery{0};       // from then until everything was served
    bool config_in_force{true};                 // the configuration that was read last was taken
    struct EventCount {
        std::string event;
        std::uint64_t count{0};  // since the start, those that were held back included
        friend bool operator==(const EventCount&, const EventCount&) = default;
    };
    std::vector<EventCount> events;
    std::vector<DomainStatus> domains;
};

// What `purge` did, over one domain or several.
struct PurgeOutcome {
    std::uint64_t groups{0};   // of that topic
    std::uint64_t samples{0};  // taken out
    bool writer_known{false};  // one of the groups has samples, or numbers, of that writer
    bool keyed{false};         // one of the groups has instances
    PurgeOutcome& operator+=(const PurgeOutcome& other) {
        groups += other.groups;
        samples += other.samples;
        writer_known = writer_known || other.writer_known;
        keyed = keyed || other.keyed;
        return *this;
    }
};

// One instance of a keyed topic of which something is retained.
struct InstanceStatus {
    std::uint32_t domain{0};
    std::string topic;
    std::string type;
    std::string key;       // for people; empty where the type of the topic is not known
    std::string key_hash;  // hexadecimal
    std::string state;  // "alive", "disposed", "no writers": as for a reader that was always there
    std::uint64_t samples{0};     // retained, with a value
    std::uint64_t operations{0};  // retained, without one
    std::vector<Guid> writers;    // of these
    std::int64_t received_ns{0};  // when the newest came
};

struct InstanceList {
    std::uint64_t groups{0};  // of that topic
    bool keyed{false};        // one of them has instances
    std::uint64_t total{0};   // however many are listed
    std::vector<InstanceStatus> instances;
    InstanceList& operator+=(const InstanceList& other) {
        groups += other.groups;
        keyed = keyed || other.keyed;
        total += other.total;
        instances.insert(instances.end(), other.instances.begin(), other.instances.end());
        return *this;
    }
};

// What `compact` began, and where it stood before.
struct CompactionOutcome {
    std::uint64_t groups{0};
    std::uint64_t files{0};  // will be rewritten or removed
    std::uint64_t disk_bytes{0};
    std::uint64_t dead_bytes{0};
    CompactionOutcome& operator+=(const CompactionOutcome& other) {
        groups += other.groups;
        files += other.files;
        disk_bytes += other.disk_bytes;
        dead_bytes += other.dead_bytes;
        return *this;
    }
};

}  // namespace durability
