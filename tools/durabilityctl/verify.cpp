// durabilityctl verify
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_at_rest.hpp"

#include "base/text.hpp"
#include "store/group_meta.hpp"
#include "store/layout.hpp"
#include "store/log_scan.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace durability::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_sample = 1ULL << 30U;

// What is known of one file after reading it.
struct Checked {
    std::string file;
    std::uint64_t frames{0};
    std::uint64_t bytes{0};
    std::string verdict;      // a word for programs
    std::string text;         // for people
    std::uint64_t offset{0};  // where what the verdict is about begins
    bool damage{false};
};

// Checksums are the scan's business; this looks into the bodies.
class BodyCheck final : public store::FrameSink {
  public:
    bool on_frame(std::uint64_t /*offset*/,
                  const store::FrameHeader& header,
                  ByteView body) override {
        using store::FrameKind;
        store::SampleFrame sample;
        switch (header.kind) {
            case FrameKind::sample:
                return store::decode_sample(header.flags, body, sample);
            case FrameKind::commit:
                return store::decode_commit(body).has_value();
            case FrameKind::marks:
                return store::decode_marks(body).has_value();
            case FrameKind::group:
                return store::decode_group_meta(body).has_value();
            case FrameKind::expiry:
                return store::decode_expiry(body).has_value();
            case FrameKind::checkpoint:
            case FrameKind::checkpoint_end:
            case FrameKind::record:
            case FrameKind::record_erased:
                return true;
        }
        return false;
    }
};

void judge(const store::ScanResult& scan, Checked& checked) {
    using store::TailVerdict;
    checked.frames = scan.frames;
    checked.bytes = scan.file_size;
    checked.verdict = store::name(scan.verdict);
    checked.offset = scan.good_end;
    const std::uint64_t rest = scan.file_size - scan.good_end;
    switch (scan.verdict) {
        case TailVerdict::clean:
            checked.text = "ok";
            return;
        case TailVerdict::torn:
            checked.text = fmt::format(
                "ok; the last {} bytes are not whole and were never acknowledged", rest);
            return;
        case TailVerdict::damaged:
        case TailVerdict::newer:
        case TailVerdict::over_limit:
        case TailVerdict::foreign:
            break;
    }
    checked.damage = true;
    checked.text = fmt::format("{} at offset {} of {}: {}",
                               store::name(scan.verdict),
                               scan.good_end,
                               scan.file_size,
                               scan.reason);
}

class Verifier {
  public:
    explicit Verifier(std::string root) : root_(std::move(root)) {}

    Status domain(const std::string& folder) {
        auto entries = files_.list(folder);
        if (!entries) return tl::unexpected(entries.error());
        for (const store::DirectoryEntry& entry : *entries) {
            const std::string path = store::join(folder, entry.name);
            if (entry.kind == store::FileKind::directory && store::parse_group_folder(entry.name)) {
                if (auto done = group(path); !done) return done;
            } else if (entry.name == store::layout::records) {
                if (auto done = scan(path); !done) return done;
            } else if (entry.name != store::layout::lease) {
                unknown(path, entry);
            }
        }
        return {};
    }

    [[nodiscard]] const std::vector<Checked>& files() const { return checked_; }

  private:
    Status group(const std::string& folder) {
        auto entries = files_.list(folder);
        if (!entries) return tl::unexpected(entries.error());
        for (const store::DirectoryEntry& entry : *entries) {
            const bool ours = store::parse_log_name(entry.name) ||
                              entry.name == store::layout::meta ||
                              entry.name == store::layout::checkpoint;
            const std::string path = store::join(folder, entry.name);
            if (!ours || entry.kind != store::FileKind::regular) {
                unknown(path, entry);
            } else if (auto done = scan(path); !done) {
                return done;
            }
        }
        return {};
    }

    Status scan(const std::string& path) {
        auto file = files_.open(path, store::OpenMode::read_only);
        // Beside a running daemon files come and go.
        if (!file && file.error().code == Errc::not_found) return {};
        if (!file) return tl::unexpected(file.error());
        BodyCheck bodies;
        auto result = store::scan_file(**file, store::max_body_size(largest_sample), bodies);
        if (!result) return tl::unexpected(result.error());
        Checked checked;
        checked.file = shown(path);
        judge(*result, checked);
        checked_.push_back(std::move(checked));
        return {};
    }

    void unknown(const std::string& path, const store::DirectoryEntry& entry) {
        Checked checked;
        checked.file = shown(path);
        if (store::is_set_aside(entry.name)) {
            checked.verdict = "set_aside";
            checked.text = "damaged; set aside by the daemon, not served";
            checked.damage = true;
        } else if (store::is_leftover(entry.name)) {
            checked.verdict = "leftover";
            checked.text = "ok; unfinished work, removed at the next start";
        } else {
            checked.verdict = "foreign";
            checked.text = "not a file of the store";
        }
        checked_.push_back(std::move(checked));
    }

    [[nodiscard]] std::string shown(const std::string& path) const {
        return path.substr(root_.size() + 1);
    }

    store::PosixFileSystem files_;
    std::string root_;
    std::vector<Checked> checked_;
};

void print_json(const std::string& directory,
                const std::vector<Checked>& files,
                std::size_t damaged) {
    Json rows = Json::array();
    for (const Checked& checked : files) {
        Json row;
        row["file"] = printable(checked.file, 4'096);
        row["frames"] = checked.frames;
        row["bytes"] = checked.bytes;
        row["verdict"] = checked.verdict;
        row["offset"] = checked.offset;
        row["damage"] = checked.damage;
        row["text"] = checked.text;
        rows.push_back(std::move(row));
    }
    Json json;
    json["directory"] = printable(directory, 4'096);
    json["damaged"] = damaged;
    json["files"] = std::move(rows);
    print(json.dump() + "\n");
}

void print_table(const std::vector<Checked>& files, std::size_t damaged) {
    Table table({{"FILE"}, {"FRAMES", Align::right}, {"SIZE", Align::right}, {"RESULT"}});
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    for (const Checked& checked : files) {
        frames += checked.frames;
        bytes += checked.bytes;
        table.add({printable(checked.file),
                   std::to_string(checked.frames),
                   human_size(checked.bytes),
                   checked.text});
    }
    print(table.to_text());
    print(fmt::format("{} files, {} frames, {}: {}\n",
                      files.size(),
                      frames,
                      human_size(bytes),
                      damaged == 0 ? "no damage" : fmt::format("{} damaged", damaged)));
}

}  // namespace

Outcome run_verify(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    Verifier verifier(directory);
    for (const DomainFolder& folder : *folders) {
        if (auto done = verifier.domain(folder.path); !done) return tl::unexpected(done.error());
    }
    const auto damaged = static_cast<std::size_t>(
        std::count_if(verifier.files().begin(), verifier.files().end(), [](const Checked& checked) {
            return checked.damage;
        }));
    if (arguments.json) {
        print_json(directory, verifier.files(), damaged);
    } else {
        print_table(verifier.files(), damaged);
    }
    return damaged == 0 ? 0 : exit_status(Errc::corrupt);
}

}  // namespace durability::ctl
