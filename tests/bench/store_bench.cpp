// The store by itself, beside what the machine can do: append, recovery, memory. Printed, compared
// by hand (performance.md, rows P7 to P9); nothing here is an assertion.
//   store_bench [DIRECTORY] [SAMPLES]
#include "base/crc32c.hpp"
#include "store/log_format.hpp"
#include "store/posix_file_system.hpp"
#include "store/retention.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

using namespace durability;
using namespace durability::store;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Setup {
    std::string directory;
    std::int64_t samples;
    std::size_t batch{1000};
    std::size_t payload{104};
};

Contract keep(std::uint64_t depth) {
    Contract contract;
    contract.depth = depth;
    contract.max_samples = contract.max_instances = unlimited;
    return contract;
}

void clear(PosixFileSystem& files, const std::string& folder) {
    const auto entries = files.list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
        const std::string path = folder + "/" + entry.name;
        if (entry.kind == FileKind::directory) {
            clear(files, path);
        } else {
            std::ignore = files.remove(path);
        }
    }
    std::ignore = files.remove_directory(folder);
}

std::unique_ptr<Store> open(PosixFileSystem& files, const Setup& setup, SyncPolicy sync) {
    StoreOptions options;
    options.disk_directory = setup.directory + "/disk";
    options.memory_directory = setup.directory + "/mem";
    options.sync = sync;
    std::vector<Completion> out;
    auto opened = Store::open(files, options, WallTime{}, out);
    if (!opened) {
        std::fprintf(stderr, "%s\n", opened.error().text().c_str());
        std::exit(1);
    }
    return std::move(*opened);
}

GroupHandle topic(Store& store, std::uint64_t depth) {
    GroupMeta meta;
    meta.key.topic = "bench";
    meta.key.type = "bench::Sample";
    meta.contract = keep(depth);
    std::vector<Completion> out;
    store.execute(OpenGroup{1, meta}, out);
    return std::get<GroupOpened>(out.back()).result->handle;
}

// One group commit after the other, as a single thread would do them.
double append_rate(PosixFileSystem& files,
                   const Setup& setup,
                   SyncPolicy sync,
                   std::uint64_t depth) {
    clear(files, setup.directory);
    const auto store = open(files, setup, sync);
    const GroupHandle group = topic(*store, depth);
    const Buffer payload(setup.payload, 7);
    SampleMeta meta;
    meta.id.writer.prefix.octets[0] = 1;
    std::vector<Completion> out;
    const auto begin = Clock::now();
    for (std::int64_t number = 1; number <= setup.samples;) {
        Append command;
        for (std::size_t i = 0; i < setup.batch && number <= setup.samples; ++i, ++number) {
            meta.id.number = {number};
            command.batch.add(
                group, meta.id.writer, {number}, meta, WallTime{}, Payload::borrowed(payload));
        }
        store->execute(std::move(command), out);
        SyncJob job = store->begin_sync(out);
        Store::run(job);
        store->end_sync(std::move(job), out);
        while (store->work_due())
            store->do_slice(out);
        out.clear();
    }
    const double rate = static_cast<double>(setup.samples) / seconds_since(begin);
    const StoreStatus status = store->status();
    std::printf("    %.1f bytes of disk per sample appended, %llu compactions\n",
                static_cast<double>(status.disk_bytes) / static_cast<double>(setup.samples),
                static_cast<unsigned long long>(status.compactions));
    std::ignore = store->close(out);
    return rate;
}

// The same bytes in the same groups: one write and one fdatasync each.
double raw_rate(PosixFileSystem& files, const Setup& setup, bool sync) {
    clear(files, setup.directory);
    std::ignore = files.make_directory(setup.directory);
    auto file = files.open(setup.directory + "/raw", OpenMode::create);
    if (!file) return 0;
    const Buffer bytes(setup.batch * sample_frame_size(0, setup.payload), 7);
    std::uint64_t offset = 0;
    const auto begin = Clock::now();
    for (std::int64_t done = 0; done < setup.samples;
         done += static_cast<std::int64_t>(setup.batch)) {
        std::ignore = (*file)->write(offset, bytes);
        if (sync) std::ignore = (*file)->sync();
        offset += bytes.size();
    }
    return static_cast<double>(setup.samples) / seconds_since(begin);
}

// Reading and checksumming every byte of the logs.
double read_seconds(PosixFileSystem& files, const std::string& folder, std::uint64_t& bytes) {
    Buffer buffer(256U << 10U);
    std::uint32_t sum = 0;
    const auto begin = Clock::now();
    const auto entries = files.list(folder);
    if (!entries) return 0;
    for (const DirectoryEntry& entry : *entries) {
        const std::string path = folder + "/" + entry.name;
        if (entry.kind == FileKind::directory) {
            std::ignore = read_seconds(files, path, bytes);
            continue;
        }
        auto file = files.open(path, OpenMode::read_only);
        if (!file) continue;
        for (std::uint64_t offset = 0;;) {
            const auto got = (*file)->read(offset, buffer);
            if (!got || *got == 0) break;
            sum ^= crc32c({buffer.data(), *got});
            offset += *got;
            bytes += *got;
        }
    }
    if (sum == 1) std::puts("");  // the sum is used
    return seconds_since(begin);
}

void recovery(PosixFileSystem& files, const Setup& setup) {
    std::puts("recovery");
    std::ignore =
        append_rate(files, setup, SyncPolicy::none, static_cast<std::uint64_t>(setup.samples));
    for (int round = 0; round < 3; ++round) {
        std::uint64_t bytes = 0;
        const double reading = read_seconds(files, setup.directory + "/disk", bytes);
        const auto begin = Clock::now();
        const auto store = open(files, setup, SyncPolicy::commit);
        const double opening = seconds_since(begin);
        std::printf(
            "  %lld samples, %.1f MB: read and CRC %.1f ms, recovery %.1f ms (ratio %.2f)\n",
            static_cast<long long>(setup.samples),
            static_cast<double>(bytes) / 1e6,
            reading * 1e3,
            opening * 1e3,
            reading / opening);
    }
}

void memory(std::int64_t samples) {
    SampleIndex index(false);
    const Contract contract = keep(static_cast<std::uint64_t>(samples));
    std::vector<SampleIndex::Entry> evicted;
    SampleIndex::Entry entry;
    for (std::int64_t i = 1; i <= samples + samples / 2; ++i) {
        entry.arrival = static_cast<Arrival>(i);
        std::ignore = retain(index, false, contract, entry, nullptr, Refusal::never, evicted);
        evicted.clear();
    }
    std::printf("memory\n  %.1f bytes per retained sample\n",
                static_cast<double>(index.memory()) / static_cast<double>(index.size()));
}

}  // namespace

int main(int argc, char** argv) {
    Setup setup;
    setup.directory = argc > 1 ? argv[1] : "store_bench.tmp";
    setup.samples = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
    if (setup.samples < 1) return 64;
    PosixFileSystem files;
    for (const std::size_t batch : {std::size_t{100}, std::size_t{1000}}) {
        setup.batch = batch;
        std::printf("append, %zu bytes, groups of %zu\n", setup.payload, batch);
        const double raw = raw_rate(files, setup, true);
        const double raw_unsynced = raw_rate(files, setup, false);
        std::printf("  raw write and fdatasync %.0f/s, raw write %.0f/s\n", raw, raw_unsynced);
        const auto depth = static_cast<std::uint64_t>(setup.samples);
        const double commit = append_rate(files, setup, SyncPolicy::commit, depth);
        std::printf("  commit    %.0f/s (ratio %.2f)\n", commit, commit / raw);
        const double none = append_rate(files, setup, SyncPolicy::none, depth);
        std::printf("  none      %.0f/s (ratio %.2f)\n", none, none / raw_unsynced);
        const double last = append_rate(files, setup, SyncPolicy::commit, 1);
        std::printf("  commit, KEEP_LAST 1 %.0f/s (ratio %.2f)\n", last, last / raw);
    }
    recovery(files, setup);
    memory(setup.samples);
    clear(files, setup.directory);
    return 0;
}
