// Writes what the options ask for, then takes orders from stdin.
#include "endpoint.hpp"
#include "output.hpp"
#include "payload.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace peer {
namespace {

using Clock = std::chrono::steady_clock;

class WriterWatcher final : public Watcher {
  public:
    void matched(std::int32_t current, std::int32_t /*change*/) override {
        emit(fmt::format("MATCHED {}", current));
        const std::scoped_lock lock(mutex_);
        current_ = current;
        changed_.notify_all();
    }
    void data_available() override {}
    void status(std::string_view text) override { emit(fmt::format("STATUS {}", text)); }

    bool wait_matched(std::int32_t wanted, std::chrono::milliseconds timeout) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, timeout, [&] { return current_ >= wanted; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int32_t current_{0};
};

class Publication {
  public:
    Publication(const Options& options, Writer& writer)
        : options_(options), writer_(writer), next_(options.start_seq) {}

    void write(std::uint32_t count) {
        const auto started = Clock::now();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (options_.rate_hz > 0) {
                std::this_thread::sleep_until(
                    started + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(i / options_.rate_hz)));
            }
            write_one();
        }
        writer_.flush();
    }

    // Words such as w1, d1, u1, x1 or 3*w1; see the usage.
    void run(const std::string& ops) {
        std::istringstream words(ops);
        for (std::string word; words >> word;)
            run_word(word);
        writer_.flush();
    }

    void check(std::string_view what, const std::string& refused) {
        if (!refused.empty()) fail(exit_middleware, fmt::format("{}: {}", what, refused));
    }

    bool wait_acks() {
        if (!writer_.wait_acks(options_.timeout)) {
            emit(fmt::format("ERROR wait_acks: not acknowledged after {} written", written_));
            return false;
        }
        emit(fmt::format("ACKED {}", written_));
        return true;
    }

    std::uint32_t written() const { return written_; }
    std::uint64_t bytes() const { return bytes_; }

  private:
    void run_word(const std::string& word) {
        const auto star = word.find('*');
        const bool repeated = star != std::string::npos;
        const std::string op = repeated ? word.substr(star + 1) : word;
        std::istringstream count_text(repeated ? word.substr(0, star) : "1");
        std::istringstream id_text(op.empty() ? op : op.substr(1));
        std::uint32_t count = 0;
        std::uint32_t id = 0;
        if (!(count_text >> count) || !(id_text >> id) || !id_text.eof()) {
            fail(exit_usage, fmt::format("--ops: not an operation: {}", word));
        }
        for (std::uint32_t i = 0; i < count; ++i)
            operate(op[0], id);
    }

    void operate(char operation, std::uint32_t id) {
        switch (operation) {
            case 'w':
                return write_one_of(id);
            case 'd':
                return check("dispose", writer_.dispose(id));
            case 'u':
                return check("unregister", writer_.unregister(id));
            case 'x':
                return write_dispose(id);
            default:
                fail(exit_usage, fmt::format("--ops: unknown operation {}", operation));
        }
    }

    void write_dispose(std::uint32_t id) {
        const std::uint32_t seq = next_++;
        buffer_.resize(options_.sizes[written_ % options_.sizes.size()]);
        fill_payload(buffer_, options_.seed, id, seq);
        check("write-dispose", writer_.write_dispose(id, seq, buffer_));
        ++written_;
        bytes_ += buffer_.size();
    }

    void write_one() { write_one_of(options_.first_key + next_ % options_.keys); }

    void write_one_of(std::uint32_t id) {
        const std::uint32_t seq = next_++;
        const std::size_t size = options_.sizes[written_ % options_.sizes.size()];
        // A benchmark measures the middleware: the bytes are made once and not checked by its
        // reader.
        if (!options_.bench || buffer_.size() != size) {
            buffer_.resize(size);
            fill_payload(buffer_, options_.seed, id, seq);
        }
        check("write", writer_.write(id, seq, buffer_));
        ++written_;
        bytes_ += buffer_.size();
        if (options_.dispose_every != 0 && written_ % options_.dispose_every == 0) {
            check("dispose", writer_.dispose(id));
        }
        if (options_.unregister_every != 0 && written_ % options_.unregister_every == 0) {
            check("unregister", writer_.unregister(id));
        }
    }

    const Options& options_;
    Writer& writer_;
    std::uint32_t next_;
    std::uint32_t written_{0};
    std::uint64_t bytes_{0};
    std::vector<std::uint8_t> buffer_;
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// False when the order was to leave.
bool obey(const std::string& line, Publication& publication, Writer& writer) {
    std::istringstream words(line);
    std::string order;
    std::uint32_t argument = 0;
    words >> order >> argument;
    if (order == "exit") return false;
    if (order == "write") {
        publication.write(argument);
        emit(fmt::format("WRITTEN {}", publication.written()));
    } else if (order == "dispose") {
        publication.check("dispose", writer.dispose(argument));
        writer.flush();
        emit(fmt::format("DISPOSED {}", argument));
    } else if (order == "unregister") {
        publication.check("unregister", writer.unregister(argument));
        writer.flush();
        emit(fmt::format("UNREGISTERED {}", argument));
    } else if (order == "ops") {
        publication.run(line.substr(line.find("ops") + 3));
        emit(fmt::format("WRITTEN {}", publication.written()));
    } else if (order == "wait_acks") {
        publication.wait_acks();
    } else if (!order.empty()) {
        fail(exit_usage, fmt::format("unknown order: {}", order));
    }
    return true;
}

// What stdin asks of a publisher that writes bursts without end.
class BurstOrders {
  public:
    BurstOrders() : thread_([this] { listen(); }) {}

    // Holds the publisher up while it is to pause, and answers each time. False: it is to leave.
    bool go_on(const Publication& publication) {
        std::unique_lock lock(mutex_);
        while (paused_ && !leave_) {
            if (!std::exchange(answered_, true))
                emit(fmt::format("PAUSED {}", publication.written()));
            changed_.wait(lock);
        }
        return !leave_;
    }

  private:
    void listen() {
        for (std::string line; std::getline(std::cin, line) && line != "exit";) {
            if (line != "pause" && line != "resume") {
                fail(exit_usage, fmt::format("unknown order: {}", line));
            }
            const std::scoped_lock lock(mutex_);
            paused_ = line == "pause";
            if (paused_) answered_ = false;
            changed_.notify_all();
        }
        const std::scoped_lock lock(mutex_);
        leave_ = true;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool paused_{false};
    bool answered_{false};
    bool leave_{false};
    std::jthread thread_;  // last: it uses everything above
};

int write_bursts(const Options& options, Publication& publication) {
    BurstOrders orders;
    while (orders.go_on(publication)) {
        publication.write(options.burst);
        // At once, because the thread that listens does not end before stdin does.
        if (!publication.wait_acks()) fail(exit_short, "a burst was not acknowledged");
    }
    return exit_ok;
}

}  // namespace

int publish(const Options& options, const Connect& connect) {
    WriterWatcher watcher;
    const auto participant = connect(options);
    const auto writer = participant->create_writer(watcher);
    if (!watcher.wait_matched(options.wait_matched, options.timeout)) {
        fail(exit_short, fmt::format("fewer than {} readers matched", options.wait_matched));
    }

    Publication publication(options, *writer);
    if (options.burst > 0) return write_bursts(options, publication);
    if (options.count > 0) {
        const auto started = Clock::now();
        publication.write(options.count);
        const double write_s = seconds_since(started);
        emit(fmt::format("WRITTEN {}", publication.written()));
        if (!publication.wait_acks()) return exit_short;
        const double acked_s = seconds_since(started);
        if (options.bench) {
            emit(
                fmt::format("BENCH written={} bytes={} write_s={:.6f} write_rate={:.0f} "
                            "acked_s={:.6f} acked_rate={:.0f}",
                            publication.written(),
                            publication.bytes(),
                            write_s,
                            publication.written() / write_s,
                            acked_s,
                            publication.written() / acked_s));
        }
    }
    if (!options.ops.empty()) {
        publication.run(options.ops);
        emit(fmt::format("WRITTEN {}", publication.written()));
        if (!publication.wait_acks()) return exit_short;
    }
    for (std::string line; std::getline(std::cin, line);) {
        if (!obey(line, publication, *writer)) break;
    }
    return exit_ok;
}

}  // namespace peer
