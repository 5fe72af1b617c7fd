// durabilityctl instances TOPIC
#include "durabilityctl/output.hpp"
#include "durabilityctl/source.hpp"
#include "durabilityctl/store_at_rest.hpp"

#include "base/text.hpp"
#include "store/posix_file_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace durability::ctl {
namespace {

Result<InstanceList> list_at_rest(const Arguments& arguments) {
    store::PosixFileSystem files;
    const std::string& topic = arguments.words.front();
    const std::string directory = store_directory(arguments);
    const auto folders = domain_folders(files, directory, arguments.domain);
    if (!folders) return tl::unexpected(folders.error());
    InstanceList list;
    for (const DomainFolder& folder : *folders) {
        auto store = StoreAtRest::open(files, folder);
        if (!store) return tl::unexpected(store.error());
        for (const store::GroupStatus& group : store->groups()) {
            if (group.meta.key.topic == topic) list += store->instances(group);
        }
        for (const std::string& remark : store->remarks())
            print_error(remark);
    }
    if (list.groups > 0) return list;
    return fail(Errc::not_found,
                fmt::format("instances {}: the store in {} has no such topic on disk; "
                            "'durabilityctl topics --state-dir {}' lists them",
                            quote_if_needed(topic),
                            directory,
                            directory));
}

Result<InstanceList> list_of_daemon(const Arguments& arguments) {
    control::Request request{control::Command::instances};
    request.topic = arguments.words.front();
    if (arguments.domain >= 0) request.domain = static_cast<std::uint32_t>(arguments.domain);
    auto reply = ask_daemon(arguments, request);
    if (!reply) return tl::unexpected(reply.error());
    return std::move(reply->instances);
}

// Keys that can be read stand in their order, the others by their hash.
void sort(std::vector<InstanceStatus>& instances) {
    std::ranges::sort(instances, [](const InstanceStatus& a, const InstanceStatus& b) {
        return std::tie(a.domain, a.type, a.key_hash) < std::tie(b.domain, b.type, b.key_hash);
    });
}

std::string writers_of(const InstanceStatus& instance) {
    if (instance.writers.empty()) return "-";
    const std::string first = to_string(instance.writers.front());
    if (instance.writers.size() == 1) return first;
    return fmt::format("{} and {} more", first, instance.writers.size() - 1);
}

// It was made for people, escapes included; only its length is not bounded.
std::string shortened(const std::string& key) {
    constexpr std::size_t longest = 60;
    return key.size() <= longest ? key : key.substr(0, longest) + "...";
}

std::string table_of(const InstanceList& list) {
    Table table({{"DOMAIN", Align::right},
                 {"KEY"},
                 {"STATE"},
                 {"SAMPLES", Align::right},
                 {"RECEIVED"},
                 {"WRITER"},
                 {"KEY_HASH"}});
    for (const InstanceStatus& instance : list.instances) {
        table.add({std::to_string(instance.domain),
                   instance.key.empty() ? "-" : shortened(instance.key),
                   instance.state,
                   std::to_string(instance.samples),
                   local_time(instance.received_ns),
                   writers_of(instance),
                   instance.key_hash});
    }
    return table.to_text();
}

}  // namespace

Outcome run_instances(const Arguments& arguments) {
    std::string data;
    auto list = arguments.state_dir.empty() ? list_of_daemon(arguments) : list_at_rest(arguments);
    if (!list) return tl::unexpected(list.error());
    sort(list->instances);
    if (arguments.json) {
        print(control::encode_data(*list) + "\n");
        return 0;
    }
    if (arguments.names) {
        std::set<std::string> hashes;
        for (const InstanceStatus& instance : list->instances) {
            if (!instance.key_hash.empty()) hashes.insert(instance.key_hash);
        }
        print_lines(hashes);
        return 0;
    }
    if (!list->keyed) {
        print("The topic has no key, and so no instances.\n");
        return 0;
    }
    print(list->instances.empty() ? "Nothing is kept whose key is known.\n" : table_of(*list));
    if (list->total > list->instances.size())
        print(fmt::format("... and {} more\n", list->total - list->instances.size()));
    return 0;
}

}  // namespace durability::ctl
