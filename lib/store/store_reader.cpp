#include "store/store_reader.hpp"

#include "store/store_core.hpp"

namespace durability::store {
namespace {

constexpr std::size_t samples_at_once = 1'024;
constexpr std::size_t bytes_at_once = 1U << 20U;

}  // namespace

struct StoreReader::Impl {
    Impl(FileSystem& files, StoreOptions options) : core(files, std::move(options)) {}
    StoreCore core;
};

StoreReader::StoreReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreReader::~StoreReader() = default;

Result<std::unique_ptr<StoreReader>> StoreReader::open(FileSystem& files,
                                                       const std::string& disk_directory,
                                                       const std::string& memory_directory,
                                                       const Limits& limits,
                                                       std::vector<Completion>& out,
                                                       KeyFinders key_finders) {
    StoreOptions options;
    options.disk_directory = disk_directory;
    options.memory_directory = memory_directory;
    options.limits = limits;
    options.key_finders = std::move(key_finders);
    auto impl = std::make_unique<Impl>(files, std::move(options));
    impl->core.read_only = true;
    if (auto done = impl->core.recover({}, out); !done)
        return tl::unexpected(std::move(done.error()));
    return std::unique_ptr<StoreReader>(new StoreReader(std::move(impl)));
}

StoreStatus StoreReader::status() const {
    return impl_->core.status();
}

std::vector<ListedSample> StoreReader::list(GroupHandle group) const {
    ListSamples command;
    command.group = group;
    return impl_->core.list(command).samples;
}

InstancesListed StoreReader::instances(const ListInstances& command, std::vector<Completion>& out) {
    return impl_->core.list_instances(command, out);
}

void StoreReader::for_each(GroupHandle group,
                           const std::function<bool(const ReadSample&)>& visit,
                           std::vector<Completion>& out) {
    ListSamples page;
    page.group = group;
    page.max_entries = samples_at_once;
    for (bool more = true; more;) {
        const SamplesListed listed = impl_->core.list(page);
        more = listed.more && !listed.samples.empty();
        if (more) page.from = listed.samples.back().arrival + 1;
        for (std::size_t next = 0; next < listed.samples.size();) {
            ReadSamples command;
            command.group = group;
            command.max_octets = bytes_at_once;
            for (std::size_t i = next; i < listed.samples.size(); ++i)
                command.arrivals.push_back(listed.samples[i].arrival);
            const SamplesRead answer = impl_->core.read(command, out);
            next += answer.samples.size();
            for (const ReadSample& sample : answer.samples) {
                if (sample.retained && !visit(sample)) return;
            }
        }
    }
}

}  // namespace durability::store
