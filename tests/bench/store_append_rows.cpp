// Appending, recovering and compacting one long log.
#include "store_bench.hpp"

#include "base/crc32c.hpp"
#include "store/log_format.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <tuple>

namespace durability::store::bench {
namespace {

constexpr auto sync_interval = std::chrono::milliseconds{100};

// Tells under SyncPolicy::interval when a sync is due.
class Interval {
  public:
    bool due() {
        const auto now = Clock::now();
        if (now < next_) return false;
        next_ = now + sync_interval;
        return true;
    }

  private:
    Clock::time_point next_{Clock::now() + sync_interval};
};

AppendBatch batch_of(GroupHandle group, const Setup& setup, std::int64_t first, std::size_t count) {
    AppendBatch batch;
    const Buffer payload(setup.payload, 7);
    SampleMeta meta;
    meta.id.writer.prefix.octets[0] = 1;
    for (std::size_t i = 0; i < count; ++i) {
        meta.id.number = {first + static_cast<std::int64_t>(i)};
        batch.add(
            group, meta.id.writer, meta.id.number, meta, WallTime{}, Payload::borrowed(payload));
    }
    return batch;
}

struct Appended {
    double rate{0};
    double bytes_per_sample{0};
    std::uint64_t compactions{0};
    std::uint64_t syncs{0};  // of groups, by run()
};

Appended append(const Setup& setup, SyncPolicy sync, std::uint64_t depth, std::size_t group_size) {
    clear(setup.directory);
    PosixFileSystem files;
    const auto store = open_store(files, setup, sync);
    const GroupHandle group = open_topic(*store, "bench", keep_last(depth));
    std::vector<Completion> out;
    Interval interval;
    Appended result;
    const auto begin = Clock::now();
    for (std::int64_t number = 1; number <= setup.samples;
         number += static_cast<std::int64_t>(group_size)) {
        const bool due = sync == SyncPolicy::interval && interval.due();
        commit(*store, batch_of(group, setup, number, group_size), due);
        if (due || sync == SyncPolicy::commit) ++result.syncs;
        while (store->work_due())
            store->do_slice(out);
        out.clear();
    }
    result.rate = static_cast<double>(setup.samples) / seconds_since(begin);
    const StoreStatus status = store->status();
    result.bytes_per_sample =
        static_cast<double>(status.disk_bytes) / static_cast<double>(setup.samples);
    result.compactions = status.compactions;
    std::ignore = store->close(out);
    return result;
}

// The same bytes in the same groups, one write each, with as many fdatasync as the store made.
double append_raw(const Setup& setup, std::uint64_t syncs, std::size_t group_size) {
    clear(setup.directory);
    PosixFileSystem files;
    std::ignore = files.make_directory(setup.directory);
    auto file = files.open(setup.directory + "/raw", OpenMode::create);
    if (!file) return 0;
    const Buffer bytes(group_size * sample_frame_size(0, setup.payload), 7);
    const auto step = static_cast<std::int64_t>(group_size);
    const auto groups = static_cast<std::uint64_t>((setup.samples + step - 1) / step);
    std::uint64_t offset = 0;
    std::uint64_t synced = 0;
    const auto begin = Clock::now();
    for (std::uint64_t group = 1; group <= groups; ++group) {
        std::ignore = (*file)->write(offset, bytes);
        offset += bytes.size();
        if (synced < group * syncs / groups) {
            std::ignore = (*file)->sync();
            ++synced;
        }
    }
    return static_cast<double>(setup.samples) / seconds_since(begin);
}

void append_row(const Setup& setup,
                const char* name,
                SyncPolicy sync,
                std::uint64_t depth,
                std::size_t group_size) {
    std::vector<double> stores;
    std::vector<double> raws;
    Appended last;
    for (std::size_t run = 0; run < setup.runs; ++run) {
        last = append(setup, sync, depth, group_size);
        stores.push_back(last.rate);
        raws.push_back(append_raw(setup, last.syncs, group_size));
    }
    std::printf(
        "  %-20s %9.0f/s, raw %9.0f/s, ratio %.2f; %.1f bytes per sample, %llu compactions\n",
        name,
        median(stores),
        median(raws),
        median(stores) / median(raws),
        last.bytes_per_sample,
        static_cast<unsigned long long>(last.compactions));
}

// Reading and checksumming `from`, writing and syncing the same bytes elsewhere.
double rewrite_raw(const std::string& from, const std::string& to, std::uint64_t bytes) {
    PosixFileSystem files;
    auto source = files.open(from, OpenMode::read_only);
    auto target = files.open(to, OpenMode::create);
    if (!source || !target) return 0;
    Buffer buffer(1U << 20U);
    std::uint32_t sum = 0;
    const auto begin = Clock::now();
    for (std::uint64_t offset = 0; offset < bytes;) {
        const auto got = (*source)->read(offset, buffer);
        if (!got || *got == 0) break;
        sum ^= crc32c({buffer.data(), *got});
        std::ignore = (*target)->write(offset, {buffer.data(), *got});
        offset += *got;
    }
    std::ignore = (*target)->sync();
    if (sum == 1) std::puts("");  // the sum is used
    return seconds_since(begin);
}

struct Latency {
    std::vector<double> quiet;       // milliseconds of one group commit
    std::vector<double> compacting;  // the same with the slice that may come before it
    double compacting_seconds{0};
    std::uint64_t rewritten{0};
};

// A third of a log is retained: its newest frames, or every third of them. The rewriting is
// measured by itself, or between group commits, as the store thread does it.
Latency compact(const Setup& setup, bool scattered, std::size_t group_size) {
    clear(setup.directory);
    QuickFileSystem quick;
    const auto kept = static_cast<std::uint64_t>(setup.samples / 3);
    // One segment, so that there is one log to rewrite.
    constexpr std::uint64_t segment = 8ULL << 30U;
    GroupHandle group = 0;
    std::vector<Completion> out;
    {
        const auto store = open_store(quick, setup, SyncPolicy::none, segment);
        group = open_topic(*store, "bench", keep_last(scattered ? 1 : kept), scattered);
        const Buffer payload(setup.payload, 7);
        SampleMeta meta;
        meta.id.writer.prefix.octets[0] = 1;
        for (std::int64_t number = 1; number <= setup.samples;) {
            AppendBatch batch;
            for (int i = 0; i < 1000; ++i, ++number) {
                meta.id.number = {number};
                if (scattered) {
                    // Every third has an instance of its own, the others replace each other.
                    KeyHash key{};
                    if (number % 3 == 0) {
                        for (unsigned octet = 0; octet < 8; ++octet)
                            key[octet] = static_cast<std::uint8_t>(number >> (8 * octet));
                    }
                    meta.key = InstanceKey{key};
                }
                batch.add(group,
                          meta.id.writer,
                          meta.id.number,
                          meta,
                          WallTime{},
                          Payload::borrowed(payload));
            }
            commit(*store, std::move(batch));
        }
        std::ignore = store->close(out);
    }
    PosixFileSystem files;
    const auto store = open_store(files, setup, SyncPolicy::commit, segment);
    group = open_topic(*store, "bench", keep_last(scattered ? 1 : kept), scattered);
    Latency result;
    std::int64_t number = setup.samples + 1;
    const auto one_commit = [&] {
        const auto begin = Clock::now();
        commit(*store, batch_of(group, setup, number, group_size));
        number += static_cast<std::int64_t>(group_size);
        return seconds_since(begin) * 1e3;
    };
    const std::uint64_t before = store->status().compactions;
    // Recovery ends the segment and gives it time to die by itself; the regular clean-up then has
    // it rewritten.
    finish_work(*store);
    store->execute(Sweep{WallTime{}, MonoTime{}}, out);
    const auto begin = Clock::now();
    bool busy = true;
    while (busy) {
        const auto turn = Clock::now();
        busy = store->work_due();
        if (busy) store->do_slice(out);
        if (group_size > 0) {
            // Its commit takes along what the slice left for the disk.
            std::ignore = one_commit();
            if (busy) result.compacting.push_back(seconds_since(turn) * 1e3);
        } else {
            busy = sync(*store) || busy;
        }
        out.clear();
    }
    result.compacting_seconds = seconds_since(begin);
    result.rewritten =
        store->status().compactions > before ? store->status().disk_bytes : std::uint64_t{0};
    if (group_size > 0) {
        for (int i = 0; i < 200; ++i)
            result.quiet.push_back(one_commit());
    }
    std::ignore = store->close(out);
    return result;
}

}  // namespace

void append_rows(const Setup& setup) {
    const auto all = static_cast<std::uint64_t>(setup.samples);
    for (const std::size_t group_size : {std::size_t{100}, std::size_t{1000}}) {
        std::printf("append, %zu bytes, groups of %zu, beside plain write and fdatasync\n",
                    setup.payload,
                    group_size);
        append_row(setup, "commit", SyncPolicy::commit, all, group_size);
        append_row(setup, "commit, KEEP_LAST 1", SyncPolicy::commit, 1, group_size);
        append_row(setup, "interval", SyncPolicy::interval, all, group_size);
        append_row(setup, "none", SyncPolicy::none, all, group_size);
    }
}

void recovery_rows(const Setup& setup) {
    std::ignore = append(setup, SyncPolicy::none, static_cast<std::uint64_t>(setup.samples), 1000);
    std::vector<double> reading;
    std::vector<double> opening;
    ReadFiles read;
    for (std::size_t run = 0; run < setup.runs; ++run) {
        read = read_and_checksum(setup.directory + "/disk");
        reading.push_back(read.seconds);
        PosixFileSystem files;
        const auto begin = Clock::now();
        const auto store = open_store(files, setup, SyncPolicy::commit);
        opening.push_back(seconds_since(begin));
    }
    const double megabytes = static_cast<double>(read.bytes) / 1e6;
    std::printf(
        "recovery, beside reading and checksumming (goal 0.50)\n"
        "  %lld samples, %.0f MB: %.0f MB/s, raw %.0f MB/s, ratio %.2f\n",
        static_cast<long long>(setup.samples),
        megabytes,
        megabytes / median(opening),
        megabytes / median(reading),
        median(reading) / median(opening));
}

void compaction_rows(const Setup& setup) {
    std::puts("compaction, beside reading, checksumming, writing and syncing the retained bytes");
    for (const bool scattered : {false, true}) {
        std::vector<double> stores;
        std::vector<double> raws;
        std::uint64_t bytes = 0;
        for (std::size_t run = 0; run < setup.runs; ++run) {
            const Latency alone = compact(setup, scattered, 0);
            bytes = alone.rewritten;
            if (bytes == 0) continue;
            stores.push_back(static_cast<double>(bytes) / alone.compacting_seconds / 1e6);
            std::string log;
            for (const auto& entry :
                 std::filesystem::recursive_directory_iterator(setup.directory + "/disk")) {
                const bool of_topic = entry.path().filename() != "records.log";
                if (of_topic && entry.path().extension() == ".log") log = entry.path().string();
            }
            const double seconds = rewrite_raw(log, setup.directory + "/raw", bytes);
            raws.push_back(static_cast<double>(bytes) / seconds / 1e6);
        }
        std::printf("  %-26s %6.0f MB/s, raw %6.0f MB/s, ratio %.2f; %.0f MB\n",
                    scattered ? "every third frame" : "the newest third",
                    median(stores),
                    median(raws),
                    median(stores) / median(raws),
                    static_cast<double>(bytes) / 1e6);
    }
    Latency busy = compact(setup, false, 100);
    const double appended = static_cast<double>(busy.compacting.size()) * 100;
    std::printf(
        "  groups of 100 meanwhile: median %.2f ms, 99 %% %.2f ms, longest %.1f ms, %.0f/s\n",
        percentile(busy.compacting, 0.5),
        percentile(busy.compacting, 0.99),
        percentile(busy.compacting, 1),
        appended / busy.compacting_seconds);
    double quiet = 0;
    for (const double one : busy.quiet)
        quiet += one / 1e3;
    std::printf(
        "  groups of 100 afterwards: median %.2f ms, 99 %% %.2f ms, longest %.1f ms, %.0f/s\n",
        percentile(busy.quiet, 0.5),
        percentile(busy.quiet, 0.99),
        percentile(busy.quiet, 1),
        static_cast<double>(busy.quiet.size()) * 100 / quiet);
}

}  // namespace durability::store::bench
