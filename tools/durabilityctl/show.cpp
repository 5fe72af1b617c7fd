// durabilityctl show TOPIC
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_at_rest.hpp"
#include "types/topic_keys.hpp"
#include "types/type_values.hpp"

#include "base/text.hpp"
#include "model/group_values.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace durability::ctl {
namespace {

// What the store alone knows: no rule is in force, and no writer is there.
ShownGroup show_stored(const store::GroupStatus& group) {
    const GroupMeta& meta = group.meta;
    ShownGroup result;
    result.topic = store::topic_status(group);
    result.state = "stored";
    result.values = {{"storage", std::string(name(meta.storage)), ValueOrigin::stored, {}}};
    const auto append = [&result](std::vector<ShownValue> more) {
        std::move(more.begin(), more.end(), std::back_inserter(result.values));
    };
    ContractOrigins origins;
    origins.fill({ValueOrigin::stored, std::string(stored_source(meta.contract_source))});
    append(contract_values(meta.contract, origins));
    result.values.push_back({"keyed", meta.key.keyed ? "yes" : "no", ValueOrigin::stored, {}});
    const char* key = "the key hashes that its writers send, or the key layout of a rule";
    if (!meta.key.keyed) key = "it has no key";
    if (meta.key.keyed && types::described_type(meta)) key = "the description of its type";
    result.values.push_back({"key", key, ValueOrigin::stored, {}});
    append(types::type_values(meta));
    append(qos_values(meta));
    for (ShownValue& value : result.values)
        value.origin = ValueOrigin::stored;
    return result;
}

Error unknown_topic(const std::string& topic,
                    const std::string& directory,
                    const std::set<std::string>& known) {
    std::string text = fmt::format(
        "show {}: the store in {} has no such topic on disk", quote_if_needed(topic), directory);
    const std::vector<std::string_view> names(known.begin(), known.end());
    if (const auto near = closest_match(topic, names))
        text += fmt::format("; did you mean {}?", quote_if_needed(*near));
    return Error{Errc::not_found, 0, std::move(text)};
}

Result<Shown> show_at_rest(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string& topic = arguments.words.front();
    const std::string directory = store_directory(arguments);
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    Shown shown;
    std::set<std::string> known;
    for (const DomainFolder& folder : *folders) {
        const auto store = StoreAtRest::open(files, folder);
        if (!store) return tl::unexpected(store.error());
        ShownTopic found{folder.domain, topic, {}};
        for (const store::GroupStatus& group : store->groups()) {
            known.insert(group.meta.key.topic);
            if (group.meta.key.topic == topic) found.groups.push_back(show_stored(group));
        }
        if (!found.groups.empty()) shown.topics.push_back(std::move(found));
        for (const std::string& remark : store->remarks())
            print_error(remark);
    }
    if (!shown.topics.empty()) return shown;
    return tl::unexpected(unknown_topic(topic, directory, known));
}

Result<Shown> show_of_daemon(const Arguments& arguments) {
    control::Request request{control::Command::show};
    request.topic = arguments.words.front();
    if (arguments.domain >= 0) request.domain = static_cast<std::uint32_t>(arguments.domain);
    auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    return std::move(reply->shown);
}

std::string origin_text(const ShownValue& value) {
    std::string text;
    switch (value.origin) {
        case ValueOrigin::rule:
            text = "the rule at";
            break;
        case ValueOrigin::announced:
            text = value.where.empty() ? "announced by its first writer" : "announced by";
            break;
        case ValueOrigin::writer:
            text = "its writers";
            break;
        case ValueOrigin::daemon_default:
            text = "default_contract";
            break;
        case ValueOrigin::built_in:
            text = "built in";
            break;
        case ValueOrigin::stored:
            text = "stored";
            break;
    }
    if (value.where.empty()) return text;
    const bool apart = value.origin == ValueOrigin::stored || value.origin == ValueOrigin::built_in;
    return fmt::format("{}{} {}", text, apart ? ":" : "", printable(value.where));
}

std::string text_of(const ShownTopic& topic) {
    std::string text;
    for (std::size_t i = 0; i < topic.groups.size(); ++i) {
        const ShownGroup& group = topic.groups[i];
        const std::string head = fmt::format("{} in domain {}, group {} of {}: {}",
                                             printable(topic.topic),
                                             topic.domain,
                                             i + 1,
                                             topic.groups.size(),
                                             group.state);
        text += fmt::format("{}{}\n", i > 0 ? "\n" : "", coloured(head, Colour::bold));
        text += fmt::format("{} kept, {} of payload, {} in files\n",
                            counted(group.topic.retained_samples, "sample"),
                            rounded_size(group.topic.retained_bytes),
                            rounded_size(group.topic.disk_bytes));
        Table table({{"NAME"}, {"VALUE"}, {"FROM"}});
        for (const ShownValue& value : group.values)
            table.add({value.name, value.value, origin_text(value)});
        text += table.to_text();
    }
    return text;
}

}  // namespace

Outcome run_show(const Arguments& arguments) {
    const auto shown =
        arguments.state_dir.empty() ? show_of_daemon(arguments) : show_at_rest(arguments);
    if (!shown) return tl::unexpected(shown.error());
    if (arguments.json) {
        print(control::encode_data(*shown) + "\n");
        return 0;
    }
    std::string text;
    for (const ShownTopic& topic : shown->topics)
        text += (text.empty() ? "" : "\n") + text_of(topic);
    print(text);
    return 0;
}

}  // namespace durability::ctl
