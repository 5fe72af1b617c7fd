// The store on its threads: order, group commit, refusal when full, a stop that loses nothing.
#include "store/store_thread.hpp"

#include "store_world.hpp"

#include "store/posix_file_system.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace durability;
using namespace durability::store;
using namespace durability::test;

namespace {

// Gathers completions and lets a test wait for a number of them.
class Inbox {
  public:
    void put(std::vector<Completion> items) {
        {
            const std::lock_guard lock(mutex_);
            for (Completion& item : items)
                items_.push_back(std::move(item));
        }
        arrived_.notify_all();
    }
    template <class Predicate>
    bool wait(Predicate done) {
        std::unique_lock lock(mutex_);
        return arrived_.wait_for(lock, std::chrono::seconds{60}, [&] { return done(items_); });
    }

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<Completion> items_;
};

std::int64_t committed_in(const std::vector<Completion>& items, const Guid& writer) {
    std::int64_t through = 0;
    for (const Completion& item : items) {
        const auto* committed = std::get_if<Committed>(&item);
        if (committed == nullptr) continue;
        for (const Committed::Mark& mark : committed->marks) {
            if (mark.transport_writer == writer) through = std::max(through, mark.through.value);
        }
    }
    return through;
}

Command one_sample(GroupHandle group, const Guid& writer, std::int64_t number) {
    Append command;
    SampleMeta meta;
    meta.id = {writer, {number}};
    command.batch.add(
        group, writer, {number}, meta, wall_at(1), Payload::owned(payload_of(number)));
    return command;
}

struct TemporaryFolder {
    TemporaryFolder() {
        std::string pattern = "/tmp/durabilityd-store-XXXXXX";
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        PosixFileSystem files;
        remove(files, path);
    }
    static void remove(PosixFileSystem& files, const std::string& folder) {
        const auto entries = files.list(folder);
        if (!entries) return;
        for (const DirectoryEntry& entry : *entries) {
            const std::string inner = folder + "/" + entry.name;
            if (entry.kind == FileKind::directory) {
                remove(files, inner);
            } else {
                std::ignore = files.remove(inner);
            }
        }
        std::ignore = files.remove_directory(folder);
    }
    std::string path;
};

}  // namespace

TEST_CASE("several threads submit, everything is committed, and a stop loses nothing") {
    PosixFileSystem files;
    const TemporaryFolder folder;
    StoreWorld world(files);
    world.options.disk_directory = folder.path + "/disk";
    world.options.memory_directory = folder.path + "/mem";
    world.options.sync = GENERATE(SyncPolicy::commit, SyncPolicy::interval, SyncPolicy::none);
    world.options.compaction_floor = 16U << 10U;
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(100)));
    Inbox inbox;
    StoreThreadOptions options;
    options.sync = world.options.sync;
    options.sync_interval = std::chrono::milliseconds{5};
    auto thread =
        StoreThread::start(std::move(world.store), options, [&](std::vector<Completion> items) {
            inbox.put(std::move(items));
        });
    constexpr std::int64_t count = 1500;
    std::vector<std::jthread> writers;
    std::atomic<bool> refused{false};
    for (std::uint8_t w = 1; w <= 3; ++w) {
        writers.emplace_back([&, w] {
            for (std::int64_t i = 1; i <= count; ++i) {
                Command command = one_sample(topic, writer_guid(w), i);
                while (!thread->submit(command))
                    std::this_thread::yield();
                if (i % 500 == 0) {
                    Command list = ListSamples{7, topic, 0, max_arrival, 10};
                    if (!thread->submit(list)) refused = true;
                }
            }
        });
    }
    writers.clear();
    CHECK_FALSE(refused);
    CHECK(inbox.wait([&](const std::vector<Completion>& items) {
        return committed_in(items, writer_guid(1)) == count &&
               committed_in(items, writer_guid(2)) == count &&
               committed_in(items, writer_guid(3)) == count;
    }));
    CHECK(thread->stop());
    Command late = one_sample(topic, writer_guid(1), count + 1);
    CHECK_FALSE(thread->submit(late));
    thread.reset();
    REQUIRE(world.open());
    CHECK(world.kept(world.opened("t").handle).size() == 100);
    CHECK(world.count(EventKind::TornTailTruncated) == 0);
    for (const KnownWriter& writer : world.opened("t").writers)
        CHECK(writer.last_stored.value == count);
}

TEST_CASE("a full queue takes no append and leaves the command as it was") {
    FaultyFileSystem files;
    StoreWorld world(files);
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
    StoreThreadOptions options;
    options.queue_items = 4;
    std::mutex gate;
    std::unique_lock held(gate);
    auto thread = StoreThread::start(std::move(world.store), options, [&](std::vector<Completion>) {
        const std::lock_guard wait(gate);  // the store thread stands still
    });
    std::int64_t number = 1;
    bool refused = false;
    for (; number <= 1000 && !refused; ++number) {
        Command command = one_sample(topic, writer_guid(1), number);
        refused = !thread->submit(command);
        if (refused) CHECK(std::get<Append>(command).batch.entries().size() == 1);
    }
    CHECK(refused);
    Command sweep = Sweep{wall_at(1), {}};
    CHECK(thread->submit(sweep));
    held.unlock();
    CHECK(thread->stop());
}

TEST_CASE(
    "a second process is refused with the holder's pid, and a killed one leaves nothing in the "
    "way") {
    const TemporaryFolder folder;
    int ready[2] = {-1, -1};
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        PosixFileSystem files;
        StoreWorld world(files);
        world.options.disk_directory = folder.path + "/disk";
        world.options.memory_directory = folder.path + "/mem";
        const char answer = world.open() ? 'y' : 'n';
        if (answer == 'y') {
            const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(10)));
            for (int i = 1; i <= 3; ++i)
                world.append(topic, writer_guid(1), i, payload_of(i));
        }
        if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
        while (true)
            ::pause();
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    REQUIRE(answer == 'y');
    PosixFileSystem files;
    StoreWorld world(files);
    world.options.disk_directory = folder.path + "/disk";
    world.options.memory_directory = folder.path + "/mem";
    CHECK_FALSE(world.open());
    CHECK(world.error.code == Errc::in_use);
    CHECK(world.error.detail.find(world.options.disk_directory + "/lease") != std::string::npos);
    CHECK(world.error.detail.find(std::to_string(child)) != std::string::npos);
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    ::close(ready[0]);
    ::close(ready[1]);
    REQUIRE(world.open());
    CHECK(world.kept(world.opened("t").handle).size() == 3);
}

TEST_CASE("a folder that cannot be used is refused with path and reason") {
    PosixFileSystem files;
    const TemporaryFolder folder;
    auto blocker = files.open(folder.path + "/disk", OpenMode::create);
    REQUIRE(blocker);
    StoreWorld world(files);
    world.options.disk_directory = folder.path + "/disk";
    world.options.memory_directory = folder.path + "/mem";
    CHECK_FALSE(world.open());
    CHECK(world.error.text().find(folder.path + "/disk") != std::string::npos);
}

TEST_CASE("more logs than files that may be open") {
    PosixFileSystem files;
    const TemporaryFolder folder;
    StoreWorld world(files);
    world.options.disk_directory = folder.path + "/disk";
    world.options.memory_directory = folder.path + "/mem";
    world.options.limits.open_files = 16;
    REQUIRE(world.open());
    const GroupHandle topic = world.group(unkeyed_topic("t", keep_last(1000)));
    for (int round = 1; round <= 2; ++round) {
        for (std::uint8_t w = 1; w <= 60; ++w)
            world.append(topic, writer_guid(w), round, payload_of(w));
    }
    world.sync();
    CHECK(world.store->status().open_files <= 16);
    CHECK(world.kept(topic).size() == 120);
    for (std::uint8_t w = 1; w <= 60; ++w)
        CHECK(world.committed(topic, writer_guid(w)) == 2);
    REQUIRE(world.reopen());
    CHECK(world.kept(world.opened("t").handle).size() == 120);
}
