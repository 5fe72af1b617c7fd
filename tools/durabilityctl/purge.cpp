// durabilityctl purge TOPIC
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_in_hand.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::ctl {
namespace {

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Why nothing was taken out, and what shows what could have been.
std::string why_nothing(const Arguments& arguments, const PurgeOutcome& outcome) {
    const std::string topic = quote_if_needed(arguments.words.front());
    if (arguments.writer && !outcome.writer_known) {
        return fmt::format("the topic has no writer {}; 'durabilityctl writers {}' lists them",
                           to_string(*arguments.writer),
                           topic);
    }
    if (arguments.instance && !outcome.keyed) return "the topic has no key, and so no instances";
    if (arguments.instance) {
        return fmt::format(
            "nothing is kept of instance {}{}; 'durabilityctl instances {}' shows the "
            "key_hash of what is",
            to_hex(*arguments.instance),
            arguments.writer ? " by that writer" : "",
            topic);
    }
    return arguments.writer ? "nothing is kept of that writer" : "nothing is kept";
}

Result<PurgeOutcome> purge_domain(store::FileSystem& files,
                                  const DomainFolder& folder,
                                  const Arguments& arguments) {
    auto hand = StoreInHand::open(files, folder, {});
    if (!hand) return tl::unexpected(explain_lease(hand.error(), "purge"));
    PurgeOutcome outcome;
    for (const store::GroupStatus& group : (*hand)->groups()) {
        if (group.meta.key.topic != arguments.words.front()) continue;
        ++outcome.groups;
        outcome.keyed = outcome.keyed || group.meta.key.keyed;
        outcome.writer_known =
            outcome.writer_known ||
            std::ranges::any_of(group.writers, [&](const store::WriterStatus& writer) {
                return writer.source_writer == arguments.writer;
            });
        const auto samples =
            (*hand)->purge({0, group.handle, arguments.writer, arguments.instance});
        if (!samples) return tl::unexpected(samples.error());
        outcome.samples += *samples;
        // A daemon does this by itself; here nobody comes after us.
        if (*samples == 0) continue;
        if (auto compacted = (*hand)->compact(group.handle, {}); !compacted)
            return tl::unexpected(compacted.error());
    }
    std::vector<std::string> remarks;
    if (auto closed = (*hand)->close(remarks); !closed) return tl::unexpected(closed.error());
    for (const std::string& remark : remarks)
        print_error(remark);
    return outcome;
}

Result<PurgeOutcome> purge_at_rest(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string directory = store_directory(arguments);
    if (auto acting = act_as_owner_of(directory); !acting) return tl::unexpected(acting.error());
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    PurgeOutcome sum;
    for (const DomainFolder& folder : *folders) {
        const auto one = purge_domain(files, folder, arguments);
        if (!one) return one;
        sum += *one;
    }
    if (sum.groups > 0) return sum;
    return fail(Errc::not_found,
                fmt::format("purge {}: the store in {} has no such topic on disk; 'durabilityctl "
                            "topics --state-dir {}' lists them",
                            quote_if_needed(arguments.words.front()),
                            directory,
                            directory));
}

Result<PurgeOutcome> purge_by_daemon(const Arguments& arguments) {
    control::Request request{control::Command::purge};
    request.topic = arguments.words.front();
    request.writer = arguments.writer;
    request.instance = arguments.instance;
    if (arguments.domain >= 0) request.domain = static_cast<std::uint32_t>(arguments.domain);
    const auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    return reply->purged;
}

}  // namespace

Outcome run_purge(const Arguments& arguments) {
    const auto outcome =
        arguments.state_dir.empty() ? purge_by_daemon(arguments) : purge_at_rest(arguments);
    if (!outcome) return tl::unexpected(outcome.error());
    if (arguments.json) {
        print(control::encode_data(*outcome) + "\n");
        return 0;
    }
    std::string text = fmt::format("{} of {} removed",
                                   counted(outcome->samples, "sample"),
                                   printable(arguments.words.front()));
    if (outcome->groups > 1) text += fmt::format(" in {}", counted(outcome->groups, "group"));
    if (outcome->samples == 0) text += ": " + why_nothing(arguments, *outcome);
    print(text + "\n");
    return 0;
}

}  // namespace durability::ctl
