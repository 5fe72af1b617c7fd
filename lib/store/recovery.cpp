// Opening the two folders of a domain: leases, records, and the group folders found there.
#include "store/catalog.hpp"
#include "store/group_meta.hpp"
#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

namespace durability::store {
namespace {

// The metadata of a group as a file holds it: the meta file, or a log whose first frame says the
// same.
class MetaSink final : public FrameSink {
  public:
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        if (header.kind != FrameKind::group) return true;
        auto decoded = decode_group_meta(body);
        if (!decoded) return false;
        if (!meta) meta = std::move(decoded);
        return true;
    }
    std::optional<GroupMeta> meta;
};

struct FoundMeta {
    std::optional<GroupMeta> meta;
    ScanResult scan;
    bool exists{false};
};

Result<FoundMeta> read_meta(FileSystem& files, const std::string& path, std::uint64_t max_body) {
    FoundMeta found;
    auto file = files.open(path, OpenMode::read_only);
    if (!file) {
        if (file.error().code == Errc::not_found) return found;
        return tl::unexpected(std::move(file.error()));
    }
    found.exists = true;
    MetaSink sink;
    auto scan = scan_file(**file, max_body, sink);
    if (!scan) return tl::unexpected(std::move(scan.error()));
    found.scan = *scan;
    found.meta = std::move(sink.meta);
    return found;
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// A folder that was just made is on disk before anything in it is relied on.
Status make_directories(FileSystem& files, const std::string& path) {
    const auto there = files.list(path);
    if (there || there.error().code != Errc::not_found) {
        return there ? Status{} : Status(tl::unexpected(there.error()));
    }
    const std::string parent = parent_of(path);
    if (parent != "." && parent != "/") {
        if (auto above = make_directories(files, parent); !above) return above;
    }
    if (auto made = files.make_directory(path); !made) return made;
    return files.sync_directory(parent);
}

}  // namespace

Result<std::optional<GroupMeta>> StoreCore::find_meta(const std::string& folder,
                                                      const GroupHash& hash,
                                                      StorageKind storage,
                                                      Out& out) {
    const auto fits = [&](const std::optional<GroupMeta>& meta) {
        return meta && meta->storage == storage && hash_of(meta->key) == hash;
    };
    const std::string path = join(folder, layout::meta);
    auto own = read_meta(files, path, max_body_size(0));
    std::string own_reason = "metadata cannot be used";
    if (!own) {
        if (!is_unreadable(own.error())) return tl::unexpected(std::move(own.error()));
        own_reason = own.error().text();
        own = FoundMeta{};
        own->exists = true;
    }
    if (own->exists && own->scan.verdict == TailVerdict::newer) {
        return fail(Errc::version, fmt::format("read {}: {}", path, own->scan.reason));
    }
    if (own->scan.verdict == TailVerdict::clean && fits(own->meta)) return std::move(own->meta);

    // Each log says whose it is. Without logs there is nothing to lose; the next writer makes it
    // anew.
    auto entries = files.list(folder);
    if (!entries) {
        if (!is_unreadable(entries.error())) return tl::unexpected(std::move(entries.error()));
        report(out,
               EventKind::CorruptLog,
               {{"file", folder},
                {"reason", entries.error().text()},
                {"action", "folder left as it is"}});
        return std::optional<GroupMeta>{};
    }
    std::optional<GroupMeta> restored;
    bool any_log = false;
    for (const DirectoryEntry& entry : *entries) {
        if (entry.kind == FileKind::regular && is_leftover(entry.name) && !read_only) {
            std::ignore = files.remove(join(folder, entry.name));
        }
        if (entry.kind != FileKind::regular || !parse_log_name(entry.name) || restored) continue;
        any_log = true;
        auto from_log =
            read_meta(files, join(folder, entry.name), max_body_size(options.limits.sample_size));
        if (from_log && fits(from_log->meta)) restored = std::move(from_log->meta);
    }
    if (own->exists || any_log) {
        report(out,
               EventKind::CorruptLog,
               {{"file", path},
                {"offset", std::to_string(own->scan.good_end)},
                {"reason", own->exists ? own_reason : std::string("metadata is missing")},
                {"action", restored ? "restored from a log" : "folder left as it is"}});
    }
    if (restored && own->exists && !read_only) {
        if (auto moved = set_aside(folder, std::string(layout::meta)); !moved) {
            return tl::unexpected(std::move(moved.error()));
        }
    }
    return restored;
}

Status StoreCore::recover_folder(const std::string& parent,
                                 StorageKind storage,
                                 const Progress& progress,
                                 Out& out) {
    if (parent.empty()) return {};  // a reader that looks at the other folder only
    auto entries = files.list(parent);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    std::size_t done = 0;
    for (const DirectoryEntry& entry : *entries) {
        if (progress)
            progress(fmt::format("recovering {}: {} of {}", parent, ++done, entries->size()));
        const std::string path = join(parent, entry.name);
        const std::string_view name = entry.name;
        const auto hash = parse_group_folder(name);
        if (entry.kind != FileKind::directory || !hash) {
            const bool ours =
                name == layout::lease || name == layout::records || is_set_aside(name);
            if (ours && entry.kind == FileKind::regular) continue;
            if (is_leftover(name) && entry.kind == FileKind::regular) {
                if (!read_only) std::ignore = files.remove(path);
                continue;
            }
            report(out, EventKind::ForeignFile, {{"file", path}});
            continue;
        }
        auto meta = find_meta(path, *hash, storage, out);
        if (!meta) return tl::unexpected(std::move(meta.error()));
        if (!*meta) continue;
        auto group = std::make_unique<Group>();
        group->handle = static_cast<GroupHandle>(groups.size());
        group->meta = std::move(**meta);
        group->hash = *hash;
        group->folder = path;
        if (by_key.contains(group->meta.key)) {
            // The same topic once on disk and once in memory: the disk, read first, is served.
            report(out,
                   EventKind::ForeignFile,
                   {{"file", path}, {"reason", "topic is stored elsewhere"}});
            continue;
        }
        if (!read_only) {
            // What was restored from a log is written again.
            const auto own = files.open(join(path, layout::meta), OpenMode::read_only);
            if (!own && own.error().code == Errc::not_found) {
                if (auto saved = save_meta(*group); !saved) return saved;
            }
        }
        group->on_record = true;
        group->loaded = !options.load_later;
        by_key.emplace(group->meta.key, group->handle);
        groups.push_back(std::move(group));
        Group& added = *groups.back();
        if (options.load_later) {
            if (auto readable = check_versions(path); !readable) return readable;
            loading.push_back(added.handle);
            ++found_groups;
        } else if (auto loaded = recover_group(added, out); !loaded) {
            return loaded;
        }
    }
    return {};
}

Status StoreCore::recover_group(Group& group, Out& out) {
    return GroupLoader(*this, group).load(out);
}

StoreCore::StoreCore(FileSystem& file_system, StoreOptions store_options)
    : files(file_system), options(std::move(store_options)) {}
StoreCore::~StoreCore() = default;

Status StoreCore::check_versions(const std::string& folder) {
    auto entries = files.list(folder);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    std::array<std::uint8_t, file_header_size> bytes{};
    for (const DirectoryEntry& entry : *entries) {
        if (entry.kind != FileKind::regular || !parse_log_name(entry.name)) continue;
        const std::string path = join(folder, entry.name);
        // What cannot be read is reported when it is to be loaded.
        auto file = files.open(path, OpenMode::read_only);
        const auto got = file ? (*file)->read(0, bytes) : Result<std::size_t>(0);
        FileHeader header;
        if (got && decode_file_header({bytes.data(), *got}, header) == HeaderVerdict::newer)
            return fail(Errc::version, fmt::format("read {}: written by a newer version", path));
    }
    return {};
}

void StoreCore::load_first(GroupHandle handle) {
    const auto at = std::ranges::find(loading, handle);
    // The one that is being read is read to its end.
    const auto front = loading.begin() + (loader ? 1 : 0);
    if (at == loading.end() || at <= front) return;
    // Behind those that are waited for already.
    const auto place = std::find_if(
        front, at, [this](GroupHandle other) { return groups[other]->opening.empty(); });
    loading.erase(at);
    loading.insert(place, handle);
}

void StoreCore::load_slice(Out& out) {
    Group& group = *groups[loading.front()];
    const auto failed = [&](Error error) {
        load_failed = true;
        loader.reset();
        loading.clear();
        out.push_back(LoadProgress{0, found_groups, tl::unexpected(std::move(error))});
    };
    if (!loader) loader = std::make_unique<GroupLoader>(*this, group);
    auto complete = loader->step(out);
    if (!complete) return failed(std::move(complete.error()));
    if (!*complete) return;
    loader.reset();
    loading.pop_front();
    group.loaded = true;
    out.push_back(LoadProgress{found_groups - loading.size(), found_groups, {}});
    for (const OpenGroup& waiting : std::exchange(group.opening, {}))
        open_group(waiting, out);
}

Result<std::string> StoreCore::set_aside(const std::string& folder, const std::string& name) {
    auto entries = files.list(folder);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    const auto is_taken = [&](const std::string& wanted) {
        return std::any_of(entries->begin(), entries->end(), [&](const DirectoryEntry& entry) {
            return entry.name == wanted;
        });
    };
    const std::string target = join(folder, free_corrupt_name(name, is_taken));
    if (auto moved = files.rename(join(folder, name), target); !moved) {
        return tl::unexpected(std::move(moved.error()));
    }
    if (auto synced = files.sync_directory(folder); !synced) {
        return tl::unexpected(std::move(synced.error()));
    }
    return target;
}

Status StoreCore::recover_records(Out& out) {
    ScanResult scan;
    auto opened = records.open(files, options.disk_directory, scan);
    if (opened && scan.verdict == TailVerdict::torn) {
        report(out,
               EventKind::TornTailTruncated,
               {{"file", records.path()},
                {"offset", std::to_string(scan.good_end)},
                {"bytes", std::to_string(scan.file_size - scan.good_end)},
                {"reason", std::string(scan.reason)}});
    }
    if (!opened && opened.error().code == Errc::corrupt) {
        if (scan.verdict == TailVerdict::newer) {
            return fail(
                Errc::version,
                fmt::format(
                    "read {}: {} at offset {}", records.path(), scan.reason, scan.good_end));
        }
        auto target = set_aside(options.disk_directory, std::string(layout::records));
        if (!target) return tl::unexpected(std::move(target.error()));
        report(out,
               EventKind::CorruptLog,
               {{"file", records.path()},
                {"offset", std::to_string(scan.good_end)},
                {"reason", std::string(scan.reason)},
                {"moved_to", *target}});
        opened = records.open(files, options.disk_directory, scan);
    }
    if (!opened) return opened;
    const auto ceiling = records.table().find({RecordKind::store, Buffer{'a'}});
    if (ceiling != records.table().end() && ceiling->second.size() == 8) {
        for (unsigned i = 0; i < 8; ++i) {
            arrival_ceiling |= std::uint64_t{ceiling->second[i]} << (8 * i);
        }
        next_arrival = std::max(next_arrival, arrival_ceiling);
    }
    return {};
}

Status StoreCore::take_leases() {
    for (const std::string& folder : {options.disk_directory, options.memory_directory}) {
        if (auto made = make_directories(files, folder); !made) return made;
    }
    auto disk = files.lock(join(options.disk_directory, layout::lease));
    if (!disk) return tl::unexpected(std::move(disk.error()));
    auto memory = files.lock(join(options.memory_directory, layout::lease));
    if (!memory) return tl::unexpected(std::move(memory.error()));
    disk_lease = std::move(*disk);
    memory_lease = std::move(*memory);
    return {};
}

Status StoreCore::recover(const Progress& progress, Out& out) {
    if (!read_only) {
        if (auto done = recover_records(out); !done) return done;
    }
    if (auto done = recover_folder(options.disk_directory, StorageKind::disk, progress, out);
        !done) {
        return done;
    }
    return recover_folder(options.memory_directory, StorageKind::memory, progress, out);
}

}  // namespace durability::store
