#include "runtime/cleanup_thread.hpp"

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

void CleanupThread::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        lock.unlock();
        sweep_();
        lock.lock();
        wake_.wait_for(lock, stop, interval_, [] { return false; });
    }
}

}  // namespace durability::runtime
