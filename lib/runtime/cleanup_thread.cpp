#include "runtime/cleanup_thread.hpp"

#include "base/clock.hpp"

#include <utility>

#include <pthread.h>

namespace durability::runtime {

CleanupThread::CleanupThread(Duration interval,
                             std::function<void()> sweep,
                             const std::function<void()>& on_start)
    : interval_(interval),
      sweep_(std::move(sweep)),
      thread_([this, on_start](const std::stop_token& stop) {
          on_start();
          run(stop);
      }) {
    ::pthread_setname_np(thread_.native_handle(), "durab-cleanup");
}

CleanupThread::~CleanupThread() {
    thread_.request_stop();
    wake_.notify_all();
}

void CleanupThread::set_interval(Duration interval) {
    {
        const std::lock_guard lock(mutex_);
        interval_ = interval;
        knocked_ = true;
    }
    wake_.notify_all();
}

void CleanupThread::ask_pulse() {
    {
        const std::lock_guard lock(mutex_);
        pulse_.ask();
        knocked_ = true;
    }
    wake_.notify_all();
}

void CleanupThread::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        lock.unlock();
        const MonoTime swept = system_now().mono;
        sweep_();
        lock.lock();
        // Woken for other reasons it answers, and goes on waiting.
        for (;;) {
            pulse_.answer();
            const Duration waited = system_now().mono - swept;
            if (stop.stop_requested() || waited >= interval_) break;
            wake_.wait_for(lock, stop, interval_ - waited, [this] { return knocked_; });
            knocked_ = false;
        }
    }
}

}  // namespace durability::runtime
