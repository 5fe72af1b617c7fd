#include "store/repair.hpp"

#include "store/group_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

namespace durability::store {
namespace {

// The last value of each key in what is whole of a records file.
class TableSink final : public FrameSink {
  public:
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        if (header.kind == FrameKind::commit) return true;
        auto record = decode_record(header, body);
        if (!record) return false;
        const RecordFile::Key key{record->kind, std::move(record->key)};
        if (header.kind == FrameKind::record) {
            table[key] = std::move(record->value);
        } else {
            table.erase(key);
        }
        return true;
    }
    RecordFile::Table table;
};

// Anything: whether a file that holds no samples can be used is asked, not what is in it.
struct AnySink final : FrameSink {
    bool on_frame(std::uint64_t, const FrameHeader&, ByteView) override { return true; }
};

class Repairer {
  public:
    Repairer(FileSystem& files, const RepairOptions& options)
        : options_(options), core_(files, store_options(options)) {
        core_.read_only = options.dry_run;
    }

    Result<RepairReport> run(StoreCore::Out& out, const OnWork& on_work);

  private:
    static StoreOptions store_options(const RepairOptions& options) {
        StoreOptions result;
        result.disk_directory = options.directory;
        result.limits.sample_size = options.sample_size;
        result.key_finders = options.key_finders;
        return result;
    }
    Status repair_groups(const OnWork& on_work);
    Status repair_records();
    Status repair_record_file(const std::string& name, const RecordFile::Table& present);
    Status look_at_folder(const std::string& folder, bool served);
    Status put_away(const std::string& folder, const std::string& name, RepairedFile& report);
    Result<Arrival> first_unknown_arrival();
    [[nodiscard]] Result<bool> is_usable(const std::string& path);

    const RepairOptions& options_;
    StoreCore core_;
    RepairReport report_;
};

Result<RepairReport> Repairer::run(StoreCore::Out& out, const OnWork& on_work) {
    if (!options_.dry_run) {
        auto lease = core_.files.lock(join(options_.directory, layout::lease));
        if (!lease) return tl::unexpected(lease.error());
        core_.disk_lease = std::move(*lease);
    }
    if (auto done = core_.recover({}, out); !done) return tl::unexpected(done.error());
    if (auto done = repair_records(); !done) return tl::unexpected(done.error());
    if (auto done = repair_groups(on_work); !done) return tl::unexpected(done.error());
    return std::move(report_);
}

// Numbers from here on were never given out, as far as the records can be trusted with that.
Result<Arrival> Repairer::first_unknown_arrival() {
    const auto entries = core_.files.list(options_.directory);
    if (!entries) return tl::unexpected(entries.error());
    const bool damaged = std::ranges::any_of(*entries, [](const DirectoryEntry& entry) {
        return is_set_aside(entry.name) && name_before(entry.name) == layout::records;
    });
    const bool known = core_.arrival_ceiling > 0 && !damaged;
    return known ? core_.arrival_ceiling : max_arrival;
}

Status Repairer::repair_groups(const OnWork& on_work) {
    const auto bound = first_unknown_arrival();
    if (!bound) return tl::unexpected(bound.error());
    std::vector<std::unique_ptr<GroupRepair>> repairs;
    WorkProgress work;
    for (const auto& group : core_.groups) {
        repairs.push_back(std::make_unique<GroupRepair>(core_, *group, options_.dry_run, *bound));
        const auto bytes = repairs.back()->measure();
        if (!bytes) return tl::unexpected(bytes.error());
        work.total += *bytes;
    }
    for (std::size_t i = 0; i < repairs.size(); ++i) {
        if (auto done = repairs[i]->read(on_work, work); !done) return done;
        if (auto done = repairs[i]->write(); !done) return done;
        const auto& files = repairs[i]->files();
        report_.files.insert(report_.files.end(), files.begin(), files.end());
        repairs[i].reset();
        if (auto done = look_at_folder(core_.groups[i]->folder, true); !done) return done;
    }
    // Folders without usable metadata: nobody can say what their samples are.
    const auto entries = core_.files.list(options_.directory);
    if (!entries) return tl::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
        const std::string path = join(options_.directory, entry.name);
        const bool served = std::ranges::any_of(
            core_.groups, [&](const auto& group) { return group->folder == path; });
        if (entry.kind != FileKind::directory || !parse_group_folder(entry.name) || served)
            continue;
        if (auto done = look_at_folder(path, false); !done) return done;
    }
    return {};
}

Result<bool> Repairer::is_usable(const std::string& path) {
    const auto file = core_.files.open(path, OpenMode::read_only);
    if (!file) return tl::unexpected(file.error());
    AnySink sink;
    const auto scanned = scan_file(**file, max_body_size(options_.sample_size), sink);
    if (!scanned) return tl::unexpected(scanned.error());
    return scanned->verdict == TailVerdict::clean;
}

// Metadata and checkpoints, and in a folder that is not served everything.
Status Repairer::look_at_folder(const std::string& folder, bool served) {
    const auto entries = core_.files.list(folder);
    if (!entries) return tl::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
        const bool aside = awaits_repair(entry.name);
        const std::string_view before = aside ? name_before(entry.name) : entry.name;
        const bool small = before == layout::meta || before == layout::checkpoint;
        if (entry.kind != FileKind::regular || (!aside && !small) || (served && !small)) continue;
        RepairedFile report;
        report.path = join(folder, entry.name);
        if (!aside) {
            const auto usable = is_usable(report.path);
            if (!usable) return tl::unexpected(usable.error());
            if (*usable) continue;
        }
        if (!served) {
            report.reason = "the folder's metadata is lost, and no whole log has it";
            report_.files.push_back(std::move(report));
            continue;
        }
        report.action = RepairAction::replaced;
        report.reason = before == layout::meta ? "restored from a log"
                                               : "what is kept was worked out from the logs";
        if (auto done = put_away(folder, entry.name, report); !done) return done;
        report_.files.push_back(std::move(report));
    }
    return {};
}

Status Repairer::put_away(const std::string& folder,
                          const std::string& name,
                          RepairedFile& report) {
    if (options_.dry_run) return {};
    const auto entries = core_.files.list(folder);
    if (!entries) return tl::unexpected(entries.error());
    const std::string target = free_repaired_name(name, [&](const std::string& wanted) {
        return std::ranges::any_of(
            *entries, [&](const DirectoryEntry& entry) { return entry.name == wanted; });
    });
    if (auto done = core_.files.rename(join(folder, name), join(folder, target)); !done)
        return done;
    report.moved_to = join(folder, target);
    return core_.files.sync_directory(folder);
}

Status Repairer::repair_records() {
    const auto entries = core_.files.list(options_.directory);
    if (!entries) return tl::unexpected(entries.error());
    RecordFile::Table present = core_.records.table();
    std::vector<std::string> damaged;
    for (const DirectoryEntry& entry : *entries) {
        if (entry.kind != FileKind::regular) continue;
        if (options_.dry_run && entry.name == layout::records) {
            const std::string path = join(options_.directory, entry.name);
            const auto file = core_.files.open(path, OpenMode::read_only);
            if (!file) return tl::unexpected(file.error());
            TableSink sink;
            const auto scanned = scan_file(**file, max_body_size(0), sink);
            if (!scanned) return tl::unexpected(scanned.error());
            if (scanned->verdict == TailVerdict::clean || scanned->verdict == TailVerdict::torn) {
                present = std::move(sink.table);
            } else {
                damaged.push_back(entry.name);
            }
        }
        if (awaits_repair(entry.name) && name_before(entry.name) == layout::records)
            damaged.push_back(entry.name);
    }
    for (const std::string& name : damaged) {
        if (auto done = repair_record_file(name, present); !done) return done;
        if (!options_.dry_run) present = core_.records.table();
    }
    return {};
}

Status Repairer::repair_record_file(const std::string& name, const RecordFile::Table& present) {
    RepairedFile report;
    report.path = join(options_.directory, name);
    const auto file = core_.files.open(report.path, OpenMode::read_only);
    if (!file) return tl::unexpected(file.error());
    TableSink sink;
    const auto result = salvage(**file, max_body_size(0), sink);
    if (!result) return tl::unexpected(result.error());
    report.bytes = result->file_size;
    report.unreadable = result->unreadable;
    report.found = sink.table.size();
    if (result->header_verdict == HeaderVerdict::newer) {
        report.reason = "written by a newer version";
        report_.files.push_back(std::move(report));
        return {};
    }
    for (const auto& [key, value] : sink.table) {
        // The daemon made itself another identity when it lost the old one; and the store's own
        // numbers are above the old ones already.
        if (present.contains(key) || key.first == RecordKind::store ||
            key.first == RecordKind::identity) {
            ++report.already;
            continue;
        }
        ++report.added;
        if (options_.dry_run) continue;
        if (auto done = core_.records.set(key.first, key.second, value); !done) return done;
    }
    if (!options_.dry_run) {
        if (auto done = core_.records.sync(); !done) return done;
    }
    report.action = report.added > 0 ? RepairAction::restored : RepairAction::nothing_added;
    if (auto done = put_away(options_.directory, name, report); !done) return done;
    report_.files.push_back(std::move(report));
    return {};
}

}  // namespace

std::string_view name(RepairAction action) {
    switch (action) {
        case RepairAction::restored:
            return "restored";
        case RepairAction::nothing_added:
            return "nothing to add";
        case RepairAction::replaced:
            return "replaced";
        case RepairAction::left:
            return "left";
    }
    return "?";
}

bool RepairReport::remains() const {
    return std::ranges::any_of(
        files, [](const RepairedFile& file) { return file.action == RepairAction::left; });
}

Result<RepairReport> repair(FileSystem& files,
                            const RepairOptions& options,
                            std::vector<Completion>& out,
                            const OnWork& on_work) {
    return Repairer(files, options).run(out, on_work);
}

}  // namespace durability::store
