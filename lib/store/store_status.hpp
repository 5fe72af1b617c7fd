// What the store holds, as a value: for status, topics, writers and metrics.
#pragma once

#include "model/group.hpp"
#include "model/sample.hpp"
#include "model/status.hpp"

#include <cstdint>
#include <vector>

namespace durability::store {

struct ListedInstance;

struct WriterStatus {
    Guid source_writer;
    std::uint64_t retained{0};
    std::uint64_t payload_bytes{0};  // of retained samples
    SequenceNumber appended;         // greatest number ever stored
    // Greatest number known to be safe on the topic's medium: after an fdatasync, or, in a memory
    // folder, after the write. Never ahead of `appended`; under SyncPolicy::none it moves only when
    // a log is rewritten.
    SequenceNumber synced;
    bool retired{false};
    WallTime expires{WallTime::max()};  // meaningful when retired; max(): never
};

struct GroupStatus {
    GroupHandle handle{0};
    GroupMeta meta;
    std::uint64_t retained{0};
    std::uint64_t instances{0};
    std::uint64_t payload_bytes{0};
    std::uint64_t disk_bytes{0};      // size of all files of the group
    std::uint64_t dead_bytes{0};      // of these, frames no longer retained
    std::uint64_t compacting{0};      // logs that wait to be rewritten, or are
    std::uint64_t appended{0};        // samples stored since start
    std::uint64_t duplicates{0};      // samples not stored because they already were, since start
    std::uint64_t evicted{0};         // since start
    std::uint64_t rejected{0};        // refused at a limit, since start
    std::vector<LimitCount> refused;  // the same, by limit
    bool degraded{false};
    std::vector<WriterStatus> writers;
};

struct StoreStatus {
    std::vector<GroupStatus> groups;
    std::uint64_t retained{0};
    std::uint64_t disk_bytes{0};    // files in the disk folder
    std::uint64_t memory_bytes{0};  // files in the memory folder
    std::uint64_t records{0};
    std::uint64_t retired_writers{0};
    std::uint64_t open_files{0};
    std::uint64_t syncs{0};  // since start
    std::uint64_t failed_syncs{0};
    std::uint64_t compactions{0};
    Arrival last_arrival{0};
};

// What the store alone knows of a topic and of a writer, in the form that status, topics and
// writers show; readers, liveness and losses are the service's to add. Pure.
[[nodiscard]] TopicStatus topic_status(const GroupStatus& group);
[[nodiscard]] durability::WriterStatus writer_status(const GroupStatus& group,
                                                     const WriterStatus& writer);

// `key`: the readable form, where there is one.
[[nodiscard]] InstanceStatus instance_status(const GroupMeta& meta,
                                             const ListedInstance& instance,
                                             std::string key);

}  // namespace durability::store
