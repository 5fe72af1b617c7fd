// The store on its threads: order, group commit, refusal when full, a stop that loses nothing.
#include "store/store_thread.hpp"

#include "store_world.hpp"

#include "store/posix_file_system.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
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

namespace {

// Real files on a disk that stops answering when told to.
class Hanging final : public FileSystem {
  public:
    void hang(bool now) {
        {
            const std::lock_guard lock(mutex_);
            hangs_ = now;
        }
        released_.notify_all();
    }
    bool wait_for_victim() {
        std::unique_lock lock(mutex_);
        return released_.wait_for(lock, std::chrono::seconds{60}, [&] { return waiting_ > 0; });
    }
    Result<std::shared_ptr<File>> open(const std::string& path, OpenMode mode) override {
        auto file = files_.open(path, mode);
        if (!file) return file;
        return std::shared_ptr<File>(std::make_shared<HangingFile>(*this, std::move(*file)));
    }
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) override {
        return files_.list(directory);
    }
    Status make_directory(const std::string& path) override { return files_.make_directory(path); }
    Status rename(const std::string& from, const std::string& to) override {
        return files_.rename(from, to);
    }
    Status remove(const std::string& path) override { return files_.remove(path); }
    Status remove_directory(const std::string& path) override {
        return files_.remove_directory(path);
    }
    Status sync_directory(const std::string& path) override {
        wait();
        return files_.sync_directory(path);
    }
    Result<std::uint64_t> free_bytes(const std::string& path) override {
        return files_.free_bytes(path);
    }
    Result<std::unique_ptr<Lease>> lock(const std::string& path) override {
        return files_.lock(path);
    }

  private:
    class HangingFile final : public File {
      public:
        HangingFile(Hanging& disk, std::shared_ptr<File> file)
            : disk_(disk), file_(std::move(file)) {}
        Result<std::size_t> read(std::uint64_t offset, std::span<std::uint8_t> out) override {
            return file_->read(offset, out);
        }
        Status write(std::uint64_t offset, ByteView bytes) override {
            return file_->write(offset, bytes);
        }
        Status truncate(std::uint64_t size) override { return file_->truncate(size); }
        Status sync() override {
            disk_.wait();
            return file_->sync();
        }
        Result<std::uint64_t> size() override { return file_->size(); }

      private:
        Hanging& disk_;
        std::shared_ptr<File> file_;
    };
    void wait() {
        std::unique_lock lock(mutex_);
        ++waiting_;
        released_.notify_all();
        released_.wait(lock, [&] { return !hangs_; });
        --waiting_;
    }

    PosixFileSystem files_;
    std::mutex mutex_;
    std::condition_variable released_;
    bool hangs_{false};
    int waiting_{0};
};

const SamplesRead* last_read(const std::vector<Completion>& items) {
    for (auto at = items.rbegin(); at != items.rend(); ++at) {
        if (const auto* read = std::get_if<SamplesRead>(&*at)) return read;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("a disk that hangs holds up its own acknowledgements, and a stop for a bounded time") {
    // Both outlive the threads that are left to themselves.
    static std::vector<std::unique_ptr<Hanging>> disks;
    Hanging& files = *disks.emplace_back(std::make_unique<Hanging>());
    const auto kept_inbox = std::make_shared<Inbox>();
    Inbox& inbox = *kept_inbox;
    const TemporaryFolder folder;
    StoreWorld world(files);
    world.options.disk_directory = folder.path + "/disk";
    world.options.memory_directory = folder.path + "/mem";
    REQUIRE(world.open());
    const GroupHandle disk = world.group(unkeyed_topic("disk", keep_last(100)));
    world.append(disk, writer_guid(1), 1, payload_of(1));
    world.sync();
    StoreThreadOptions options;
    options.stop_timeout = std::chrono::milliseconds{300};
    options.stuck_after = std::chrono::milliseconds{50};
    auto thread = StoreThread::start(
        std::move(world.store), options, [kept_inbox](std::vector<Completion> items) {
            kept_inbox->put(std::move(items));
        });
    files.hang(true);
    Command append = one_sample(disk, writer_guid(1), 2);
    REQUIRE(thread->submit(append));
    REQUIRE(files.wait_for_victim());

    GroupMeta meta = unkeyed_topic("memory", keep_last(10));
    meta.storage = StorageKind::memory;
    Command open = OpenGroup{3, meta};
    REQUIRE(thread->submit(open));
    GroupHandle memory = 0;
    REQUIRE(inbox.wait([&](const std::vector<Completion>& items) {
        for (const Completion& item : items) {
            const auto* opened = std::get_if<GroupOpened>(&item);
            if (opened == nullptr || !opened->result) continue;
            memory = opened->result->handle;
            return true;
        }
        return false;
    }));
    Command to_memory = one_sample(memory, writer_guid(2), 1);
    REQUIRE(thread->submit(to_memory));
    CHECK(inbox.wait([&](const std::vector<Completion>& items) {
        return committed_in(items, writer_guid(2)) == 1;
    }));
    Command read = ReadSamples{5, disk, {1}};
    REQUIRE(thread->submit(read));
    CHECK(inbox.wait([&](const std::vector<Completion>& items) {
        const SamplesRead* answer = last_read(items);
        return answer != nullptr && answer->samples.size() == 1;
    }));
    // Said once, after a while.
    CHECK(inbox.wait([&](const std::vector<Completion>& items) {
        return std::any_of(items.begin(), items.end(), [](const Completion& item) {
            const auto* event = std::get_if<StoreEvent>(&item);
            return event != nullptr && event->event.kind == EventKind::StoreDegraded;
        });
    }));
    CHECK(inbox.wait([&](const std::vector<Completion>& items) {
        return committed_in(items, writer_guid(1)) == 0;
    }));

    SECTION("it answers again") {
        files.hang(false);
        CHECK(inbox.wait([&](const std::vector<Completion>& items) {
            return committed_in(items, writer_guid(1)) == 2;
        }));
        CHECK(thread->stop());
    }
    SECTION("it does not") {
        CHECK_FALSE(thread->stop());
        thread.reset();
        files.hang(false);
        // What was left to itself ends, and gives back the lease.
        StoreWorld again(files);
        again.options = world.options;
        while (!again.open() && again.error.code == Errc::in_use)
            std::this_thread::yield();
        REQUIRE(again.store);
        CHECK(again.kept(again.opened("disk").handle).size() == 2);
    }
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
