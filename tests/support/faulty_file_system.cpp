#include "support/faulty_file_system.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace durability::test {
namespace {

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// A file's content now, and as far as it is on disk. A name holds a node; so does the disk's idea
// of that name, which a directory sync brings up to date.
struct Node {
    Buffer live;
    Buffer durable;
    // A sync failed: the pages count as clean from then on, and later syncs say yes and do nothing.
    bool pages_dropped{false};
};
using Names = std::map<std::string, std::shared_ptr<Node>>;

}  // namespace

struct FaultyFileSystem::State {
    mutable std::mutex mutex;
    Names live;
    Names durable;
    std::set<std::string> directories{""};
    std::set<std::string> durable_directories{""};
    std::set<std::string> locked;
    std::uint64_t free{1ULL << 40U};
    bool displaced{false};
    std::map<std::string, std::pair<int, bool>> unreadable;

    [[nodiscard]] int refusal(const std::string& path, bool at_reading) const {
        const auto found = unreadable.find(path);
        return found != unreadable.end() && found->second.second == at_reading ? found->second.first
                                                                               : 0;
    }
    std::uint64_t calls{0};
    std::map<Call, std::uint64_t> calls_of;
    std::uint64_t generation{1};  // files and locks of an earlier run are dead
    std::uint64_t fail_number{0};
    bool fail_onwards{false};
    int fail_reason{0};
    std::map<Call, int> fail_kinds;
    std::uint64_t off_at{0};

    // The errno with which this call fails; zero when it works.
    int next(Call kind) {
        ++calls;
        ++calls_of[kind];
        if (off_at != 0 && calls >= off_at) return EIO;
        if (fail_number != 0 && (calls == fail_number || (fail_onwards && calls > fail_number))) {
            return fail_reason;
        }
        const auto found = fail_kinds.find(kind);
        return found == fail_kinds.end() ? 0 : found->second;
    }
    [[nodiscard]] bool off() const { return off_at != 0 && calls >= off_at; }
};

namespace {

using State = FaultyFileSystem::State;

tl::unexpected<Error> refused(std::string_view action, const std::string& path, int reason) {
    const Errc code = reason == ENOENT   ? Errc::not_found
                      : reason == EACCES ? Errc::permission
                                         : Errc::io;
    return fail(code, std::string(action) + " " + path, reason);
}

class FaultyFile final : public store::File {
  public:
    FaultyFile(std::shared_ptr<State> state, std::shared_ptr<Node> node, std::string path)
        : state_(std::move(state)),
          node_(std::move(node)),
          path_(std::move(path)),
          generation_(state_->generation) {}

    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
        const std::lock_guard lock(state_->mutex);
        if (const int reason = next(Call::read)) return refused("read", path_, reason);
        if (const int reason = state_->refusal(path_, true)) return refused("read", path_, reason);
        if (offset >= node_->live.size()) return std::size_t{0};
        const std::size_t count = std::min<std::size_t>(out.size(), node_->live.size() - offset);
        std::memcpy(out.data(), node_->live.data() + offset, count);
        return count;
    }
    Status write(std::uint64_t offset, ByteView bytes) override {
        const std::lock_guard lock(state_->mutex);
        const int reason = next(Call::write);
        if (reason != 0 && (state_->off() || stale())) return refused("write", path_, reason);
        // What does not work works half: the worst a short write can leave.
        const std::size_t count = reason != 0 ? bytes.size() / 2 : bytes.size();
        if (node_->live.size() < offset + count) node_->live.resize(offset + count);
        if (count > 0) std::memcpy(node_->live.data() + offset, bytes.data(), count);
        if (reason != 0) return refused("write", path_, reason);
        return {};
    }
    Status truncate(std::uint64_t size) override {
        const std::lock_guard lock(state_->mutex);
        if (const int reason = next(Call::truncate)) return refused("truncate", path_, reason);
        node_->live.resize(size);
        return {};
    }
    Status sync() override {
        const std::lock_guard lock(state_->mutex);
        if (const int reason = next(Call::sync)) {
            node_->pages_dropped = true;
            return refused("sync", path_, reason);
        }
        if (!node_->pages_dropped) node_->durable = node_->live;
        return {};
    }
    Result<std::uint64_t> size() override {
        const std::lock_guard lock(state_->mutex);
        if (const int reason = next(Call::size)) return refused("size", path_, reason);
        return std::uint64_t{node_->live.size()};
    }

  private:
    [[nodiscard]] bool stale() const { return generation_ != state_->generation; }
    int next(Call kind) { return stale() ? EIO : state_->next(kind); }

    std::shared_ptr<State> state_;
    std::shared_ptr<Node> node_;
    std::string path_;
    std::uint64_t generation_;
};

class FaultyLease final : public store::Lease {
  public:
    FaultyLease(std::shared_ptr<State> state, std::string path)
        : state_(std::move(state)), path_(std::move(path)), generation_(state_->generation) {}
    bool is_in_place() override {
        const std::lock_guard lock(state_->mutex);
        return !state_->displaced;
    }
    ~FaultyLease() override {
        const std::lock_guard lock(state_->mutex);
        if (generation_ == state_->generation) state_->locked.erase(path_);
    }

  private:
    std::shared_ptr<State> state_;
    std::string path_;
    std::uint64_t generation_;
};

// What a power cut may leave of content that was not synced: for each block the old, the new or
// zeros, and any length between.
Buffer mangle(const Buffer& durable, const Buffer& live, std::mt19937_64& random) {
    constexpr std::size_t block = 64;
    const std::size_t low = std::min(durable.size(), live.size());
    const std::size_t high = std::max(durable.size(), live.size());
    Buffer result(low + random() % (high - low + 1));
    for (std::size_t at = 0; at < result.size(); at += block) {
        const std::size_t end = std::min(at + block, result.size());
        const auto choice = random() % 3;
        for (std::size_t i = at; i < end; ++i) {
            const std::uint8_t old_byte = i < durable.size() ? durable[i] : std::uint8_t{0};
            const std::uint8_t new_byte = i < live.size() ? live[i] : std::uint8_t{0};
            // A byte that is the same in both is on disk.
            const bool same = i < durable.size() && i < live.size() && old_byte == new_byte;
            result[i] = same          ? old_byte
                        : choice == 0 ? old_byte
                        : choice == 1 ? new_byte
                                      : std::uint8_t{0};
        }
    }
    return result;
}

}  // namespace

FaultyFileSystem::FaultyFileSystem() : state_(std::make_shared<State>()) {}
FaultyFileSystem::~FaultyFileSystem() = default;

Result<std::shared_ptr<store::File>> FaultyFileSystem::open(const std::string& path,
                                                            store::OpenMode mode) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::open)) return refused("open", path, reason);
    if (const int reason = state_->refusal(path, false)) return refused("open", path, reason);
    auto found = state_->live.find(path);
    if (found == state_->live.end()) {
        if (mode != store::OpenMode::create || !state_->directories.contains(parent_of(path))) {
            return refused("open", path, ENOENT);
        }
        found = state_->live.emplace(path, std::make_shared<Node>()).first;
    } else if (mode == store::OpenMode::create) {
        found->second->live.clear();
    }
    return std::shared_ptr<store::File>(std::make_shared<FaultyFile>(state_, found->second, path));
}

Result<std::vector<store::DirectoryEntry>> FaultyFileSystem::list(const std::string& directory) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::list)) return refused("list", directory, reason);
    if (!state_->directories.contains(directory)) return refused("list", directory, ENOENT);
    std::vector<store::DirectoryEntry> entries;
    for (const auto& [path, node] : state_->live) {
        if (parent_of(path) == directory) {
            entries.push_back({path.substr(directory.size() + 1), store::FileKind::regular});
        }
    }
    for (const std::string& path : state_->directories) {
        if (!path.empty() && parent_of(path) == directory) {
            entries.push_back({path.substr(directory.size() + 1), store::FileKind::directory});
        }
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    return entries;
}

Status FaultyFileSystem::make_directory(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::make_directory)) return refused("make", path, reason);
    if (!state_->directories.contains(parent_of(path))) return refused("make", path, ENOENT);
    state_->directories.insert(path);
    return {};
}

Status FaultyFileSystem::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::rename)) return refused("rename", from, reason);
    const auto found = state_->live.find(from);
    if (found == state_->live.end()) return refused("rename", from, ENOENT);
    auto node = found->second;
    state_->live.erase(found);
    state_->live[to] = std::move(node);
    return {};
}

Status FaultyFileSystem::remove(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::remove)) return refused("remove", path, reason);
    if (state_->live.erase(path) == 0) return refused("remove", path, ENOENT);
    return {};
}

Status FaultyFileSystem::remove_directory(const std::string& path) {
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::remove)) return refused("remove", path, reason);
    state_->directories.erase(path);
    return {};
}

Status FaultyFileSystem::sync_directory(const std::string& directory) {
    const std::string path = directory == "." ? std::string() : directory;
    const std::lock_guard lock(state_->mutex);
    if (const int reason = state_->next(Call::sync_directory)) return refused("sync", path, reason);
    for (auto at = state_->durable.begin(); at != state_->durable.end();) {
        const bool gone = parent_of(at->first) == path && !state_->live.contains(at->first);
        at = gone ? state_->durable.erase(at) : std::next(at);
    }
    for (const auto& [name, node] : state_->live) {
        if (parent_of(name) == path) state_->durable[name] = node;
    }
    for (const std::string& name : state_->directories) {
        if (parent_of(name) == path) state_->durable_directories.insert(name);
    }
    return {};
}

Result<std::uint64_t> FaultyFileSystem::free_bytes(const std::string&) {
    const std::lock_guard lock(state_->mutex);
    return state_->free;
}

void FaultyFileSystem::make_unreadable(const std::string& path, int reason, bool at_reading) {
    const std::lock_guard lock(state_->mutex);
    if (reason == 0) {
        state_->unreadable.erase(path);
    } else {
        state_->unreadable[path] = {reason, at_reading};
    }
}

void FaultyFileSystem::set_displaced(bool displaced) {
    const std::lock_guard lock(state_->mutex);
    state_->displaced = displaced;
}

void FaultyFileSystem::set_free_bytes(std::uint64_t free) {
    const std::lock_guard lock(state_->mutex);
    state_->free = free;
}

Result<std::unique_ptr<store::Lease>> FaultyFileSystem::lock(const std::string& path) {
    const std::lock_guard guard(state_->mutex);
    if (const int reason = state_->next(Call::lock)) return refused("lock", path, reason);
    if (!state_->directories.contains(parent_of(path))) return refused("lock", path, ENOENT);
    if (!state_->locked.insert(path).second) {
        return fail(Errc::in_use, "lock " + path + ": held by another process");
    }
    state_->live.try_emplace(path, std::make_shared<Node>());
    return std::unique_ptr<store::Lease>(std::make_unique<FaultyLease>(state_, path));
}

std::uint64_t FaultyFileSystem::calls() const {
    const std::lock_guard lock(state_->mutex);
    return state_->calls;
}

std::uint64_t FaultyFileSystem::calls(Call kind) const {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->calls_of.find(kind);
    return found == state_->calls_of.end() ? 0 : found->second;
}

void FaultyFileSystem::fail_at(std::uint64_t number, int reason, bool onwards) {
    const std::lock_guard lock(state_->mutex);
    state_->fail_number = number;
    state_->fail_reason = reason;
    state_->fail_onwards = onwards;
}

void FaultyFileSystem::fail_all(Call kind, std::optional<int> reason) {
    const std::lock_guard lock(state_->mutex);
    if (reason) {
        state_->fail_kinds[kind] = *reason;
    } else {
        state_->fail_kinds.erase(kind);
    }
}

void FaultyFileSystem::power_off_at(std::uint64_t number) {
    const std::lock_guard lock(state_->mutex);
    state_->off_at = number;
}

void FaultyFileSystem::restart(PowerCut cut, std::uint64_t seed) {
    const std::lock_guard lock(state_->mutex);
    std::mt19937_64 random(seed);
    Names names = state_->live;
    if (cut == PowerCut::drop_unsynced) {
        names = state_->durable;
        state_->directories = state_->durable_directories;
    } else if (cut == PowerCut::mangle) {
        // Any change of a name may have reached the disk or not.
        std::set<std::string> all;
        for (const auto& [name, node] : state_->live)
            all.insert(name);
        for (const auto& [name, node] : state_->durable)
            all.insert(name);
        names.clear();
        for (const std::string& name : all) {
            const auto now = state_->live.find(name);
            const auto then = state_->durable.find(name);
            const bool take_new = random() % 2 == 0;
            const auto& from = take_new ? now : then;
            if (from != (take_new ? state_->live.end() : state_->durable.end()))
                names[name] = from->second;
        }
        // A rename is atomic: what is moved has the old name or the new one.
        const auto has = [](const Names& in, const std::shared_ptr<Node>& node) {
            return std::ranges::any_of(in, [&](const auto& item) { return item.second == node; });
        };
        for (const auto& [name, node] : state_->durable) {
            if (has(state_->live, node) && !has(names, node)) names.try_emplace(name, node);
        }
        for (const std::string& directory : state_->durable_directories) {
            state_->directories.insert(directory);
        }
    }
    Names fresh;
    for (const auto& [name, node] : names) {
        Buffer bytes = cut == PowerCut::keep_everything ? node->live
                       : cut == PowerCut::drop_unsynced ? node->durable
                                                        : mangle(node->durable, node->live, random);
        fresh[name] = std::make_shared<Node>(Node{bytes, bytes, false});
    }
    // Names in directories that are not there any more went with them.
    std::erase_if(fresh, [&](const auto& item) {
        return !state_->directories.contains(parent_of(item.first));
    });
    state_->live = fresh;
    state_->durable = fresh;
    state_->durable_directories = state_->directories;
    state_->locked.clear();
    ++state_->generation;
    state_->fail_number = 0;
    state_->fail_kinds.clear();
    state_->off_at = 0;
    state_->calls = 0;
}

std::optional<Buffer> FaultyFileSystem::content(const std::string& path) const {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->live.find(path);
    if (found == state_->live.end()) return std::nullopt;
    return found->second->live;
}

void FaultyFileSystem::put(const std::string& path, Buffer content) {
    const std::lock_guard lock(state_->mutex);
    state_->live[path] = std::make_shared<Node>(Node{content, content, false});
    state_->durable[path] = state_->live[path];
}

std::vector<std::string> FaultyFileSystem::files() const {
    const std::lock_guard lock(state_->mutex);
    std::vector<std::string> result;
    for (const auto& [path, node] : state_->live)
        result.push_back(path);
    return result;
}

std::uint64_t FaultyFileSystem::total_bytes() const {
    const std::lock_guard lock(state_->mutex);
    std::uint64_t total = 0;
    for (const auto& [path, node] : state_->live)
        total += node->live.size();
    return total;
}

}  // namespace durability::test
