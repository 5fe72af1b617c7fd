#include "support/recording_file_system.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>

namespace durability::test {
namespace {

using Kind = DiskOperation::Kind;

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

tl::unexpected<Error> not_there(std::string_view action, const std::string& path) {
    return fail(Errc::not_found, std::string(action) + " " + path, ENOENT);
}

void write_to(Buffer& content, std::uint64_t offset, ByteView bytes) {
    if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

struct RecordingFileSystem::State {
    std::mutex mutex;
    std::map<std::string, Inode> names;
    std::map<Inode, Buffer> contents;
    std::set<std::string> directories{""};
    std::vector<DiskOperation> operations;
    Inode last_inode{0};
};

namespace {

using State = RecordingFileSystem::State;

class RecordedFile final : public store::File {
  public:
    RecordedFile(std::shared_ptr<State> state, Inode inode)
        : state_(std::move(state)), inode_(inode) {}

    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
        const std::lock_guard lock(state_->mutex);
        const Buffer& content = state_->contents[inode_];
        if (offset >= content.size()) return std::size_t{0};
        const std::size_t count = std::min<std::size_t>(out.size(), content.size() - offset);
        std::memcpy(out.data(), content.data() + offset, count);
        return count;
    }
    Status write(std::uint64_t offset, ByteView bytes) override {
        const std::lock_guard lock(state_->mutex);
        write_to(state_->contents[inode_], offset, bytes);
        state_->operations.push_back(
            {Kind::write, inode_, {}, {}, offset, Buffer(bytes.begin(), bytes.end())});
        return {};
    }
    Status truncate(std::uint64_t size) override {
        const std::lock_guard lock(state_->mutex);
        state_->contents[inode_].resize(size);
        state_->operations.push_back({Kind::truncate, inode_, {}, {}, size, {}});
        return {};
    }
    Status sync() override {
        const std::lock_guard lock(state_->mutex);
        state_->operations.push_back({Kind::sync, inode_, {}, {}, 0, {}});
        return {};
    }
    Result<std::uint64_t> size() override {
        const std::lock_guard lock(state_->mutex);
        return std::uint64_t{state_->contents[inode_].size()};
    }

  private:
    std::shared_ptr<State> state_;
    Inode inode_;
};

struct FreeLease final : store::Lease {
    bool is_in_place() override { return true; }
};

}  // namespace

RecordingFileSystem::RecordingFileSystem() : state_(std::make_shared<State>()) {}
RecordingFileSystem::~RecordingFileSystem() = default;

const std::vector<DiskOperation>& RecordingFileSystem::operations() const {
    return state_->operations;
}

Result<std::shared_ptr<store::File>> RecordingFileSystem::open(const std::string& path,
                                                               store::OpenMode mode) {
    const std::lock_guard lock(state_->mutex);
    auto found = state_->names.find(path);
    if (found == state_->names.end()) {
        if (mode != store::OpenMode::create || !state_->directories.contains(parent_of(path)))
            return not_there("open", path);
        const Inode inode = ++state_->last_inode;
        found = state_->names.emplace(path, inode).first;
        state_->operations.push_back({Kind::create, inode, path, {}, 0, {}});
    } else if (mode == store::OpenMode::create) {
        state_->contents[found->second].clear();
        state_->operations.push_back({Kind::truncate, found->second, {}, {}, 0, {}});
    }
    return std::shared_ptr<store::File>(std::make_shared<RecordedFile>(state_, found->second));
}

Result<std::vector<store::DirectoryEntry>> RecordingFileSystem::list(const std::string& directory) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->directories.contains(directory)) return not_there("list", directory);
    std::vector<store::DirectoryEntry> entries;
    for (const auto& [path, inode] : state_->names) {
        if (parent_of(path) == directory)
            entries.push_back({path.substr(directory.size() + 1), store::FileKind::regular});
    }
    for (const std::string& path : state_->directories) {
        if (!path.empty() && parent_of(path) == directory)
            entries.push_back({path.substr(directory.size() + 1), store::FileKind::directory});
    }
    std::ranges::sort(entries, {}, &store::DirectoryEntry::name);
    return entries;
}

Status RecordingFileSystem::make_directory(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->directories.contains(parent_of(path))) return not_there("make", path);
    if (state_->directories.insert(path).second)
        state_->operations.push_back({Kind::make_directory, 0, path, {}, 0, {}});
    return {};
}

Status RecordingFileSystem::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->names.find(from);
    if (found == state_->names.end()) return not_there("rename", from);
    const Inode inode = found->second;
    state_->names.erase(found);
    state_->names[to] = inode;
    state_->operations.push_back({Kind::rename, inode, from, to, 0, {}});
    return {};
}

Status RecordingFileSystem::remove(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->names.find(path);
    if (found == state_->names.end()) return not_there("remove", path);
    state_->operations.push_back({Kind::remove, found->second, path, {}, 0, {}});
    state_->names.erase(found);
    return {};
}

Status RecordingFileSystem::remove_directory(const std::string& path) {
    return fail(Errc::internal, "remove directory " + path + ": the store removes none");
}

Status RecordingFileSystem::sync_directory(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    state_->operations.push_back(
        {Kind::sync_directory, 0, path == "." ? std::string() : path, {}, 0, {}});
    return {};
}

Result<std::uint64_t> RecordingFileSystem::free_bytes(const std::string&) {
    return std::uint64_t{1} << 40U;
}

Result<std::unique_ptr<store::Lease>> RecordingFileSystem::lock(const std::string&) {
    return std::unique_ptr<store::Lease>(std::make_unique<FreeLease>());
}

// --- disks ---

std::uint64_t Disk::digest() const {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&hash](const auto& bytes) {
        for (const auto octet : bytes)
            hash = (hash ^ static_cast<std::uint8_t>(octet)) * 0x100000001b3ULL;
        hash = (hash ^ bytes.size()) * 0x100000001b3ULL;
    };
    for (const auto& [path, content] : files) {
        mix(path);
        mix(content);
    }
    for (const std::string& path : directories)
        mix(path);
    return hash;
}

DiskModel::DiskModel() : durable_directories_{""} {}

void DiskModel::apply_name(std::map<std::string, Inode>& names,
                           std::set<std::string>& directories,
                           const DiskOperation& operation) {
    switch (operation.kind) {
        case Kind::create:
            names[operation.path] = operation.inode;
            return;
        case Kind::remove:
            names.erase(operation.path);
            return;
        case Kind::rename:
            names.erase(operation.path);
            names[operation.to] = operation.inode;
            return;
        case Kind::make_directory:
            directories.insert(operation.path);
            return;
        case Kind::write:
        case Kind::truncate:
        case Kind::sync:
        case Kind::sync_directory:
            return;
    }
}

void DiskModel::apply(const DiskOperation& operation) {
    switch (operation.kind) {
        case Kind::write:
        case Kind::truncate:
            files_[operation.inode].since.push_back(operation);
            return;
        case Kind::sync: {
            File& file = files_[operation.inode];
            file.durable = content(file, DataFate::kept, 0);
            file.since.clear();
            return;
        }
        case Kind::sync_directory: {
            Folder& folder = folders_[operation.path];
            for (const DiskOperation& change : folder.since)
                apply_name(folder.durable, durable_directories_, change);
            folder.since.clear();
            return;
        }
        case Kind::create:
        case Kind::rename:
        case Kind::remove:
        case Kind::make_directory:
            folders_[parent_of(operation.path)].since.push_back(operation);
            return;
    }
}

Buffer DiskModel::content(const File& file, DataFate fate, std::uint64_t seed) {
    const auto applied = [&](std::size_t skip) {
        Buffer bytes = file.durable;
        for (std::size_t i = 0; i < file.since.size(); ++i) {
            const DiskOperation& change = file.since[i];
            if (change.kind == Kind::truncate) {
                bytes.resize(change.offset);
            } else if (i == skip) {
                write_to(bytes, change.offset, Buffer(change.bytes.size(), 0));
            } else {
                write_to(bytes, change.offset, change.bytes);
            }
        }
        return bytes;
    };
    constexpr auto nothing = static_cast<std::size_t>(-1);
    if (file.since.empty() || fate == DataFate::lost) return file.durable;
    if (fate == DataFate::hole) return applied(0);
    Buffer all = applied(nothing);
    if (fate == DataFate::kept) return all;
    if (fate == DataFate::size_only) {
        Buffer bytes = file.durable;
        bytes.resize(all.size());
        return bytes;
    }
    const DiskOperation& last = file.since.back();
    if (fate == DataFate::half_last) {
        if (last.kind == Kind::truncate) return all;
        const std::size_t keep = last.offset + last.bytes.size() / 2;
        const std::size_t old = std::min(file.durable.size(), all.size());
        all.resize(std::max(std::min(keep, all.size()), old));
        return all;
    }
    std::mt19937_64 random(seed);
    constexpr std::size_t block = 128;
    const std::size_t low = std::min(file.durable.size(), all.size());
    const std::size_t high = std::max(file.durable.size(), all.size());
    Buffer bytes(low + random() % (high - low + 1));
    for (std::size_t at = 0; at < bytes.size(); at += block) {
        const auto choice = random() % 3;
        for (std::size_t i = at; i < std::min(at + block, bytes.size()); ++i) {
            const std::uint8_t before = i < file.durable.size() ? file.durable[i] : std::uint8_t{0};
            const std::uint8_t after = i < all.size() ? all[i] : std::uint8_t{0};
            // What is the same in both is on disk.
            const bool same = i < file.durable.size() && i < all.size() && before == after;
            bytes[i] = same || choice == 0 ? before : choice == 1 ? after : std::uint8_t{0};
        }
    }
    return bytes;
}

Disk DiskModel::after_power_cut(DataFate data, NameFate names, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    Disk disk;
    disk.directories = durable_directories_;
    std::map<std::string, Inode> all;
    for (const auto& [path, folder] : folders_) {
        std::map<std::string, Inode> here = folder.durable;
        const std::size_t count = names == NameFate::lost   ? 0
                                  : names == NameFate::kept ? folder.since.size()
                                                            : random() % (folder.since.size() + 1);
        for (std::size_t i = 0; i < folder.since.size(); ++i) {
            const bool reached = names == NameFate::any ? random() % 2 == 0 : i < count;
            if (reached) apply_name(here, disk.directories, folder.since[i]);
        }
        all.insert(here.begin(), here.end());
    }
    for (const auto& [path, inode] : all) {
        if (!disk.directories.contains(parent_of(path))) continue;
        const auto file = files_.find(inode);
        disk.files[path] =
            file == files_.end() ? Buffer{} : content(file->second, data, seed + inode);
    }
    // A folder goes with the one it is in.
    std::erase_if(disk.directories, [&](const std::string& path) {
        return !path.empty() && !disk.directories.contains(parent_of(path));
    });
    return disk;
}

}  // namespace durability::test
