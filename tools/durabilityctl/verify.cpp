// durabilityctl verify
#include "store/verify.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/progress.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_at_rest.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace durability::ctl {
namespace {

using Json = nlohmann::ordered_json;

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

void judge(const store::FileReport& report, Checked& checked) {
    using store::TailVerdict;
    checked.frames = report.frames;
    checked.bytes = report.bytes;
    checked.verdict = store::name(report.verdict);
    checked.offset = report.offset;
    switch (report.verdict) {
        case TailVerdict::clean:
            checked.text = "ok";
            return;
        case TailVerdict::torn:
            checked.text =
                fmt::format("ok; what is not whole at the end ({}) was never acknowledged",
                            counted(report.bytes - report.offset, "byte"));
            return;
        case TailVerdict::damaged:
        case TailVerdict::newer:
        case TailVerdict::over_limit:
        case TailVerdict::foreign:
            break;
    }
    checked.damage = true;
    checked.text = fmt::format("{} at offset {} of {}: {}",
                               store::name(report.verdict),
                               report.offset,
                               report.bytes,
                               report.reason);
}

Checked to_checked(const store::FileReport& report, const std::string& root) {
    Checked checked;
    checked.file = report.path.substr(root.size() + 1);
    using store::FileRole;
    switch (report.role) {
        case FileRole::set_aside:
            checked.bytes = report.bytes;
            checked.verdict = "set_aside";
            checked.text = "damaged; set aside by the daemon, not served: see repair";
            checked.damage = true;
            break;
        case FileRole::repaired:
            checked.verdict = "repaired";
            checked.text = "ok; damaged, and dealt with by repair: may be deleted";
            break;
        case FileRole::leftover:
            checked.verdict = "leftover";
            checked.text = "ok; unfinished work, removed at the next start";
            break;
        case FileRole::foreign:
            checked.verdict = "foreign";
            checked.text = "not a file of the store";
            break;
        case FileRole::log:
        case FileRole::meta:
        case FileRole::checkpoint:
        case FileRole::records:
            judge(report, checked);
            break;
    }
    return checked;
}

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
                   rounded_size(checked.bytes),
                   checked.text},
                  checked.damage ? Colour::red : Colour::none);
    }
    print(table.to_text());
    print(fmt::format("{}, {}, {}: {}\n",
                      counted(files.size(), "file"),
                      counted(frames, "frame"),
                      rounded_size(bytes),
                      damaged == 0 ? "no damage" : fmt::format("{} damaged", damaged)));
}

}  // namespace

Outcome run_verify(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    std::vector<Checked> checked;
    {
        ProgressLine progress("verify", arguments.progress);
        const auto on_work = [&](const store::WorkProgress& work) {
            progress.show_bytes(work.done, work.total, work.file);
        };
        for (const DomainFolder& folder : *folders) {
            const auto report = store::verify(files, folder.path, largest_sample, on_work);
            if (!report) return tl::unexpected(report.error());
            for (const store::FileReport& file : report->files)
                checked.push_back(to_checked(file, directory));
        }
    }
    const auto damaged = static_cast<std::size_t>(std::count_if(
        checked.begin(), checked.end(), [](const Checked& file) { return file.damage; }));
    if (arguments.json) {
        print_json(directory, checked, damaged);
    } else {
        print_table(checked, damaged);
    }
    return damaged == 0 ? 0 : exit_status(Errc::corrupt);
}

}  // namespace durability::ctl
