// durabilityctl repair
#include "store/repair.hpp"

#include "durabilityctl/output.hpp"
#include "durabilityctl/progress.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_in_hand.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace durability::ctl {
namespace {

using Json = nlohmann::ordered_json;

std::string action_text(const store::RepairedFile& file) {
    std::string text(store::name(file.action));
    if (!file.reason.empty()) text += ": " + file.reason;
    return text;
}

Json to_json(const store::RepairedFile& file) {
    Json row;
    row["file"] = printable(file.path, 4'096);
    row["moved_to"] = file.moved_to.empty() ? Json() : Json(printable(file.moved_to, 4'096));
    row["topic"] = printable(file.topic, 4'096);
    row["action"] = store::name(file.action);
    row["reason"] = file.reason;
    row["found"] = file.found;
    row["added"] = file.added;
    row["already"] = file.already;
    row["bytes"] = file.bytes;
    row["unreadable_bytes"] = file.unreadable;
    return row;
}

void print_json(const store::RepairReport& report, bool dry_run) {
    Json rows = Json::array();
    for (const store::RepairedFile& file : report.files)
        rows.push_back(to_json(file));
    Json json;
    json["dry_run"] = dry_run;
    json["remains"] = report.remains();
    json["files"] = std::move(rows);
    print(json.dump() + "\n");
}

void print_table(const store::RepairReport& report, const std::string& root, bool dry_run) {
    if (report.files.empty()) return print("Nothing is damaged.\n");
    Table table({{"FILE"},
                 {"FOUND", Align::right},
                 {"ADDED", Align::right},
                 {"ALREADY", Align::right},
                 {"UNREADABLE", Align::right},
                 {"ACTION"}});
    bool put_away = false;
    for (const store::RepairedFile& file : report.files) {
        put_away = put_away || !file.moved_to.empty();
        table.add({printable(file.path.substr(root.size() + 1), 4'096),
                   std::to_string(file.found),
                   std::to_string(file.added),
                   std::to_string(file.already),
                   rounded_size(file.unreadable),
                   action_text(file)});
    }
    print(table.to_text());
    if (dry_run) print("Nothing was changed.\n");
    if (put_away)
        print("The damaged files have '.repaired' behind their names and may be deleted.\n");
    if (report.remains()) print("What was left is still damaged.\n");
}

}  // namespace

Outcome run_repair(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    if (!arguments.dry_run) {
        if (auto acting = act_as_owner_of(directory); !acting)
            return tl::unexpected(acting.error());
    }
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    store::RepairReport sum;
    std::vector<std::string> remarks;
    {
        ProgressLine progress("repair", arguments.progress);
        const auto on_work = [&](const store::WorkProgress& work) {
            progress.show_bytes(work.done, work.total, work.file);
        };
        for (const DomainFolder& folder : *folders) {
            std::vector<store::Completion> out;
            auto report =
                store::repair(files,
                              {folder.path, largest_sample, arguments.dry_run, keys_by_type()},
                              out,
                              on_work);
            keep_remarks(out, remarks);
            if (!report) return tl::unexpected(explain_lease(report.error(), "repair"));
            std::ranges::move(report->files, std::back_inserter(sum.files));
        }
    }
    for (const std::string& remark : remarks)
        print_error(remark);
    if (arguments.json) {
        print_json(sum, arguments.dry_run);
    } else {
        print_table(sum, directory, arguments.dry_run);
    }
    return sum.remains() ? exit_status(Errc::corrupt) : 0;
}

}  // namespace durability::ctl
