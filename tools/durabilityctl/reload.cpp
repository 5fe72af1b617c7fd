// durabilityctl reload
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace durability::ctl {
namespace {

std::string value_text(const std::string& value) {
    return value.empty() ? "not set" : printable(value, 4'096);
}

std::string lines_of(const ReloadVerdict& verdict) {
    std::string text;
    for (const OptionChange& change : verdict.applied) {
        text += fmt::format(
            "{}: {}, was {}\n", change.option, value_text(change.now), value_text(change.before));
    }
    const auto rules = verdict.rules_added + verdict.rules_removed + verdict.rules_changed;
    if (rules > 0 || verdict.rules_reordered) {
        text += fmt::format("topics: {} in force; {} added, {} removed, {} changed{}\n",
                            verdict.rules,
                            verdict.rules_added,
                            verdict.rules_removed,
                            verdict.rules_changed,
                            verdict.rules_reordered ? ", in another order" : "");
    }
    for (const TopicEffect& effect : verdict.topics) {
        const std::string topic =
            fmt::format("{} (domain {})", printable(effect.topic, 4'096), effect.domain);
        switch (effect.kind) {
            case TopicEffect::Kind::served:
                text += fmt::format("{}: served from now on\n", topic);
                break;
            case TopicEffect::Kind::not_served:
                text += fmt::format("{}: not served any more; what is stored is kept\n", topic);
                break;
            case TopicEffect::Kind::contract:
                text += fmt::format("{}: another contract is in force\n", topic);
                break;
            case TopicEffect::Kind::storage_kept:
                text += fmt::format(
                    "{}: what is stored stays where it is; another storage counts for topics that "
                    "are new\n",
                    topic);
                break;
        }
    }
    for (const OptionChange& change : verdict.restart) {
        text += fmt::format("{}: {} needs a restart; in force is {}\n",
                            change.option,
                            value_text(change.now),
                            value_text(change.before));
    }
    return text;
}

}  // namespace

Outcome run_reload(const Arguments& arguments) {
    constexpr int refused = 78;
    const auto reply = ask_daemon(arguments, control::Request{control::Command::reload});
    if (!reply) return tl::unexpected(reply.error());
    const ReloadVerdict& verdict = reply->reload;
    const int status = verdict.accepted ? 0 : refused;
    if (arguments.json) {
        print(reply->data + "\n");
        return status;
    }
    for (const ReloadProblem& problem : verdict.problems) {
        std::string_view text = problem.text;
        if (text.ends_with('\n')) text.remove_suffix(1);
        print_error(text);
    }
    if (!verdict.accepted) {
        print_error("the configuration was not reloaded; what was in force still is");
        return status;
    }
    const std::string lines = lines_of(verdict);
    print(lines.empty() ? std::string("nothing has changed\n") : lines);
    return status;
}

}  // namespace durability::ctl
