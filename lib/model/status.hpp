// What a running service is doing, as values: one snapshot that `status`, `topics`, `writers`,
// `readers` and (later) metrics read. Taken on the loop thread; a copy, so nothing in it changes.
#pragma once

#include "durability/contract.hpp"
#include "model/guid.hpp"
#include "model/qos.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace durability {

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
    std::uint64_t writers{0};         // known source writers, retired ones included
    std::uint64_t readers{0};         // matched readers now
    bool degraded{false};             // the store refuses or has refused; see the events
};

// One source writer of a served group.
struct WriterStatus {
    std::string topic;
    std::string type;
    Guid guid;
    bool alive{false};          // discovered and within its lease
    bool retired{false};        // gone; its history waits for cleanup_delay
    std::int64_t received{0};   // greatest sequence number received in order
    std::int64_t committed{0};  // greatest sequence number safe under the sync policy
    std::uint64_t lost{0};      // numbers the writer no longer had when they were asked for
    std::uint64_t rejected{0};  // refused by the contract or a limit
    std::uint64_t retained_samples{0};
    std::uint64_t retained_bytes{0};
};

// One remote reader that matches a served group.
struct ReaderStatus {
    std::string topic;
    std::string type;
    Guid guid;
    DurabilityKind durability{DurabilityKind::volatile_};
    bool reliable{false};
    std::uint64_t owed{0};          // samples it was found entitled to
    std::uint64_t sent{0};          // of these, sent at least once
    std::uint64_t acknowledged{0};  // of these, acknowledged
    std::string state;              // "waiting", "replaying", "complete", or why it gets nothing
};

struct DomainStatus {
    std::uint32_t domain{0};
    GuidPrefix ingest_prefix;
    GuidPrefix replay_prefix;
    std::uint64_t participants{0};  // remote ones
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
    std::vector<DomainStatus> domains;
};

}  // namespace durability
