#include "store/verify.hpp"

#include "store/group_meta.hpp"
#include "store/layout.hpp"
#include "store/record_file.hpp"

#include <charconv>

namespace durability::store {
namespace {

// Understands each frame and keeps only what the report wants.
class CheckingSink final : public FrameSink {
  public:
    bool on_frame(std::uint64_t, const FrameHeader& header, ByteView body) override {
        switch (header.kind) {
            case FrameKind::sample: {
                SampleFrame frame;
                if (!decode_sample(header.flags, body, frame)) return false;
                // Arrival numbers ascend within a file; recovery relies on it.
                if (frame.arrival <= last_arrival) return false;
                last_arrival = frame.arrival;
                ++samples;
                return true;
            }
            case FrameKind::commit:
                return decode_commit(body).has_value();
            case FrameKind::set:
                return decode_set(body).has_value();
            case FrameKind::marks:
                return decode_marks(body).has_value();
            case FrameKind::expiry:
                return decode_expiry(body).has_value();
            case FrameKind::group: {
                const auto meta = decode_group_meta(body);
                if (meta) topic = meta->key.topic;
                return meta.has_value();
            }
            case FrameKind::checkpoint:
                return true;
            case FrameKind::checkpoint_end:
                return body.size() == 16;
            case FrameKind::record:
            case FrameKind::record_erased:
                return decode_record(header, body).has_value();
        }
        return false;
    }
    std::uint64_t samples{0};
    Arrival last_arrival{0};
    std::string topic;
};

class Verifier {
  public:
    Verifier(FileSystem& files, std::uint64_t sample_size, const OnWork& on_work)
        : files_(files), sample_size_(sample_size), on_work_(on_work) {}

    // What there is to read, for whoever watches; a file that cannot be opened is reported later.
    void measure(const std::string& folder, unsigned depth) {
        const auto entries = files_.list(folder);
        if (!entries) return;
        for (const DirectoryEntry& entry : *entries) {
            const std::string path = join(folder, entry.name);
            if (entry.kind == FileKind::directory && depth > 0 && is_folder_of_ours(entry.name))
                measure(path, depth - 1);
            if (entry.kind != FileKind::regular || !is_read(role_of(entry.name))) continue;
            const auto file = files_.open(path, OpenMode::read_only);
            const auto size = file ? (*file)->size() : Result<std::uint64_t>(0);
            if (size) total_ += *size;
        }
    }

    // A state folder holds domain folders, these hold group folders; nothing of ours is deeper.
    Status walk(const std::string& folder, unsigned depth) {
        auto entries = files_.list(folder);
        if (!entries) return tl::unexpected(std::move(entries.error()));
        for (const DirectoryEntry& entry : *entries) {
            const std::string path = join(folder, entry.name);
            if (entry.kind == FileKind::directory && depth > 0 && is_folder_of_ours(entry.name)) {
                if (auto inner = walk(path, depth - 1); !inner) return inner;
            } else if (entry.kind == FileKind::regular) {
                if (auto done = check(path, entry.name); !done) return done;
            } else {
                foreign(path);
            }
        }
        return {};
    }
    VerifyReport report;

  private:
    static bool is_folder_of_ours(std::string_view name) {
        if (parse_group_folder(name)) return true;
        unsigned domain = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), domain);
        return parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size();
    }

    static FileRole role_of(std::string_view name) {
        if (parse_log_name(name)) return FileRole::log;
        if (name == layout::meta) return FileRole::meta;
        if (name == layout::checkpoint) return FileRole::checkpoint;
        if (name == layout::records) return FileRole::records;
        if (is_repaired(name)) return FileRole::repaired;
        if (is_set_aside(name)) return FileRole::set_aside;
        return is_leftover(name) ? FileRole::leftover : FileRole::foreign;
    }
    static bool is_read(FileRole role) {
        return role != FileRole::foreign && role != FileRole::leftover &&
               role != FileRole::repaired;
    }

    void foreign(const std::string& path) {
        FileReport one;
        one.path = path;
        one.role = FileRole::foreign;
        one.verdict = TailVerdict::foreign;
        one.reason = "not a file of this store";
        ++report.foreign;
        report.files.push_back(std::move(one));
    }

    Status check(const std::string& path, std::string_view name) {
        if (name == layout::lease) return {};
        FileReport one;
        one.path = path;
        const auto log = parse_log_name(name);
        one.role = role_of(name);
        if (one.role == FileRole::foreign) {
            foreign(path);
            return {};
        }
        if (!is_read(one.role)) {
            // Half-written by nature, or known to be damaged and of no more use.
            report.files.push_back(std::move(one));
            return {};
        }
        auto file = files_.open(path, OpenMode::read_only);
        // Beside a running daemon files come and go.
        if (!file && file.error().code == Errc::not_found) return {};
        if (!file) return tl::unexpected(file.error());
        if (auto done = scan(**file, one, log); !done) return done;
        report.bytes += one.bytes;
        report.samples += one.samples;
        if (one.role == FileRole::set_aside) {
            ++report.damaged;
            report.files.push_back(std::move(one));
            return {};
        }
        switch (one.verdict) {
            case TailVerdict::clean:
                break;
            case TailVerdict::torn:
                ++report.torn;
                break;
            case TailVerdict::foreign:
                ++report.foreign;
                break;
            case TailVerdict::damaged:
            case TailVerdict::newer:
            case TailVerdict::over_limit:
                ++report.damaged;
                break;
        }
        report.files.push_back(std::move(one));
        return {};
    }

    // Of the folder that a file lies in.
    static std::string_view folder_name(std::string_view path) {
        const std::size_t end = path.find_last_of('/');
        if (end == std::string_view::npos) return {};
        const std::size_t before = path.find_last_of('/', end - 1);
        const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
        return path.substr(begin, end - begin);
    }

    Status scan(File& file, FileReport& one, const std::optional<LogName>& name) {
        CheckingSink sink;
        WatchedFile watched(file, on_work_, {report.bytes, total_, one.path});
        const auto scanned = scan_file(watched, max_body_size(sample_size_), sink);
        if (!scanned) return tl::unexpected(scanned.error());
        one.verdict = scanned->verdict;
        one.bytes = scanned->file_size;
        one.frames = scanned->frames;
        one.samples = sink.samples;
        one.offset = scanned->good_end;
        one.reason = std::string(scanned->reason);
        one.topic = sink.topic;
        if (!scanned->header_read) return {};
        if (scanned->header.type == FileType::log) one.writer = scanned->header.writer;
        const auto group = parse_group_folder(folder_name(one.path));
        if (name &&
            (scanned->header.type != FileType::log || scanned->header.writer != name->writer ||
             scanned->header.segment != name->segment || !group ||
             scanned->header.group != *group)) {
            // Renamed or copied here: not served, not touched.
            one.verdict = TailVerdict::foreign;
            one.offset = 0;
            one.reason =
                "the file header names another writer, segment or topic than the file name";
        }
        return {};
    }

    FileSystem& files_;
    std::uint64_t sample_size_;
    const OnWork& on_work_;
    std::uint64_t total_{0};
};

}  // namespace

std::string_view name(FileRole role) {
    switch (role) {
        case FileRole::log:
            return "log";
        case FileRole::meta:
            return "meta";
        case FileRole::checkpoint:
            return "checkpoint";
        case FileRole::records:
            return "records";
        case FileRole::set_aside:
            return "set aside";
        case FileRole::repaired:
            return "repaired";
        case FileRole::leftover:
            return "leftover";
        case FileRole::foreign:
            return "foreign";
    }
    return "?";
}

Result<VerifyReport> verify(FileSystem& files,
                            const std::string& folder,
                            std::uint64_t sample_size,
                            const OnWork& on_work) {
    Verifier verifier(files, sample_size, on_work);
    if (on_work) verifier.measure(folder, 2);
    if (auto done = verifier.walk(folder, 2); !done) return tl::unexpected(std::move(done.error()));
    return std::move(verifier.report);
}

}  // namespace durability::store
