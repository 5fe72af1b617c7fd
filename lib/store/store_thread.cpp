#include "store/store_thread.hpp"

#include "base/bounded_queue.hpp"
#include "base/pulse.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>

#include <pthread.h>

namespace durability::store {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// The layer's one exception to "time is an argument": these threads wait, and nothing they decide
// depends on what time it is (style-and-layout, section 4).
SteadyTime steady_now() {
    return std::chrono::steady_clock::now();
}

// Idle for this long: pending commit frames are written.
constexpr auto idle_after = std::chrono::milliseconds{200};

void name_thread(const char* name) {
    std::ignore = ::pthread_setname_np(::pthread_self(), name);
}

// Hands one job at a time to the sync thread and back.
class SyncLane {
  public:
    // From the store thread: the lane must be free.
    void put(SyncJob job) {
        {
            const std::lock_guard lock(mutex_);
            job_ = std::move(job);
        }
        changed_.notify_all();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }
    // The sync thread's whole life. `wake` tells the store thread that a job is done.
    template <class Wake>
    void serve(Wake wake) {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return closed_ || job_.has_value(); });
            if (!job_) return;
            SyncJob job = std::move(*job_);
            job_.reset();
            lock.unlock();
            const SteadyTime begun = steady_now();
            Store::run(job);
            const auto took = steady_now() - begun;
            lock.lock();
            times_.add(took);
            done_ = std::move(job);
            // Whoever is woken asks for the lock first.
            lock.unlock();
            wake();
            changed_.notify_all();
            lock.lock();
        }
    }
    [[nodiscard]] std::optional<SyncJob> take_done() {
        const std::lock_guard lock(mutex_);
        return std::exchange(done_, std::nullopt);
    }
    [[nodiscard]] DurationHistogram times() const {
        const std::lock_guard lock(mutex_);
        return times_;
    }
    // Waits for the job in the lane; nothing when it takes longer than `until`.
    [[nodiscard]] std::optional<SyncJob> wait_done(SteadyTime until) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, until, [this] { return done_.has_value(); })) return {};
        return std::exchange(done_, std::nullopt);
    }

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    DurationHistogram times_;
    std::optional<SyncJob> job_;
    std::optional<SyncJob> done_;
    bool closed_{false};
};

// What travels in the queue: a command, or a knock: by the sync thread, or by who asks for the
// pulse.
using Message = std::optional<Command>;

}  // namespace

// Shared by the owner and, when the disk hangs at stop, by the threads that outlive it.
struct StoreThread::Impl : std::enable_shared_from_this<StoreThread::Impl> {
    Impl(std::unique_ptr<Store> the_store,
         StoreThreadOptions the_options,
         std::function<void(std::vector<Completion>)> the_deliver)
        : store(std::move(the_store)),
          options(std::move(the_options)),
          deliver(std::move(the_deliver)),
          queue(options.queue_items, options.queue_bytes) {}

    void run();
    void turn(std::vector<Message> messages);
    void take_job();
    void start_job();
    void watch_job(SteadyTime now);
    void hand_over();
    [[nodiscard]] std::chrono::nanoseconds patience() const;

    std::unique_ptr<Store> store;  // by the store thread only
    StoreThreadOptions options;
    std::function<void(std::vector<Completion>)> deliver;
    BoundedQueue<Message> queue;
    SyncLane lane;
    Pulse pulse;

    // Of the store thread.
    std::vector<Completion> out;
    bool syncing{false};
    SteadyTime job_begun{};
    bool job_is_slow{false};
    bool job_is_stuck{false};
    bool was_busy{false};  // appended to since the last idle moment
    SteadyTime last_append{};
    SteadyTime next_interval{};
    SteadyTime next_retry{};

    // Between the store thread and stop().
    std::mutex mutex;
    std::condition_variable finished;
    bool is_finished{false};
    bool joined{false};
    std::jthread store_thread;
    std::jthread sync_thread;
};

std::unique_ptr<StoreThread> StoreThread::start(
    std::unique_ptr<Store> store,
    StoreThreadOptions options,
    std::function<void(std::vector<Completion>)> deliver) {
    auto impl = std::make_shared<Impl>(std::move(store), std::move(options), std::move(deliver));
    impl->sync_thread = std::jthread([impl] {
        name_thread("durab-sync");
        if (impl->options.on_start) impl->options.on_start(StoreThreadRole::sync);
        impl->lane.serve([&] { impl->queue.push_always(std::nullopt); });
    });
    impl->store_thread = std::jthread([impl] {
        name_thread("durab-store");
        if (impl->options.on_start) impl->options.on_start(StoreThreadRole::store);
        impl->run();
        {
            const std::lock_guard lock(impl->mutex);
            impl->is_finished = true;
        }
        impl->finished.notify_all();
    });
    return std::unique_ptr<StoreThread>(new StoreThread(std::move(impl)));
}

StoreThread::StoreThread(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

StoreThread::~StoreThread() {
    stop();
}

bool StoreThread::submit(Command& command) {
    if (auto* const append = std::get_if<Append>(&command)) {
        const std::size_t weight = append->batch.bytes();
        Message message(std::move(command));
        if (impl_->queue.try_push(message, weight)) return true;
        command = std::move(*message);
        return false;
    }
    if (impl_->queue.closed()) return false;
    return impl_->queue.push_always(Message(std::move(command)));
}

void StoreThread::ask_pulse() {
    if (impl_->joined) return;
    impl_->pulse.ask();
    std::ignore = impl_->queue.push_always(std::nullopt);
}

bool StoreThread::has_pulse() const {
    return impl_->joined || impl_->pulse.answered();
}

DurationHistogram StoreThread::sync_times() const {
    return impl_->lane.times();
}

std::size_t StoreThread::queue_depth() const {
    return impl_->queue.size();
}

bool StoreThread::stop() {
    Impl& impl = *impl_;
    if (impl.joined) return true;
    impl.queue.close();
    {
        std::unique_lock lock(impl.mutex);
        if (!impl.finished.wait_for(
                lock, impl.options.stop_timeout, [&] { return impl.is_finished; })) {
            // Somebody waits in the kernel for a disk that does not answer; joining would wait with
            // him.
            lock.unlock();
            impl.store_thread.detach();
            impl.sync_thread.detach();
            impl.joined = true;
            return false;
        }
    }
    impl.lane.close();
    impl.store_thread.join();
    impl.sync_thread.join();
    impl.joined = true;
    return true;
}

void StoreThread::Impl::hand_over() {
    if (out.empty()) return;
    deliver(std::exchange(out, {}));
}

std::chrono::nanoseconds StoreThread::Impl::patience() const {
    if (store->work_due()) return std::chrono::nanoseconds::zero();
    std::chrono::nanoseconds wait = std::chrono::seconds{60};
    const SteadyTime now = steady_now();
    if (was_busy) wait = std::min<std::chrono::nanoseconds>(wait, last_append + idle_after - now);
    if (was_busy && options.sync == SyncPolicy::interval) {
        wait = std::min<std::chrono::nanoseconds>(wait, next_interval - now);
    }
    if (store->degraded()) wait = std::min<std::chrono::nanoseconds>(wait, next_retry - now);
    if (syncing && !job_is_slow)
        wait = std::min<std::chrono::nanoseconds>(wait, job_begun + options.slow_after - now);
    if (syncing && !job_is_stuck)
        wait = std::min<std::chrono::nanoseconds>(wait, job_begun + options.stuck_after - now);
    return std::max(wait, std::chrono::nanoseconds::zero());
}

void StoreThread::Impl::turn(std::vector<Message> messages) {
    for (Message& message : messages) {
        if (!message) continue;
        if (std::holds_alternative<Append>(*message)) {
            was_busy = true;
            last_append = steady_now();
        }
        if (const auto* changed = std::get_if<Reconfigure>(&*message))
            options.sync_interval = changed->sync_interval;
        const bool durable_at_once = !std::holds_alternative<Append>(*message);
        store->execute(std::move(*message), out);
        // Answers are not held back by the appends behind them.
        if (durable_at_once) hand_over();
    }
    // Whatever the disk does: memory topics, and what counts as safe once it is written.
    store->settle(out);
    take_job();
    const SteadyTime now = steady_now();
    watch_job(now);
    if (store->degraded() && now >= next_retry) {
        store->retry(out);
        next_retry = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               options.retry_interval);
    }
    if (was_busy && now >= last_append + idle_after) {
        was_busy = false;
        store->idle(out);
    }
    start_job();
    hand_over();
    // One slice, then whatever came meanwhile.
    if (store->work_due()) {
        store->do_slice(out);
        store->settle(out);
        start_job();
        hand_over();
    }
}

void StoreThread::Impl::take_job() {
    if (!syncing) return;
    auto done = lane.take_done();
    if (!done) return;
    syncing = false;
    store->end_sync(std::move(*done), out);
}

void StoreThread::Impl::start_job() {
    if (syncing) return;
    const SteadyTime now = steady_now();
    const bool due = options.sync == SyncPolicy::interval && now >= next_interval;
    if (due) {
        next_interval = now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                  options.sync_interval);
    }
    SyncJob job = store->begin_sync(out, due);
    if (job.empty()) return;
    syncing = true;
    job_begun = now;
    job_is_slow = job_is_stuck = false;
    lane.put(std::move(job));
}

void StoreThread::Impl::watch_job(SteadyTime now) {
    if (!syncing) return;
    const bool slow = now >= job_begun + options.slow_after;
    const bool stuck = now >= job_begun + options.stuck_after;
    if (slow || stuck) store->on_slow_disk(stuck && !job_is_stuck, out);
    job_is_slow = slow;
    job_is_stuck = stuck;
}

void StoreThread::Impl::run() {
    while (true) {
        std::vector<Message> messages = queue.pop_all_for(patience());
        pulse.answer();
        const bool ending = messages.empty() && queue.closed();
        turn(std::move(messages));
        if (!ending) continue;
        // What is being synced is waited for; stop() bounds how long.
        while (syncing) {
            if (auto done = lane.wait_done(steady_now() + std::chrono::seconds{1})) {
                syncing = false;
                store->end_sync(std::move(*done), out);
            }
        }
        const Status closed = store->close(out);
        if (!closed) {
            StoreEvent degraded;
            degraded.event.kind = EventKind::StoreDegraded;
            degraded.event.fields = {{"reason", closed.error().text()}};
            out.push_back(std::move(degraded));
        }
        hand_over();
        store.reset();
        return;
    }
}

}  // namespace durability::store
