// The calls the store makes on the operating system, as an interface: tests put an unreliable
// machine behind it (tests/support/faulty_file_system.hpp). Paths are absolute or relative to the
// process; errors carry Errc::io, not_found, permission or in_use, the errno and the path.
#pragma once

#include "base/bytes.hpp"
#include "durability/error.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace durability::store {

// One open file. read, write and truncate belong to one thread; sync may run on another thread at
// the same time (fdatasync covers at least what was written before it began).
class File {
  public:
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    virtual ~File() = default;

    // Fills `out` from `offset`; fewer bytes only at the end of the file.
    virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) = 0;
    // All bytes, or an error after which any part of them may have been written.
    virtual Status write(std::uint64_t offset, ByteView bytes) = 0;
    virtual Status truncate(std::uint64_t size) = 0;
    // Content and size reach the disk. After an error what was written since the last success must
    // be taken for lost: the kernel may have dropped the pages and will not report that again.
    virtual Status sync() = 0;
    virtual Result<std::uint64_t> size() = 0;
};

// Trouble with one file (no right to read it, bad sectors, a symbolic link), not with the whole
// disk or the process: the others may be had.
[[nodiscard]] bool is_unreadable(const Error& error);

// An exclusive lock that lasts as long as this object, and never longer than the process.
class Lease {
  public:
    Lease() = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    virtual ~Lease() = default;
    // The path still leads to the file that is locked: false when somebody moved, removed or
    // replaced the folder underneath. Never waits for the disk.
    [[nodiscard]] virtual bool is_in_place() = 0;
};

enum class OpenMode : std::uint8_t {
    read_only,
    read_write,  // must exist
    create,      // read and write; made when missing, emptied when present
};

enum class FileKind : std::uint8_t {
    regular,
    directory,
    other
};

struct DirectoryEntry {
    std::string name;
    FileKind kind{FileKind::other};
};

// Used by several threads: the store's own, and the one that syncs.
class FileSystem {
  public:
    FileSystem() = default;
    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;
    virtual ~FileSystem() = default;

    virtual Result<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
    // Without "." and "..", sorted by name.
    virtual Result<std::vector<DirectoryEntry>> list(const std::string& directory) = 0;
    // Succeeds when it already is a directory; the parent must exist.
    virtual Status make_directory(const std::string& path) = 0;
    // Replaces `to` atomically.
    virtual Status rename(const std::string& from, const std::string& to) = 0;
    virtual Status remove(const std::string& path) = 0;
    // An empty directory.
    virtual Status remove_directory(const std::string& path) = 0;
    // Names made, replaced or removed in it are on disk.
    virtual Status sync_directory(const std::string& path) = 0;
    // Octets that may still be written to the file system `path` is on.
    virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
    // Takes the lock without waiting and writes the process id into the file. Errc::in_use names
    // the path and, where the file says so, the holder's pid.
    virtual Result<std::unique_ptr<Lease>> lock(const std::string& path) = 0;
};

}  // namespace durability::store
