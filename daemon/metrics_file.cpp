#include "daemon/metrics_file.hpp"

#include "base/clock.hpp"
#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace durability::daemon {
namespace {

constexpr auto stuck_after = std::chrono::seconds{10};
constexpr auto patience_at_end = std::chrono::seconds{1};

tl::unexpected<Error> failed(const char* what, const std::string& path) {
    const int reason = errno;
    const Errc code =
        reason == EACCES || reason == EPERM || reason == EROFS ? Errc::permission : Errc::io;
    return fail(code, fmt::format("{} {}", what, path), reason);
}

}  // namespace

Status replace_file(const std::string& path, std::string_view text) {
    const std::string beside = path + ".tmp";
    UniqueFd file(::open(
        beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
    if (!file) return failed("write", beside);
    Status status;
    if (::fchmod(file.get(), 0644) != 0) status = failed("write", beside);
    while (status && !text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) status = failed("write", beside);
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = failed("write", path);
    if (!status) ::unlink(beside.c_str());
    return status;
}

// Shared with the thread, which a disk that does not answer may hold for longer than we live.
struct MetricsFile::Lane {
    Lane(boost::asio::io_context& io, std::string to, Failed on_failure)
        : context(io), path(std::move(to)), failed(std::move(on_failure)) {}

    boost::asio::io_context& context;  // not to be touched once `closed`
    const std::string path;
    const Failed failed;  // called on the loop only

    std::mutex mutex;
    std::condition_variable changed;
    std::optional<std::string> page;
    bool busy{false};
    MonoTime busy_since{};
    bool closed{false};
    bool finished{false};

    void put(std::string text) {
        {
            const std::lock_guard lock(mutex);
            if (closed) return;
            page = std::move(text);
        }
        changed.notify_all();
    }

    static void run(const std::shared_ptr<Lane>& lane) {
        std::unique_lock lock(lane->mutex);
        while (true) {
            lane->changed.wait(lock, [&] { return lane->closed || lane->page.has_value(); });
            if (lane->closed) break;
            const std::string text = *std::exchange(lane->page, std::nullopt);
            lane->busy = true;
            lane->busy_since = system_now().mono;
            lock.unlock();
            const Status written = replace_file(lane->path, text);
            lock.lock();
            lane->busy = false;
            if (written || lane->closed) continue;
            boost::asio::post(lane->context, [lane, error = written.error()] {
                if (!lane->closed) lane->failed(error);
            });
        }
        lock.unlock();
        ::unlink(lane->path.c_str());
        lock.lock();
        lane->finished = true;
        lock.unlock();
        lane->changed.notify_all();
    }
};

MetricsFile::MetricsFile(boost::asio::io_context& context,
                         std::string path,
                         std::chrono::nanoseconds interval,
                         AskPage ask_page,
                         Failed failed)
    : timer_(context),
      interval_(interval),
      ask_page_(std::move(ask_page)),
      lane_(std::make_shared<Lane>(context, std::move(path), std::move(failed))),
      thread_([lane = lane_] { Lane::run(lane); }) {
    ::pthread_setname_np(thread_.native_handle(), "durab-metrics");
    tick();
}

void MetricsFile::tick() {
    bool busy = false;
    bool stuck = false;
    {
        const std::lock_guard lock(lane_->mutex);
        busy = lane_->busy;
        stuck = busy && system_now().mono - lane_->busy_since >= stuck_after;
    }
    // A page that cannot be written now would be old when it could.
    if (!busy) {
        ask_page_([weak = std::weak_ptr(lane_)](std::string page) {
            if (const auto lane = weak.lock()) lane->put(std::move(page));
        });
    }
    if (stuck && !stuck_told_) {
        lane_->failed(
            Error{Errc::io, 0, fmt::format("write {}: the disk does not answer", lane_->path)});
    }
    stuck_told_ = stuck;
    timer_.expires_after(interval_);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) tick();
    });
}

void MetricsFile::close() {
    timer_.cancel();
    if (!thread_.joinable()) return;
    std::unique_lock lock(lane_->mutex);
    lane_->closed = true;
    lane_->changed.notify_all();
    const bool finished =
        lane_->changed.wait_for(lock, patience_at_end, [this] { return lane_->finished; });
    lock.unlock();
    if (finished) {
        thread_.join();
    } else {
        thread_.detach();
    }
}

}  // namespace durability::daemon
