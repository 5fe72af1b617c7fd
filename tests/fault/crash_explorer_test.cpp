// The crash explorer: a workload is recorded down to each write, sync, rename and removal; then,
// for every point of the record and for what a file system may make of what was not synced there,
// the store is opened on the disk that is left. What was acknowledged is there, nothing is
// invented, and the next append is found again.
#include "store_world.hpp"

#include "support/recording_file_system.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <unordered_set>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

constexpr std::int64_t t0 = 1'800'000'000;
const Guid w1 = writer_guid(1);
const Guid w2 = writer_guid(2);
const Guid passing = writer_guid(3);  // comes, goes, and expires

struct Sent {
    std::string topic;
    Guid writer;
    std::int64_t number{0};
    std::uint32_t instance{0};
    Lifecycle lifecycle{Lifecycle::data};
    Buffer payload;
    std::size_t set{0};                  // what has the same one is a coherent set; 0: none
    std::size_t begun{0};                // operations before it was sent
    std::size_t acknowledged{SIZE_MAX};  // and before it was known to be safe
    std::size_t withdrawn{SIZE_MAX};     // before it was to go (purge, expiry): it may be gone
    std::size_t gone{SIZE_MAX};          // and before it was known to be gone for good
};

constexpr std::uint64_t latest_depth = 2;

Contract latest_contract() {
    Contract contract = keep_last(latest_depth);
    contract.cleanup_delay = std::chrono::seconds{100};
    return contract;
}

// Runs the day and keeps the books.
class Workload {
  public:
    explicit Workload(SyncPolicy sync) : sync_(sync), world_(files_) {
        set_up(world_, sync);
        run();
    }
    static void set_up(StoreWorld& world, SyncPolicy sync) {
        world.options.segment_bytes = 4096;
        world.options.compaction_floor = 400;
        world.options.sync = sync;
    }
    [[nodiscard]] const std::vector<DiskOperation>& operations() const {
        return files_.operations();
    }
    [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
    [[nodiscard]] std::uint64_t compactions() const { return compactions_; }

  private:
    [[nodiscard]] std::size_t now() const { return files_.operations().size(); }

    void send(const std::string& topic,
              const Guid& writer,
              std::uint32_t instance,
              bool ends = false) {
        const std::int64_t number = ++numbers_[{topic, writer}];
        Sent sent{topic,
                  writer,
                  number,
                  instance,
                  ends ? Lifecycle::dispose : Lifecycle::data,
                  ends ? Buffer{} : payload_of(static_cast<std::int64_t>(sent_.size()), 90),
                  0,
                  now()};
        world_.append(groups_.at(topic),
                      writer,
                      number,
                      sent.payload,
                      topic == "keyed" ? std::optional(key_of(instance)) : std::nullopt,
                      sent.lifecycle,
                      wall_at(t0));
        sent_.push_back(std::move(sent));
    }
    void send_set(const Guid& writer, std::size_t size) {
        const std::string topic = "all";
        std::int64_t& number = numbers_[{topic, writer}];
        std::vector<StoreWorld::Member> members;
        const std::size_t begun = now();
        ++sets_;
        for (std::size_t i = 0; i < size; ++i) {
            members.push_back({payload_of(static_cast<std::int64_t>(sent_.size()), 90)});
            sent_.push_back({topic,
                             writer,
                             number + 1 + static_cast<std::int64_t>(i),
                             0,
                             Lifecycle::data,
                             members.back().payload,
                             sets_,
                             begun});
        }
        world_.append_set(groups_.at(topic), writer, number + 1, members, wall_at(t0));
        number += static_cast<std::int64_t>(size);
    }
    // One job, with `meanwhile` between its begin and its end.
    template <class Meanwhile>
    void commit(Meanwhile meanwhile) {
        // Under `interval` most jobs are not about samples, but about what else has changed.
        const bool due = sync_ != SyncPolicy::interval || ++jobs_ % 5 == 0;
        SyncJob job = world_.store->begin_sync(world_.out, due);
        meanwhile();
        Store::run(job);
        world_.store->end_sync(std::move(job), world_.out);
        note();
    }
    void settle() {
        for (int i = 0; i < 6; ++i) {
            while (world_.store->work_due())
                world_.store->do_slice(world_.out);
            commit([] {});
        }
    }
    void note() {
        const StoreStatus status = world_.store->status();
        for (Sent& sent : sent_) {
            if (sent.acknowledged == SIZE_MAX && is_safe(sent, status)) sent.acknowledged = now();
        }
        for (const Completion& item : world_.out) {
            if (std::holds_alternative<SamplesPurged>(item)) mark_gone("keyed", w2);
            const auto* event = std::get_if<StoreEvent>(&item);
            if (event != nullptr && event->event.kind == EventKind::WriterExpired)
                mark_gone("latest", passing);
        }
    }
    // Acknowledged; under `interval`, where that is less, known to be on disk.
    [[nodiscard]] bool is_safe(const Sent& sent, const StoreStatus& status) const {
        const GroupHandle group = groups_.at(sent.topic);
        if (sync_ != SyncPolicy::interval)
            return world_.committed(group, sent.writer) >= sent.number;
        return std::ranges::any_of(status.groups.at(group).writers, [&](const auto& writer) {
            return writer.source_writer == sent.writer && writer.synced.value >= sent.number;
        });
    }
    void mark_gone(const std::string& topic, const Guid& writer) {
        for (Sent& sent : sent_) {
            if (sent.topic == topic && sent.writer == writer && sent.withdrawn != SIZE_MAX)
                sent.gone = std::min(sent.gone, now());
        }
    }
    void withdraw(const std::string& topic, const Guid& writer) {
        for (Sent& sent : sent_) {
            if (sent.topic == topic && sent.writer == writer)
                sent.withdrawn = std::min(sent.withdrawn, now());
        }
    }

    void run() {
        REQUIRE(world_.open(wall_at(t0)));
        groups_["all"] = world_.group(unkeyed_topic("all", keep_all()));
        groups_["latest"] = world_.group(unkeyed_topic("latest", latest_contract()));
        groups_["keyed"] = world_.group(keyed_topic("keyed", keep_last(1)));
        for (std::uint32_t round = 0; round < 9; ++round) {
            for (std::uint32_t i = 0; i < 6; ++i) {
                send("all", i % 2 == 0 ? w1 : w2, 0);
                send("latest", (round / 2 + i / 2) % 2 == 0 ? w1 : w2, 0);
                send("keyed", w1, i % 3);
            }
            if (round < 5) send("keyed", w2, 7 + round % 2);
            if (round == 2) send("latest", passing, 0);
            send_set(w2, 3);
            commit([&] {
                send("all", w1, 0);
                send_set(w1, 2 + round % 3);
                send("keyed", w1, 1, round % 4 == 3);
            });
            if (round == 3) tell(WriterGone{groups_["latest"], passing, wall_at(t0)});
            if (round == 5) {
                withdraw("keyed", w2);
                tell(PurgeSamples{1, groups_["keyed"], w2, {}});
            }
            if (round == 6) {
                withdraw("latest", passing);
                tell(Sweep{wall_at(t0 + 200), {}});
            }
            tell(SaveRecord{1, RecordKind::frontier, Buffer{1}, payload_of(round, 3000), true});
            if (round % 2 == 1) settle();
            world_.store->idle(world_.out);
        }
        settle();
        compactions_ = world_.store->status().compactions;
        REQUIRE(world_.count(EventKind::StoreDegraded) == 0);
        REQUIRE(world_.count(EventKind::WriterExpired) == 1);
        std::ignore = world_.store->close(world_.out);
    }
    void tell(Command command) {
        world_.store->execute(std::move(command), world_.out);
        note();
        commit([] {});
    }

    SyncPolicy sync_;
    int jobs_{0};
    std::size_t sets_{0};
    RecordingFileSystem files_;
    StoreWorld world_;
    std::map<std::string, GroupHandle> groups_;
    std::map<std::pair<std::string, Guid>, std::int64_t> numbers_;
    std::vector<Sent> sent_;
    std::uint64_t compactions_{0};
};

// Why what was recovered is not what was promised at `point`; empty when it is.
std::string judge(const std::vector<Sent>& sent,
                  const std::string& topic,
                  const std::vector<Kept>& kept,
                  std::size_t point) {
    const auto is = [](const Sent& one, const Kept& other) {
        return one.writer == other.writer && one.number == other.number;
    };
    std::vector<const Sent*> found;
    for (const Kept& one : kept) {
        const auto known = std::ranges::find_if(
            sent, [&](const Sent& other) { return other.topic == topic && is(other, one); });
        if (known == sent.end() || known->begun > point) return "a sample nobody sent";
        if (known->payload != one.payload || known->lifecycle != one.lifecycle)
            return "a sample that was changed";
        if (known->gone <= point) return "a sample that had gone for good";
        if (std::ranges::find(found, &*known) != found.end()) return "a sample twice";
        if (!found.empty() && found.back() > &*known) return "samples out of order";
        found.push_back(&*known);
    }
    if (topic == "all") {
        std::map<std::size_t, std::pair<std::size_t, std::size_t>> sets;  // found and sent of each
        for (const Sent* one : found)
            ++sets[one->set].first;
        for (const Sent& one : sent)
            ++sets[one.set].second;
        for (const auto& [set, counts] : sets) {
            if (set != 0 && counts.first != 0 && counts.first != counts.second)
                return "half of a coherent set";
        }
    }
    const std::uint64_t depth = topic == "all" ? unlimited : topic == "keyed" ? 1 : latest_depth;
    // A value counts against what came before it, an operation against another of its kind only.
    const auto counts_against = [](const Sent& younger, const Sent& older) {
        return younger.topic == older.topic && younger.instance == older.instance &&
               (younger.lifecycle == Lifecycle::data ||
                (younger.lifecycle == older.lifecycle && younger.writer == older.writer));
    };
    for (const Sent* one : found) {
        const auto replaced_by = std::ranges::count_if(sent, [&](const Sent& other) {
            return &other > one && counts_against(other, *one) && other.acknowledged <= point;
        });
        if (static_cast<std::uint64_t>(replaced_by) >= depth) return "a sample that was replaced";
    }
    for (const Sent& one : sent) {
        if (one.topic != topic || one.acknowledged > point || one.withdrawn <= point) continue;
        if (std::ranges::find(found, &one) != found.end()) continue;
        // Only younger samples of its instance may have taken its place, and as many as are kept.
        const auto younger = std::ranges::count_if(
            found, [&](const Sent* other) { return other > &one && counts_against(*other, one); });
        if (static_cast<std::uint64_t>(younger) < depth) return "an acknowledged sample is missing";
    }
    return {};
}

struct Variant {
    DataFate data;
    NameFate names;
    std::uint64_t seeds;
};
constexpr std::array variants{
    Variant{DataFate::lost, NameFate::lost, 1},
    Variant{DataFate::kept, NameFate::kept, 1},
    Variant{DataFate::lost, NameFate::kept, 1},
    Variant{DataFate::kept, NameFate::lost, 1},
    Variant{DataFate::size_only, NameFate::kept, 1},
    Variant{DataFate::half_last, NameFate::kept, 1},
    Variant{DataFate::hole, NameFate::kept, 1},
    Variant{DataFate::random, NameFate::random, 4},
    Variant{DataFate::kept, NameFate::any, 2},
    Variant{DataFate::random, NameFate::any, 2},
};

// Opens the store on that disk and says what is wrong.
std::string explore(const Workload& workload,
                    const Disk& disk,
                    std::size_t point,
                    SyncPolicy sync,
                    bool process_only) {
    FaultyFileSystem files;
    for (const std::string& directory : disk.directories) {
        if (!directory.empty()) std::ignore = files.make_directory(directory);
    }
    for (const auto& [path, content] : disk.files)
        files.put(path, content);
    StoreWorld world(files);
    Workload::set_up(world, sync);
    if (!world.open(wall_at(t0 + 1))) return "not opened: " + world.error.text();
    // Under `none` a power cut may leave whole frames behind a hole, which no commit frame
    // explains.
    const bool promised = sync != SyncPolicy::none || process_only;
    if (promised && world.count(EventKind::CorruptLog) > 0)
        return "taken for damage: " + to_line(*world.find(EventKind::CorruptLog));
    for (const std::string topic : {"all", "latest", "keyed"}) {
        const GroupHandle handle = world.opened(topic).handle;
        const auto kept = handle == ~GroupHandle{0} ? std::vector<Kept>{} : world.kept(handle);
        std::string wrong = judge(workload.sent(), topic, kept, point);
        const bool excused =
            wrong == "an acknowledged sample is missing" || wrong == "a sample that was replaced";
        if (!promised && excused) continue;
        if (!wrong.empty()) return topic + ": " + wrong;
    }
    // It goes on: the writers repeat everything; what is there is not stored again, what is not
    // there is, and a new one is found at the next start.
    const GroupHandle all = world.group(unkeyed_topic("all", keep_all()));
    const auto before = world.kept(all);
    std::size_t count = 1;
    for (const Sent& one : workload.sent()) {
        if (one.topic != "all" || one.begun > point) continue;
        world.append(all, one.writer, one.number, one.payload);
        ++count;
    }
    world.append(all, writer_guid(9), 1, payload_of(7));
    if (!world.reopen()) return "not opened again: " + world.error.text();
    const auto after = world.kept(world.opened("all").handle);
    if (promised && after.size() != count) return "what a writer repeats is not taken";
    if (after.empty() || after.back().writer != writer_guid(9))
        return "the next append is not found";
    if (!std::equal(before.begin(), before.end(), after.begin())) return "changed by a restart";
    for (const std::string& path : files.files()) {
        if (path.ends_with(".tmp")) return "left behind: " + path;
    }
    return {};
}

std::size_t explore_all(SyncPolicy sync, std::size_t stride) {
    const Workload workload(sync);
    REQUIRE(workload.compactions() > 3);
    DiskModel model;
    std::unordered_set<std::uint64_t> seen;
    const auto& operations = workload.operations();
    for (std::size_t point = 0; point <= operations.size(); ++point) {
        if (point > 0) model.apply(operations[point - 1]);
        if (point % stride != 0) continue;
        for (const Variant& variant : variants) {
            for (std::uint64_t seed = 1; seed <= variant.seeds; ++seed) {
                const Disk disk =
                    model.after_power_cut(variant.data, variant.names, point * 16 + seed);
                if (!seen.insert(disk.digest() ^ point * 0x9e3779b97f4a7c15ULL).second) continue;
                const bool process_only =
                    variant.data == DataFate::kept && variant.names == NameFate::kept;
                INFO("after operation " << point << " of " << operations.size() << ", data "
                                        << static_cast<int>(variant.data) << ", names "
                                        << static_cast<int>(variant.names) << ", seed " << seed);
                REQUIRE(explore(workload, disk, point, sync, process_only) == "");
            }
        }
    }
    std::printf("crash explorer, sync %d: %zu operations recorded, %zu disks recovered\n",
                static_cast<int>(sync),
                operations.size(),
                seen.size());
    return seen.size();
}

}  // namespace

TEST_CASE("whatever a power cut leaves of any moment, every promise made before it holds") {
    CHECK(explore_all(SyncPolicy::commit, 1) > 3000);
}

TEST_CASE("with an interval, what was on disk stays, whatever else a power cut takes") {
    CHECK(explore_all(SyncPolicy::interval, 2) > 1000);
}

TEST_CASE("without syncing, a killed process loses nothing, and a power cut only what is newest") {
    CHECK(explore_all(SyncPolicy::none, 4) > 500);
}
