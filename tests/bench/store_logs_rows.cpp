// Very many short logs: what grows with their number, and how.
#include "store_bench.hpp"

#include <cstdio>
#include <filesystem>
#include <tuple>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

namespace durability::store::bench {
namespace {

std::size_t open_descriptors() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::ignore = entry;
        ++count;
    }
    return count - 1;  // the directory itself
}

std::size_t heap() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

class ManyLogs {
  public:
    ManyLogs(const Setup& setup, std::size_t logs, std::size_t groups)
        : setup_(setup), logs_(logs), groups_(groups), payload_(setup.payload, 7) {}

    void measure() {
        clear(setup_.directory);
        std::printf("  %zu logs in %zu group%s\n", logs_, groups_, groups_ == 1 ? "" : "s");
        create();
        open();
        append_to_all();
        heal();
        retire_all();
    }

  private:
    std::unique_ptr<Store> open_here() {
        auto store = open_store(files_, setup_, SyncPolicy::commit);
        handles_.clear();
        Contract contract = keep_last(unlimited);
        contract.cleanup_delay = std::chrono::hours{1};
        for (std::size_t i = 0; i < groups_; ++i) {
            handles_.push_back(open_topic(*store, "bench_" + std::to_string(i), contract));
        }
        return store;
    }

    [[nodiscard]] Guid writer(std::size_t index) const {
        Guid guid;
        for (unsigned octet = 0; octet < 4; ++octet)
            guid.prefix.octets[octet] = static_cast<std::uint8_t>(index >> (8 * octet));
        guid.prefix.octets[11] = 1;
        guid.entity = EntityId{0x103};
        return guid;
    }

    // One to three samples of each writer, in batches of a hundred writers.
    void append(Store& store, std::int64_t first, std::size_t count) {
        for (std::size_t index = 0; index < logs_;) {
            AppendBatch batch;
            for (std::size_t i = 0; i < 100 && index < logs_; ++i, ++index) {
                const std::size_t samples = count == 0 ? 1 + index % 3 : count;
                SampleMeta meta;
                meta.id.writer = writer(index);
                for (std::size_t sample = 0; sample < samples; ++sample) {
                    meta.id.number = {first + static_cast<std::int64_t>(sample)};
                    batch.add(handles_[index % groups_],
                              meta.id.writer,
                              meta.id.number,
                              meta,
                              WallTime{},
                              Payload::borrowed(payload_));
                }
            }
            commit(store, std::move(batch));
        }
    }

    void print(const char* what, double seconds, double raw) const {
        std::printf("    %-28s %8.1f ms, %6.1f us a log",
                    what,
                    seconds * 1e3,
                    seconds * 1e6 / static_cast<double>(logs_));
        if (raw > 0) std::printf(", raw %.1f ms, ratio %.2f", raw * 1e3, raw / seconds);
        std::puts("");
        std::fflush(stdout);
    }

    void create() {
        const auto store = open_here();
        const auto begin = Clock::now();
        append(*store, 1, 0);
        print("made, without syncs", seconds_since(begin), 0);
        std::vector<Completion> out;
        const auto closing = Clock::now();
        std::ignore = store->close(out);
        print("closed, without syncs", seconds_since(closing), 0);
    }

    void open() {
        std::vector<double> reading;
        std::vector<double> opening;
        std::size_t descriptors = 0;
        std::size_t memory = 0;
        for (std::size_t run = 0; run < setup_.runs; ++run) {
            reading.push_back(read_and_checksum(setup_.directory + "/disk").seconds);
            const std::size_t heap_before = heap();
            const std::size_t descriptors_before = open_descriptors();
            const auto begin = Clock::now();
            const auto store = open_store(files_, setup_, SyncPolicy::commit);
            opening.push_back(seconds_since(begin));
            descriptors = open_descriptors() - descriptors_before;
            memory = heap() - heap_before;
        }
        print("opened, beside reading all", median(opening), median(reading));
        std::printf("    %zu descriptors open, %.0f bytes of memory a log\n",
                    descriptors,
                    static_cast<double>(memory) / static_cast<double>(logs_));
    }

    void append_to_all() {
        // The raw figure: open, write and close each file once.
        PosixFileSystem plain;
        const auto begin_raw = Clock::now();
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(setup_.directory + "/disk")) {
            if (entry.path().extension() != ".log") continue;
            auto file = plain.open(entry.path().string(), OpenMode::read_write);
            const auto size = file ? (*file)->size() : Result<std::uint64_t>(0);
            if (!file || !size) continue;
            std::ignore = (*file)->write(*size, payload_);
            std::ignore = (*file)->truncate(*size);
        }
        const double raw = seconds_since(begin_raw);
        const std::size_t descriptors_before = open_descriptors();
        const auto store = open_here();
        const auto begin = Clock::now();
        append(*store, 10, 1);
        print("one more each, without syncs", seconds_since(begin), raw);
        std::printf("    %zu descriptors open\n", open_descriptors() - descriptors_before);
        std::vector<Completion> out;
        const auto idle = Clock::now();
        store->idle(out);
        print("commit frames when idle", seconds_since(idle), 0);
        std::ignore = store->close(out);
    }

    // All writes fail for a while; then everything is written again.
    void heal() {
        const auto store = open_here();
        std::vector<Completion> out;
        files_.refusing = true;
        const auto begin = Clock::now();
        append(*store, 20, 1);
        print("one more each, refused", seconds_since(begin), 0);
        files_.refusing = false;
        const auto healing = Clock::now();
        store->retry(out);
        finish_work(*store);
        print("healed, without syncs", seconds_since(healing), 0);
        if (store->degraded()) std::puts("    not healed");
        std::ignore = store->close(out);
    }

    // All writers go; their histories go on the spot, with their files.
    void retire_all() {
        const auto store = open_here();
        std::vector<Completion> out;
        const auto begin = Clock::now();
        for (std::size_t index = 0; index < logs_; ++index) {
            store->execute(WriterGone{handles_[index % groups_], writer(index), WallTime{}}, out);
            out.clear();
        }
        print("all writers retired", seconds_since(begin), 0);
        const auto sweeping = Clock::now();
        const std::chrono::hours far{24 * 365 * 10};
        store->execute(Sweep{WallTime{far}, MonoTime{far}}, out);
        finish_work(*store);
        print("swept and compacted", seconds_since(sweeping), 0);
        std::printf("    %llu samples retained afterwards\n",
                    static_cast<unsigned long long>(store->status().retained));
        std::ignore = store->close(out);
    }

    const Setup& setup_;
    std::size_t logs_;
    std::size_t groups_;
    Buffer payload_;
    QuickFileSystem files_;
    std::vector<GroupHandle> handles_;
};

}  // namespace

void many_logs_rows(const Setup& setup) {
    std::puts("many logs of one to three samples");
    for (const std::size_t groups : {std::size_t{1}, std::size_t{200}}) {
        for (const std::size_t logs : setup.logs)
            ManyLogs(setup, logs, groups).measure();
    }
}

}  // namespace durability::store::bench
