// What the rows of store_bench share.
#pragma once

#include "model/group.hpp"
#include "store/posix_file_system.hpp"
#include "store/store.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace durability::store::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Setup {
    std::string directory;
    std::int64_t samples{1'000'000};
    std::size_t payload{104};
    std::size_t runs{3};
    std::vector<std::size_t> logs{5'000, 20'000};
};

// The system's files without the syncs, for what would otherwise wait for the disk half a minute
// before it can be measured; and with writes that fail, for as long as wanted.
class QuickFileSystem final : public FileSystem {
  public:
    bool refusing{false};

    Result<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) override;
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) override {
        return files_.list(directory);
    }
    Status make_directory(const std::string& path) override { return files_.make_directory(path); }
    Status rename(const std::string& from, const std::string& to) override {
        return files_.rename(from, to);
    }
    Status remove(const std::string& path) override { return files_.remove(path); }
    Status remove_directory(const std::string& path) override {
        return files_.remove_directory(path);
    }
    Status sync_directory(const std::string& /*path*/) override { return {}; }
    Result<std::uint64_t> free_bytes(const std::string& path) override {
        return files_.free_bytes(path);
    }
    Result<std::unique_ptr<Lease>> lock(const std::string& path) override {
        return files_.lock(path);
    }

  private:
    PosixFileSystem files_;
};

[[nodiscard]] double median(std::vector<double> values);
// `share` 0 to 1; reorders the values.
[[nodiscard]] double percentile(std::vector<double>& values, double share);

[[nodiscard]] Contract keep_last(std::uint64_t depth);

// Removes the directory with everything in it.
void clear(const std::string& directory);

// Ends the program with a message when the store does not open.
[[nodiscard]] std::unique_ptr<Store> open_store(FileSystem& files,
                                                const Setup& setup,
                                                SyncPolicy sync,
                                                std::uint64_t segment_bytes = 64ULL << 20U);
[[nodiscard]] GroupHandle open_topic(Store& store,
                                     const std::string& name,
                                     const Contract& contract,
                                     bool keyed = false);

// Brings to the disk what waits for it; false when nothing did.
bool sync(Store& store, bool interval_due = false);
// The same with the rewriting that is due, until nothing is left of either.
void finish_work(Store& store);

// One group commit: what a turn of the store thread does with a batch, on one thread.
void commit(Store& store, AppendBatch batch, bool interval_due = false);

struct ReadFiles {
    std::uint64_t files{0};
    std::uint64_t bytes{0};
    double seconds{0};
};
// Reads and checksums every byte of every file below `directory`.
[[nodiscard]] ReadFiles read_and_checksum(const std::string& directory);

void append_rows(const Setup& setup);
void recovery_rows(const Setup& setup);
void compaction_rows(const Setup& setup);
void many_logs_rows(const Setup& setup);
void memory_row(const Setup& setup);

}  // namespace durability::store::bench
