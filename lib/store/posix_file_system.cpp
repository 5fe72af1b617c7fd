#include "store/posix_file_system.hpp"

#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace durability::store {
namespace {

// The system takes at most about 2 GiB in one call; a round number below that.
constexpr std::size_t max_transfer = 1U << 30U;

Errc code_of(int reason) {
    switch (reason) {
        case ENOENT:
        case ENOTDIR:
            return Errc::not_found;
        case EACCES:
        case EPERM:
        case EROFS:
            return Errc::permission;
        default:
            return Errc::io;
    }
}

tl::unexpected<Error> failed(std::string_view action, const std::string& path, int reason) {
    return fail(code_of(reason), fmt::format("{} {}", action, path), reason);
}

class PosixFile final : public File {
  public:
    PosixFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
        std::size_t done = 0;
        while (done < out.size()) {
            const std::size_t want = std::min(out.size() - done, max_transfer);
            const ssize_t got =
                ::pread(fd_.get(), out.data() + done, want, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failed("read", path_, errno);
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    Status write(std::uint64_t offset, ByteView bytes) override {
        std::size_t done = 0;
        while (done < bytes.size()) {
            const std::size_t want = std::min(bytes.size() - done, max_transfer);
            const ssize_t put =
                ::pwrite(fd_.get(), bytes.data() + done, want, static_cast<off_t>(offset + done));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return failed("write", path_, errno);
            if (put == 0) return failed("write", path_, ENOSPC);
            done += static_cast<std::size_t>(put);
        }
        return {};
    }

    Status truncate(std::uint64_t size) override {
        while (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
            if (errno != EINTR) return failed("truncate", path_, errno);
        }
        return {};
    }

    Status sync() override {
        // Not repeated on EINTR or anything else: see File::sync.
        if (::fdatasync(fd_.get()) != 0) return failed("sync", path_, errno);
        return {};
    }

    Result<std::uint64_t> size() override {
        struct stat info {};
        if (::fstat(fd_.get(), &info) != 0) return failed("stat", path_, errno);
        return static_cast<std::uint64_t>(info.st_size);
    }

  private:
    UniqueFd fd_;
    std::string path_;
};

class PosixLease final : public Lease {
  public:
    PosixLease(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {
        known_ = ::fstat(fd_.get(), &locked_) == 0;
    }

    bool is_in_place() override {
        struct stat named {};
        if (!known_) return true;
        return ::lstat(path_.c_str(), &named) == 0 && named.st_dev == locked_.st_dev &&
               named.st_ino == locked_.st_ino;
    }

  private:
    UniqueFd fd_;  // the lock lives exactly as long as the descriptor
    std::string path_;
    struct stat locked_ {};
    bool known_{false};
};

std::string holder_of(int fd) {
    std::array<char, 24> text{};
    const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
    long pid = 0;
    if (got > 0) std::from_chars(text.data(), text.data() + got, pid);
    return pid > 0 ? fmt::format("held by process {}", pid) : "held by another process";
}

FileKind kind_of(const struct dirent& entry, int directory_fd) {
    if (entry.d_type == DT_REG) return FileKind::regular;
    if (entry.d_type == DT_DIR) return FileKind::directory;
    if (entry.d_type != DT_UNKNOWN) return FileKind::other;
    struct stat info {};
    if (::fstatat(directory_fd, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return FileKind::other;
    if (S_ISREG(info.st_mode)) return FileKind::regular;
    return S_ISDIR(info.st_mode) ? FileKind::directory : FileKind::other;
}

}  // namespace

bool is_unreadable(const Error& error) {
    return error.sys_errno == EACCES || error.sys_errno == EPERM || error.sys_errno == EIO ||
           error.sys_errno == ELOOP;
}

Result<std::shared_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
    int flags = O_CLOEXEC | O_NOFOLLOW;
    switch (mode) {
        case OpenMode::read_only:
            flags |= O_RDONLY;
            break;
        case OpenMode::read_write:
            flags |= O_RDWR;
            break;
        case OpenMode::create:
            flags |= O_RDWR | O_CREAT | O_TRUNC;
            break;
    }
    int fd = -1;
    do {
        fd = ::open(path.c_str(), flags, 0640);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return failed("open", path, errno);
    return std::shared_ptr<File>(std::make_shared<PosixFile>(UniqueFd(fd), path));
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::list(const std::string& directory) {
    DIR* const stream = ::opendir(directory.c_str());
    if (stream == nullptr) return failed("list", directory, errno);
    std::vector<DirectoryEntry> entries;
    errno = 0;
    // One stream, one thread: the thread-safety note on readdir is about shared streams.
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    while (const struct dirent* entry = ::readdir(stream)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") {
            entries.push_back({std::string(name), kind_of(*entry, ::dirfd(stream))});
        }
        errno = 0;
    }
    const int reason = errno;
    ::closedir(stream);
    if (reason != 0) return failed("list", directory, reason);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    return entries;
}

Status PosixFileSystem::make_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0750) == 0) return {};
    const int reason = errno;
    struct stat info {};
    if (reason == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return failed("make directory", path, reason == EEXIST ? ENOTDIR : reason);
}

Status PosixFileSystem::rename(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return failed("rename " + from + " to", to, errno);
    return {};
}

Status PosixFileSystem::remove(const std::string& path) {
    if (::unlink(path.c_str()) != 0) return failed("remove", path, errno);
    return {};
}

Status PosixFileSystem::remove_directory(const std::string& path) {
    if (::rmdir(path.c_str()) != 0) return failed("remove directory", path, errno);
    return {};
}

Status PosixFileSystem::sync_directory(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return failed("open directory", path, errno);
    if (::fsync(fd.get()) != 0) return failed("sync directory", path, errno);
    return {};
}

Result<std::uint64_t> PosixFileSystem::free_bytes(const std::string& path) {
    struct statvfs found {};
    if (::statvfs(path.c_str(), &found) != 0) return failed("look at", path, errno);
    return std::uint64_t{found.f_bavail} * found.f_frsize;
}

Result<std::unique_ptr<Lease>> PosixFileSystem::lock(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
    if (!fd) return failed("open", path, errno);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        const int reason = errno;
        if (reason != EWOULDBLOCK) return failed("lock", path, reason);
        return fail(Errc::in_use, fmt::format("lock {}: {}", path, holder_of(fd.get())));
    }
    // The pid is only information for the refusal of others; the lock is what counts.
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd.get(), 0) != 0) return failed("truncate", path, errno);
    if (::pwrite(fd.get(), pid.data(), pid.size(), 0) < 0) return failed("write", path, errno);
    return std::unique_ptr<Lease>(std::make_unique<PosixLease>(std::move(fd), path));
}

}  // namespace durability::store
