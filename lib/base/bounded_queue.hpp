// The one hand-over between threads: bounded in items and in weight (bytes), closable, popped in
// batches. Thread-safe: any number of producers, one consumer.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace durability {

template <class T>
class BoundedQueue {
  public:
    BoundedQueue(std::size_t max_items, std::size_t max_weight)
        : max_items_(max_items), max_weight_(max_weight) {}

    // False, with `item` untouched, when the queue is closed or has no room. One item that alone is
    // heavier than the bound is taken when the queue is empty, so that it cannot wait for ever.
    [[nodiscard]] bool try_push(T& item, std::size_t weight) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_ || items_.size() >= max_items_) return false;
            if (!items_.empty() && weight > max_weight_ - std::min(weight_, max_weight_))
                return false;
            weight_ += weight;
            items_.push_back(Item{std::move(item), weight});
        }
        ready_.notify_one();
        return true;
    }

    // Takes the item whatever the bounds say: for commands that must not be refused and of which
    // there are few. False only when closed.
    bool push_always(T item, std::size_t weight = 0) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return false;
            weight_ += weight;
            items_.push_back(Item{std::move(item), weight});
        }
        ready_.notify_one();
        return true;
    }

    // Waits until there is something or the queue is closed; empty only when closed and drained.
    [[nodiscard]] std::vector<T> pop_all() {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return closed_ || !items_.empty(); });
        return drain();
    }

    // The same, but gives up after `timeout`; empty when nothing came.
    template <class Rep, class Period>
    [[nodiscard]] std::vector<T> pop_all_for(std::chrono::duration<Rep, Period> timeout) {
        std::unique_lock lock(mutex_);
        ready_.wait_for(lock, timeout, [this] { return closed_ || !items_.empty(); });
        return drain();
    }

    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        ready_.notify_all();
    }

    [[nodiscard]] bool closed() const {
        const std::lock_guard lock(mutex_);
        return closed_;
    }
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return items_.size();
    }

  private:
    struct Item {
        T value;
        std::size_t weight;
    };
    std::vector<T> drain() {
        std::vector<T> batch;
        batch.reserve(items_.size());
        for (Item& item : items_)
            batch.push_back(std::move(item.value));
        items_.clear();
        weight_ = 0;
        return batch;
    }

    mutable std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<Item> items_;
    std::size_t weight_{0};
    std::size_t max_items_;
    std::size_t max_weight_;
    bool closed_{false};
};

}  // namespace durability
