// What a SyncJob carries. Private to the store.
#pragma once

#include "store/chore.hpp"
#include "store/log_file.hpp"
#include "store/store.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace durability::store {

struct SyncJob::Impl {
    struct Item {
        LogId log{0};
        std::uint64_t serial{0};
        GroupHandle group{0};
        std::shared_ptr<File> file;
        std::uint64_t length{0};
        SequenceNumber through;  // of the log's writer
        Status outcome{};
    };
    // New names in it; without them its files are not to be found after a power cut.
    struct Folder {
        GroupHandle group{0};
        std::string path;
    };

    FileSystem* files{nullptr};
    std::vector<Item> items;
    std::vector<Folder> folders;
    std::vector<Chore> chores;
    std::shared_ptr<File> records;
    std::uint64_t records_size{0};
    Status records_outcome{};
    std::vector<std::uint64_t> record_tickets;
    std::vector<std::pair<GroupHandle, std::vector<Committed::Mark>>> marks;
    std::vector<std::pair<GroupHandle, std::vector<Event>>> reports;
    std::vector<GroupHandle> healing;
    // The first error of each group in this job.
    std::map<GroupHandle, Error> failed;
    std::set<GroupHandle> lost_folders;  // whose folder could not be synced

    [[nodiscard]] bool is_empty() const {
        return items.empty() && folders.empty() && chores.empty() && !records;
    }
};

}  // namespace durability::store
