// One answer from the loop to a thread that waits for it. Thread-safe.
#pragma once

#include "durability/error.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace durability::runtime {

template <class T>
class PendingAnswer {
  public:
    // The first one counts.
    void give(Result<T> result) {
        {
            const std::lock_guard lock(mutex_);
            if (result_) return;
            result_ = std::move(result);
        }
        given_.notify_all();
    }
    // Once.
    Result<T> wait() {
        std::unique_lock lock(mutex_);
        given_.wait(lock, [this] { return result_.has_value(); });
        return *std::move(result_);
    }
    // Nothing when it does not come in time. Once.
    std::optional<Result<T>> wait_for(std::chrono::nanoseconds time) {
        std::unique_lock lock(mutex_);
        if (!given_.wait_for(lock, time, [this] { return result_.has_value(); })) return {};
        return std::move(result_);
    }

  private:
    std::mutex mutex_;
    std::condition_variable given_;
    std::optional<Result<T>> result_;
};

// What the loop calls with the answer. When the last copy goes without a call, because the loop has
// ended, the answer is that.
template <class T>
class Answer {
  public:
    explicit Answer(std::shared_ptr<PendingAnswer<T>> pending)
        : owner_(std::make_shared<Owner>(Owner{std::move(pending)})) {}
    void operator()(Result<T> result) const { owner_->pending->give(std::move(result)); }

  private:
    struct Owner {
        explicit Owner(std::shared_ptr<PendingAnswer<T>> whose) : pending(std::move(whose)) {}
        Owner(Owner&&) noexcept = default;
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        Owner& operator=(Owner&&) = delete;
        ~Owner() {
            if (pending) pending->give(fail(Errc::unavailable, "the service stops"));
        }
        std::shared_ptr<PendingAnswer<T>> pending;
    };
    std::shared_ptr<Owner> owner_;
};

}  // namespace durability::runtime
