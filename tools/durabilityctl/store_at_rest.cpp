#include "durabilityctl/store_at_rest.hpp"

#include "types/topic_keys.hpp"

#include "store/layout.hpp"
#include "store/store_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace durability::ctl {
namespace {

std::optional<std::uint32_t> parse_domain(std::string_view name) {
    std::uint32_t domain = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, domain);
    if (error != std::errc{} || stop != end || std::to_string(domain) != name) return std::nullopt;
    return domain;
}

}  // namespace

void keep_remarks(const std::vector<store::Completion>& completions,
                  std::vector<std::string>& remarks) {
    for (const store::Completion& completion : completions) {
        if (const auto* event = std::get_if<store::StoreEvent>(&completion))
            remarks.push_back(to_line(event->event));
    }
}

Result<std::vector<DomainFolder>> domain_folders(store::FileSystem& files,
                                                 const std::string& state_directory,
                                                 std::int64_t only) {
    auto entries = files.list(state_directory);
    if (!entries) return tl::unexpected(entries.error());
    std::vector<DomainFolder> folders;
    for (const store::DirectoryEntry& entry : *entries) {
        const auto domain = parse_domain(entry.name);
        if (!domain || entry.kind != store::FileKind::directory) continue;
        if (only >= 0 && only != std::int64_t{*domain}) continue;
        folders.push_back({*domain, store::join(state_directory, entry.name)});
    }
    if (folders.empty()) {
        return fail(Errc::not_found,
                    fmt::format("read {}: no store of a domain is there", state_directory));
    }
    std::sort(folders.begin(), folders.end(), [](const DomainFolder& a, const DomainFolder& b) {
        return a.domain < b.domain;
    });
    return folders;
}

StoreAtRest::StoreAtRest(std::uint32_t domain, std::unique_ptr<store::StoreReader> reader)
    : domain_(domain), reader_(std::move(reader)) {}
StoreAtRest::StoreAtRest(StoreAtRest&&) noexcept = default;
StoreAtRest& StoreAtRest::operator=(StoreAtRest&&) noexcept = default;
StoreAtRest::~StoreAtRest() = default;

store::KeyFinders keys_by_type() {
    return [](const GroupMeta& meta) { return types::key_finder(meta, {}); };
}

Result<StoreAtRest> StoreAtRest::open(store::FileSystem& files, const DomainFolder& folder) {
    Limits limits;
    limits.sample_size = largest_sample;
    std::vector<store::Completion> out;
    auto reader = store::StoreReader::open(files, folder.path, {}, limits, out, keys_by_type());
    if (!reader) return tl::unexpected(reader.error());
    StoreAtRest store(folder.domain, std::move(*reader));
    keep_remarks(out, store.remarks_);
    return store;
}

DomainStatus StoreAtRest::status() const {
    DomainStatus status;
    status.domain = domain_;
    for (const store::GroupStatus& group : groups()) {
        status.topics.push_back(store::topic_status(group));
        for (const store::WriterStatus& writer : group.writers)
            status.writers.push_back(store::writer_status(group, writer));
    }
    return status;
}

std::vector<store::GroupStatus> StoreAtRest::groups() const {
    return reader_->status().groups;
}

InstanceList StoreAtRest::instances(const store::GroupStatus& group) {
    constexpr std::size_t largest_payload = 64U << 10U;
    const auto plan = types::plan_keys(group.meta, {});
    std::vector<store::Completion> out;
    store::ListInstances command;
    command.group = group.handle;
    command.max_payload = plan ? largest_payload : 0;
    const store::InstancesListed listed = reader_->instances(command, out);
    keep_remarks(out, remarks_);
    InstanceList list;
    list.groups = 1;
    list.keyed = group.meta.key.keyed;
    list.total = listed.total;
    if (!listed.instances) return list;
    for (const store::ListedInstance& instance : *listed.instances) {
        std::string key;
        if (plan && instance.key) {
            key =
                types::readable_key(*plan, *instance.key, instance.payload_kind, instance.payload);
        }
        InstanceStatus& status = list.instances.emplace_back(
            store::instance_status(group.meta, instance, std::move(key)));
        status.domain = domain_;
    }
    return list;
}

void StoreAtRest::for_each_sample(GroupHandle group,
                                  const std::function<bool(const store::ReadSample&)>& each) {
    std::vector<store::Completion> out;
    reader_->for_each(group, each, out);
    keep_remarks(out, remarks_);
}

}  // namespace durability::ctl
