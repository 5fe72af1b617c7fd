// The store by itself, beside what the machine can do with the same bytes in the same run: append,
// recovery, compaction, very many logs, memory. Medians, printed, compared by hand (performance.md,
// rows P7 to P9); nothing here is an assertion.
//   store_bench [--directory DIR] [--samples N] [--runs N] [--logs A,B] [ROW...]
#include "store_bench.hpp"

#include "base/crc32c.hpp"
#include "store/retention.hpp"
#include "store/sample_index.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

namespace durability::store::bench {
namespace {

class QuickFile final : public File {
  public:
    QuickFile(std::shared_ptr<File> file, const bool& refusing)
        : file_(std::move(file)), refusing_(refusing) {}
    Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
        return file_->read(offset, out);
    }
    Status write(std::uint64_t offset, ByteView bytes) override {
        if (refusing_) return fail(Errc::io, "write: refused by the benchmark");
        return file_->write(offset, bytes);
    }
    Status truncate(std::uint64_t size) override { return file_->truncate(size); }
    Status sync() override { return {}; }
    Result<std::uint64_t> size() override { return file_->size(); }

  private:
    std::shared_ptr<File> file_;
    const bool& refusing_;
};

}  // namespace

Result<std::shared_ptr<File>> QuickFileSystem::open(const std::string& path, OpenMode mode) {
    auto file = files_.open(path, mode);
    if (!file) return file;
    return std::shared_ptr<File>(std::make_shared<QuickFile>(std::move(*file), refusing));
}

double median(std::vector<double> values) {
    return percentile(values, 0.5);
}

double percentile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

Contract keep_last(std::uint64_t depth) {
    Contract contract;
    contract.depth = depth;
    contract.max_samples = contract.max_instances = unlimited;
    return contract;
}

void clear(const std::string& directory) {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
}

std::unique_ptr<Store> open_store(FileSystem& files,
                                  const Setup& setup,
                                  SyncPolicy sync,
                                  std::uint64_t segment_bytes) {
    StoreOptions options;
    options.disk_directory = setup.directory + "/disk";
    options.memory_directory = setup.directory + "/mem";
    options.sync = sync;
    options.segment_bytes = segment_bytes;
    options.limits.reserve_disk = 0;
    std::vector<Completion> out;
    auto opened = Store::open(files, options, WallTime{}, out);
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().text().c_str());
        std::exit(1);
    }
    return std::move(*opened);
}

GroupHandle open_topic(Store& store,
                       const std::string& name,
                       const Contract& contract,
                       bool keyed) {
    GroupMeta meta;
    meta.key.topic = name;
    meta.key.type = "bench::Sample";
    meta.key.keyed = keyed;
    meta.contract = contract;
    std::vector<Completion> out;
    store.execute(OpenGroup{1, meta}, out);
    // Its files may have to reach the disk first.
    SyncJob job = store.begin_sync(out);
    Store::run(job);
    store.end_sync(std::move(job), out);
    for (const Completion& completion : out) {
        const auto* const opened = std::get_if<GroupOpened>(&completion);
        if (opened != nullptr && opened->result) return opened->result->handle;
    }
    std::fprintf(stderr, "%s: not opened\n", name.c_str());
    std::exit(1);
}

bool sync(Store& store, bool interval_due) {
    std::vector<Completion> out;
    SyncJob job = store.begin_sync(out, interval_due);
    if (job.empty()) return false;
    Store::run(job);
    store.end_sync(std::move(job), out);
    return true;
}

void finish_work(Store& store) {
    std::vector<Completion> out;
    do {
        while (store.work_due())
            store.do_slice(out);
        out.clear();
    } while (sync(store));
}

void commit(Store& store, AppendBatch batch, bool interval_due) {
    std::vector<Completion> out;
    store.execute(Append{std::move(batch)}, out);
    std::ignore = sync(store, interval_due);
}

ReadFiles read_and_checksum(const std::string& directory) {
    PosixFileSystem files;
    Buffer buffer(256U << 10U);
    std::uint32_t sum = 0;
    ReadFiles result;
    const auto begin = Clock::now();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        auto file = files.open(entry.path().string(), OpenMode::read_only);
        if (!file) continue;
        ++result.files;
        for (std::uint64_t offset = 0;;) {
            const auto got = (*file)->read(offset, buffer);
            if (!got || *got == 0) break;
            sum ^= crc32c({buffer.data(), *got});
            offset += *got;
            result.bytes += *got;
        }
    }
    if (sum == 1) std::puts("");  // the sum is used
    result.seconds = seconds_since(begin);
    return result;
}

void memory_row(const Setup& setup) {
    SampleIndex index(false);
    const Contract contract = keep_last(static_cast<std::uint64_t>(setup.samples));
    std::vector<SampleIndex::Entry> evicted;
    SampleIndex::Entry entry;
    for (std::int64_t i = 1; i <= setup.samples + setup.samples / 2; ++i) {
        entry.arrival = static_cast<Arrival>(i);
        std::ignore = retain(index, false, contract, entry, nullptr, Refusal::never, evicted);
        evicted.clear();
    }
    std::printf("memory\n  %.1f bytes per retained sample\n",
                static_cast<double>(index.memory()) / static_cast<double>(index.size()));
}

}  // namespace durability::store::bench

namespace {

using durability::store::bench::Setup;

[[noreturn]] void usage() {
    std::fputs(
        "usage: store_bench [--directory DIR] [--samples N] [--runs N] [--logs A,B] [ROW...]\n"
        "rows: append recovery compaction logs memory\n",
        stderr);
    std::exit(64);
}

void set(Setup& setup, std::string_view option, const std::string& value) {
    if (option == "--directory") {
        setup.directory = value;
    } else if (option == "--samples") {
        setup.samples = std::max(1000LL, std::atoll(value.c_str()));
    } else if (option == "--runs") {
        setup.runs = static_cast<std::size_t>(std::max(1LL, std::atoll(value.c_str())));
    } else if (option == "--logs") {
        setup.logs.clear();
        std::istringstream words(value);
        for (std::string word; std::getline(words, word, ',');)
            setup.logs.push_back(std::stoul(word));
    } else {
        usage();
    }
}

}  // namespace

int main(int argc, char** argv) {
    using namespace durability::store::bench;
    const std::vector<std::pair<std::string, std::function<void(const Setup&)>>> rows{
        {"append", append_rows},
        {"recovery", recovery_rows},
        {"compaction", compaction_rows},
        {"logs", many_logs_rows},
        {"memory", memory_row}};
    Setup setup;
    setup.directory = "store_bench.tmp";
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("--")) {
            if (++i == argc) usage();
            set(setup, word, argv[i]);
        } else {
            wanted.push_back(word);
        }
    }
    for (const std::string& word : wanted) {
        if (std::none_of(rows.begin(), rows.end(), [&](auto& row) { return row.first == word; }))
            usage();
    }
    for (const auto& [name, measure] : rows) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end())
            continue;
        measure(setup);
        clear(setup.directory);
        std::fflush(stdout);
    }
    return 0;
}
