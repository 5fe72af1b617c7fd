// durabilityctl compact [TOPIC]
#include "durabilityctl/output.hpp"
#include "durabilityctl/progress.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_in_hand.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace durability::ctl {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds{200};

struct Space {
    std::uint64_t disk{0};
    std::uint64_t dead{0};
    std::uint64_t waiting{0};  // files that are still to be rewritten
};

struct Compacted {
    CompactionOutcome begun;
    Space after;
    [[nodiscard]] std::uint64_t given_back() const {
        return begun.disk_bytes > after.disk ? begun.disk_bytes - after.disk : 0;
    }
};

Result<Space> look(const Arguments& arguments) {
    // The reply is filtered by domain and topic.
    const auto reply = ask_daemon(arguments, control::Request{control::Command::topics});
    if (!reply) return tl::unexpected(reply.error());
    Space space;
    for (const DomainStatus& domain : reply->status.domains) {
        for (const TopicStatus& topic : domain.topics) {
            space.disk += topic.disk_bytes;
            space.dead += topic.dead_bytes;
            space.waiting += topic.compacting;
        }
    }
    return space;
}

Result<Compacted> compact_by_daemon(const Arguments& arguments) {
    control::Request request{control::Command::compact};
    if (!arguments.words.empty()) request.topic = arguments.words.front();
    if (arguments.domain >= 0) request.domain = static_cast<std::uint32_t>(arguments.domain);
    const auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    Compacted result{reply->compaction, {}};
    ProgressLine progress("compact", arguments.progress);
    for (;;) {
        const auto space = look(arguments);
        if (!space) {
            Error error = space.error();
            error.detail += "; what the daemon has not finished is as it was before";
            return tl::unexpected(std::move(error));
        }
        result.after = *space;
        if (space->waiting == 0) return result;
        const std::uint64_t files = std::max(result.begun.files, space->waiting);
        progress.show(fmt::format("{} of {} files, {} given back",
                                  files - space->waiting,
                                  files,
                                  rounded_size(result.given_back())));
        std::this_thread::sleep_for(poll_interval);
    }
}

Status compact_domain(store::FileSystem& files,
                      const DomainFolder& folder,
                      const Arguments& arguments,
                      ProgressLine& progress,
                      Compacted& sum) {
    const auto chosen = [&](const store::GroupStatus& group) {
        return arguments.words.empty() || group.meta.key.topic == arguments.words.front();
    };
    auto hand = StoreInHand::open(
        files, folder, [&progress](std::string_view text) { progress.show(text); });
    if (!hand) return tl::unexpected(explain_lease(hand.error(), "compact"));
    for (const store::GroupStatus& group : (*hand)->groups()) {
        if (!chosen(group)) continue;
        sum.begun += CompactionOutcome{1, group.compacting, group.disk_bytes, group.dead_bytes};
        const std::string topic = printable(group.meta.key.topic);
        const auto step = [&] {
            for (const store::GroupStatus& now : (*hand)->groups()) {
                if (now.handle != group.handle) continue;
                progress.show_bytes(group.dead_bytes - std::min(now.dead_bytes, group.dead_bytes),
                                    group.dead_bytes,
                                    topic);
            }
        };
        if (auto done = (*hand)->compact(group.handle, step); !done) return done;
    }
    for (const store::GroupStatus& group : (*hand)->groups()) {
        if (!chosen(group)) continue;
        sum.after.disk += group.disk_bytes;
        sum.after.dead += group.dead_bytes;
    }
    std::vector<std::string> remarks;
    auto closed = (*hand)->close(remarks);
    progress.clear();
    for (const std::string& remark : remarks)
        print_error(remark);
    return closed;
}

Result<Compacted> compact_at_rest(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    if (auto acting = act_as_owner_of(directory); !acting) return tl::unexpected(acting.error());
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    Compacted sum;
    ProgressLine progress("compact", arguments.progress);
    for (const DomainFolder& folder : *folders) {
        if (auto done = compact_domain(files, folder, arguments, progress, sum); !done)
            return tl::unexpected(done.error());
    }
    if (sum.begun.groups > 0 || arguments.words.empty()) return sum;
    return fail(Errc::not_found,
                fmt::format("compact {}: the store in {} has no such topic on disk; 'durabilityctl "
                            "topics --state-dir {}' lists them",
                            quote_if_needed(arguments.words.front()),
                            directory,
                            directory));
}

}  // namespace

Outcome run_compact(const Arguments& arguments) {
    const auto result =
        arguments.state_dir.empty() ? compact_by_daemon(arguments) : compact_at_rest(arguments);
    if (!result) return tl::unexpected(result.error());
    if (arguments.json) {
        print(fmt::format(R"({{"groups":{},"given_back_bytes":{},"disk_bytes":{},"dead_bytes":{}}})"
                          "\n",
                          result->begun.groups,
                          result->given_back(),
                          result->after.disk,
                          result->after.dead));
        return 0;
    }
    print(fmt::format("{} given back, {} in files\n",
                      rounded_size(result->given_back()),
                      rounded_size(result->after.disk)));
    // Writers that live leave new dead frames behind; a store at rest, or one that gave nothing
    // back, has files that could not be rewritten.
    const bool stuck =
        result->after.dead > 0 && (!arguments.state_dir.empty() || result->given_back() == 0);
    if (stuck && result->after.dead >= result->begun.dead_bytes) {
        print_error(fmt::format(
            "{} of samples that are no longer kept could not be given back; {}",
            rounded_size(result->after.dead),
            arguments.state_dir.empty() ? "see durabilityctl events" : "see durabilityctl verify"));
    }
    return 0;
}

}  // namespace durability::ctl
