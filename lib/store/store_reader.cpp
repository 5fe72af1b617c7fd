#include "store/store_reader.hpp"

#include "store/store_core.hpp"

namespace durability::store {
namespace {

constexpr std::uint64_t read_bytes = 1U << 20U;
constexpr std::size_t read_samples = 1024;

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
                                                       std::vector<Completion>& out) {
    StoreOptions options;
    options.disk_directory = disk_directory;
    options.memory_directory = memory_directory;
    options.limits = limits;
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

void StoreReader::for_each(GroupHandle group, const std::function<bool(const ReadSample&)>& visit) {
    const std::vector<ListedSample> samples = list(group);
    for (std::size_t begin = 0; begin < samples.size();) {
        ReadSamples command;
        command.group = group;
        std::uint64_t bytes = 0;
        while (begin < samples.size() && command.arrivals.size() < read_samples &&
               (command.arrivals.empty() || bytes + samples[begin].payload_size <= read_bytes)) {
            bytes += samples[begin].payload_size;
            command.arrivals.push_back(samples[begin++].arrival);
        }
        std::vector<Completion> ignored;  // frames that a daemon removed meanwhile
        const SamplesRead answer = impl_->core.read(command, ignored);
        for (const ReadSample& sample : answer.samples) {
            if (sample.retained && !visit(sample)) return;
        }
    }
}

}  // namespace durability::store
