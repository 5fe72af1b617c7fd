#include "durabilityctl/store_at_rest.hpp"

#include "store/store_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace durability::ctl {
namespace {

// The greatest that limits.sample_size can be: whatever a daemon stored can be read.
constexpr std::uint64_t largest_sample = 1ULL << 30U;
constexpr std::size_t samples_at_once = 256;
constexpr std::uint64_t bytes_at_once = 16ULL << 20U;

std::optional<std::uint32_t> parse_domain(std::string_view name) {
    std::uint32_t domain = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, domain);
    if (error != std::errc{} || stop != end || std::to_string(domain) != name) return std::nullopt;
    return domain;
}

void keep_remarks(const std::vector<store::Completion>& completions,
                  std::vector<std::string>& remarks) {
    for (const store::Completion& completion : completions) {
        if (const auto* event = std::get_if<store::StoreEvent>(&completion))
            remarks.push_back(to_line(event->event));
    }
}

TopicStatus topic_of(const store::GroupStatus& group) {
    TopicStatus topic;
    topic.topic = group.meta.key.topic;
    topic.type = group.meta.key.type;
    topic.keyed = group.meta.key.keyed;
    topic.partitions = group.meta.key.partitions;
    topic.representation = group.meta.key.representation;
    topic.durability = group.meta.key.durability;
    topic.storage = group.meta.storage;
    topic.contract = group.meta.contract;
    topic.contract_source = group.meta.contract_source;
    topic.retained_samples = group.retained;
    topic.retained_bytes = group.payload_bytes;
    topic.disk_bytes = group.disk_bytes;
    topic.writers = group.writers.size();
    topic.degraded = group.degraded;
    return topic;
}

WriterStatus writer_of(const store::GroupStatus& group, const store::WriterStatus& writer) {
    WriterStatus status;
    status.topic = group.meta.key.topic;
    status.type = group.meta.key.type;
    status.guid = writer.source_writer;
    status.retired = writer.retired;
    status.received = writer.last_number.value;
    status.committed = writer.last_number.value;
    status.retained_samples = writer.retained;
    status.retained_bytes = writer.payload_bytes;
    return status;
}

}  // namespace

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

struct StoreAtRest::Impl {
    Impl(store::FileSystem& files, store::StoreOptions options, std::uint32_t number)
        : core(files, std::move(options)), domain(number) {}
    store::StoreCore core;
    std::uint32_t domain;
    std::vector<std::string> remarks;
};

StoreAtRest::StoreAtRest(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreAtRest::StoreAtRest(StoreAtRest&&) noexcept = default;
StoreAtRest& StoreAtRest::operator=(StoreAtRest&&) noexcept = default;
StoreAtRest::~StoreAtRest() = default;

Result<StoreAtRest> StoreAtRest::open(store::FileSystem& files, const DomainFolder& folder) {
    store::StoreOptions options;
    options.disk_directory = folder.path;
    options.limits.sample_size = largest_sample;
    auto impl = std::make_unique<Impl>(files, std::move(options), folder.domain);
    impl->core.read_only = true;
    std::vector<store::Completion> out;
    if (auto read = impl->core.recover_folder(folder.path, StorageKind::disk, {}, out); !read) {
        return tl::unexpected(read.error());
    }
    keep_remarks(out, impl->remarks);
    return StoreAtRest(std::move(impl));
}

DomainStatus StoreAtRest::status() const {
    DomainStatus status;
    status.domain = impl_->domain;
    for (const store::GroupStatus& group : groups()) {
        status.topics.push_back(topic_of(group));
        for (const store::WriterStatus& writer : group.writers)
            status.writers.push_back(writer_of(group, writer));
    }
    return status;
}

std::vector<store::GroupStatus> StoreAtRest::groups() const {
    return impl_->core.status().groups;
}
const std::vector<std::string>& StoreAtRest::remarks() const {
    return impl_->remarks;
}

void StoreAtRest::for_each_sample(GroupHandle group,
                                  const std::function<bool(const store::ReadSample&)>& each) {
    store::ListSamples page;
    page.group = group;
    page.max_entries = samples_at_once;
    for (bool more = true; more;) {
        const store::SamplesListed listed = impl_->core.list(page);
        more = listed.more && !listed.samples.empty();
        if (more) page.from = listed.samples.back().arrival + 1;
        for (std::size_t next = 0; next < listed.samples.size();) {
            store::ReadSamples wanted;
            wanted.group = group;
            std::uint64_t bytes = 0;
            while (next < listed.samples.size() &&
                   (wanted.arrivals.empty() || bytes < bytes_at_once)) {
                bytes += listed.samples[next].payload_size;
                wanted.arrivals.push_back(listed.samples[next].arrival);
                ++next;
            }
            std::vector<store::Completion> out;
            const store::SamplesRead read = impl_->core.read(wanted, out);
            keep_remarks(out, impl_->remarks);
            for (const store::ReadSample& sample : read.samples) {
                if (sample.retained && !each(sample)) return;
            }
        }
    }
}

}  // namespace durability::ctl
