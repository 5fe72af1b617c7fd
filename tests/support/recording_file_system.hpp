// A file system in memory that writes down every change, and the disks that a power cut after any
// of them may leave.
#pragma once

#include "store/file_system.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace durability::test {

using Inode = std::uint32_t;

// One change, or one promise of the disk.
struct DiskOperation {
    enum class Kind : std::uint8_t {
        create,  // a new inode under a name
        write,
        truncate,
        sync,  // of a file
        make_directory,
        rename,
        remove,
        sync_directory
    };
    Kind kind{Kind::write};
    Inode inode{0};
    std::string path;
    std::string to;
    std::uint64_t offset{0};  // of a write; the size of a truncate
    Buffer bytes;
};

class RecordingFileSystem final : public store::FileSystem {
  public:
    RecordingFileSystem();
    ~RecordingFileSystem() override;

    Result<std::shared_ptr<store::File>> open(const std::string& path,
                                              store::OpenMode mode) override;
    Result<std::vector<store::DirectoryEntry>> list(const std::string& directory) override;
    Status make_directory(const std::string& path) override;
    Status rename(const std::string& from, const std::string& to) override;
    Status remove(const std::string& path) override;
    Status remove_directory(const std::string& path) override;
    Status sync_directory(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
    Result<std::unique_ptr<store::Lease>> lock(const std::string& path) override;

    [[nodiscard]] const std::vector<DiskOperation>& operations() const;

    struct State;

  private:
    std::shared_ptr<State> state_;
};

// What a file system may make of content that was not synced.
enum class DataFate : std::uint8_t {
    lost,       // nothing of it
    kept,       // all of it
    size_only,  // the new length, zeros in it
    half_last,  // all but the second half of the last write
    hole,       // all but the first write, zeros instead
    random,     // for each block the old, the new or zeros; any length between
};
// And of names.
enum class NameFate : std::uint8_t {
    lost,
    kept,
    random,  // so many of the changes, in their order, for each folder
    any,     // any of the changes, as a file system without a journal may
};

struct Disk {
    std::map<std::string, Buffer> files;
    std::set<std::string> directories;
    [[nodiscard]] std::uint64_t digest() const;
};

// Follows the record, one operation after the other, and makes disks at each point.
class DiskModel {
  public:
    DiskModel();
    void apply(const DiskOperation& operation);
    [[nodiscard]] Disk after_power_cut(DataFate data, NameFate names, std::uint64_t seed) const;

  private:
    struct File {
        Buffer durable;
        std::vector<DiskOperation> since;  // writes and truncates since the last sync
    };
    struct Folder {
        std::map<std::string, Inode> durable;  // full paths
        std::vector<DiskOperation> since;
    };
    static void apply_name(std::map<std::string, Inode>& names,
                           std::set<std::string>& directories,
                           const DiskOperation& operation);
    [[nodiscard]] static Buffer content(const File& file, DataFate fate, std::uint64_t seed);

    std::map<Inode, File> files_;
    std::map<std::string, Folder> folders_;
    std::set<std::string> durable_directories_;
};

}  // namespace durability::test
