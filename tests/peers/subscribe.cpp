// Reads until it has what it was told to expect, and says what it got.
#include "endpoint.hpp"
#include "output.hpp"
#include "payload.hpp"
#include "states.hpp"
#include "tally.hpp"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace peer {
namespace {

using Clock = std::chrono::steady_clock;

// Wakes the main thread. One waiter, any number of signallers.
class Bell {
  public:
    void ring() {
        // The common case while data pours in: already rung, nobody to wake.
        if (rung_.exchange(true)) return;
        const std::scoped_lock lock(mutex_);
        wake_.notify_one();
    }
    void wait_until(Clock::time_point deadline) {
        std::unique_lock lock(mutex_);
        wake_.wait_until(lock, deadline, [&] { return rung_.load(); });
        rung_ = false;
    }

  private:
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> rung_{false};
};

class ReaderWatcher final : public Watcher {
  public:
    ReaderWatcher(std::string tag, Bell& bell) : tag_(std::move(tag)), bell_(bell) {}

    void matched(std::int32_t current, std::int32_t change) override {
        {
            const std::scoped_lock lock(mutex_);
            if (change > 0 && !first_match_) first_match_ = Clock::now();
        }
        emit(fmt::format("MATCHED {} {}", current, tag_));
        bell_.ring();
    }
    void data_available() override { bell_.ring(); }
    void status(std::string_view text) override { emit(fmt::format("STATUS {} {}", tag_, text)); }

    std::optional<Clock::time_point> first_match() const {
        const std::scoped_lock lock(mutex_);
        return first_match_;
    }

  private:
    std::string tag_;
    Bell& bell_;
    mutable std::mutex mutex_;
    std::optional<Clock::time_point> first_match_;
};

// Sets `asked` when a line `exit` arrives; with `end_of_file_too`, also when stdin ends.
class ExitOrder {
  public:
    ExitOrder(Bell& bell, bool end_of_file_too)
        : thread_([this, &bell, end_of_file_too](const std::stop_token& stop) {
              if (listen(stop) == Heard::end_of_file && !end_of_file_too) return;
              asked_ = true;
              bell.ring();
          }) {}
    bool asked() const { return asked_; }

  private:
    enum class Heard {
        exit,
        end_of_file
    };

    static Heard listen(const std::stop_token& stop) {
        std::string pending;
        while (!stop.stop_requested()) {
            pollfd in{STDIN_FILENO, POLLIN, 0};
            if (::poll(&in, 1, 20) <= 0) continue;
            char bytes[256];
            const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
            if (n <= 0) return Heard::end_of_file;
            pending.append(bytes, static_cast<std::size_t>(n));
            if (pending.find("exit\n") != std::string::npos) return Heard::exit;
        }
        return Heard::end_of_file;
    }

    std::atomic<bool> asked_{false};
    std::jthread thread_;
};

class ReaderSession {
  public:
    ReaderSession(const Options& options,
                  std::string tag,
                  Participant& participant,
                  Durability durability,
                  Bell& bell)
        : options_(options),
          tag_(std::move(tag)),
          expected_states_(options.expect_states),
          watcher_(tag_, bell),
          tally_(options.seed, !options.bench),
          created_(Clock::now()),
          reader_(participant.create_reader(durability, watcher_)) {}

    void take() {
        const std::uint64_t before = tally_.valid();
        reader_->take([&](const Received& sample) { add(sample, Clock::now()); });
        flush_output();
        if (before < options_.expect && tally_.valid() >= options_.expect) {
            emit(fmt::format("COMPLETE {} received={}", tag_, tally_.valid()));
        }
        const bool known =
            !options_.expect_states.empty() && expected_states_.hold(tally_.instances());
        if (known && !known_) emit(fmt::format("KNOWN {}", tag_));
        known_ = known;
    }

    bool complete() const {
        return tally_.valid() >= options_.expect && expected_states_.hold(tally_.instances());
    }
    std::optional<Clock::time_point> last_arrival() const { return last_arrival_; }

    void summarize() const {
        emit(fmt::format("SUMMARY {} {}", tag_, tally_.summary(created_, watcher_.first_match())));
        if (options_.report_states) {
            for (const auto& line : describe(tally_.instances()))
                emit(fmt::format("STATE {} {}", tag_, line));
        }
        if (!options_.bench || !tally_.first()) return;
        const double span = std::chrono::duration<double>(*tally_.last() - *tally_.first()).count();
        const double seconds = span > 0 ? span : 1e-9;
        emit(fmt::format("BENCH {} received={} bytes={} seconds={:.6f} rate={:.0f} mb_per_s={:.1f}",
                         tag_,
                         tally_.valid(),
                         tally_.bytes(),
                         span,
                         static_cast<double>(tally_.valid()) / seconds,
                         static_cast<double>(tally_.bytes()) / seconds / 1e6));
    }

  private:
    void add(const Received& sample, Clock::time_point now) {
        last_arrival_ = now;
        const auto verdict = tally_.add(sample, now);
        if (options_.quiet || options_.bench) return;
        emit_buffered(fmt::format(
            "SAMPLE {} id={} seq={} size={} hash={:016x} ok={} src_ts={} valid={} state={} pub={}",
            tag_,
            sample.id,
            sample.seq,
            sample.payload.size(),
            fnv1a64(sample.payload),
            verdict.right_bytes ? 1 : 0,
            sample.source_ns,
            sample.valid ? 1 : 0,
            sample.state,
            sample.publication));
    }

    const Options& options_;
    std::string tag_;
    ExpectedStates expected_states_;
    bool known_{false};  // the states are those expected, and it has been said
    ReaderWatcher watcher_;
    Tally tally_;
    Clock::time_point created_;
    std::optional<Clock::time_point> last_arrival_;
    std::unique_ptr<Reader> reader_;  // last: it calls the watcher until it is gone
};

// The readers of one participant, from the first creation to the last summary.
class Session {
  public:
    Session(const Options& options, Participant& participant, std::string tag)
        : options_(options),
          participant_(participant),
          tag_(std::move(tag)),
          deadline_(Clock::now() + options.timeout),
          next_creation_(Clock::now()) {}

    // `order` may be null: then nothing but the deadline ends it early.
    bool run(const ExitOrder* order, Bell& bell) {
        const auto asked = [&] { return order != nullptr && order->asked(); };
        while (!asked() && Clock::now() < deadline_) {
            create_due_readers(bell);
            if (!options_.lazy) {
                for (auto& reader : readers_)
                    reader->take();
            }
            const auto done = done_at();
            if (done && Clock::now() >= *done) break;
            bell.wait_until(next_wake(done));
        }
        for (auto& reader : readers_)
            reader->take();
        bool complete = readers_.size() == options_.readers;
        for (const auto& reader : readers_) {
            reader->summarize();
            complete = complete && reader->complete();
        }
        return complete;
    }

  private:
    // A reader is to come, and nothing but time stands in the way.
    bool more_due() const {
        if (readers_.size() >= options_.readers) return false;
        return !options_.one_by_one || readers_.empty() || readers_.back()->complete();
    }

    void create_due_readers(Bell& bell) {
        while (more_due() && Clock::now() >= next_creation_) {
            const auto index = readers_.size();
            const auto durability = index < options_.reader_durability.size()
                                        ? options_.reader_durability[index]
                                        : options_.durability;
            readers_.push_back(std::make_unique<ReaderSession>(
                options_, fmt::format("{}reader={}", tag_, index), participant_, durability, bell));
            next_creation_ = Clock::now() + options_.reader_delay;
        }
    }

    // When the session may end: everything is here and nothing came for the settling time.
    std::optional<Clock::time_point> done_at() const {
        const bool endless = options_.expect == 0 && options_.expect_states.empty();
        if (options_.stay || endless) return std::nullopt;
        if (readers_.size() < options_.readers) return std::nullopt;
        Clock::time_point last{};
        for (const auto& reader : readers_) {
            if (!reader->complete() || !reader->last_arrival()) return std::nullopt;
            last = std::max(last, *reader->last_arrival());
        }
        return last + options_.settle;
    }

    Clock::time_point next_wake(std::optional<Clock::time_point> done) const {
        Clock::time_point wake = deadline_;
        if (done) wake = std::min(wake, *done);
        if (more_due()) wake = std::min(wake, next_creation_);
        return wake;
    }

    const Options& options_;
    Participant& participant_;
    std::string tag_;
    Clock::time_point deadline_;
    Clock::time_point next_creation_;
    std::vector<std::unique_ptr<ReaderSession>> readers_;
};

// Late joins one after the other, each as a participant of its own, so that to a service each is a
// new process. The delays fall before the participant and between it and its reader.
int join_again_and_again(const Options& options, const Connect& connect) {
    Bell bell;
    const ExitOrder order(bell, false);
    std::mt19937_64 random(options.join_seed);
    std::uniform_int_distribution<std::int64_t> delay_us(
        0, std::chrono::microseconds(options.join_delay_max).count());
    std::uint32_t complete = 0;
    for (std::uint32_t i = 0; i < options.joins && !order.asked(); ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        const auto participant = connect(options);
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        Session session(options, *participant, fmt::format("join={} ", i));
        if (session.run(&order, bell)) ++complete;
    }
    emit(fmt::format("JOINS complete={} of={}", complete, options.joins));
    return complete == options.joins ? exit_ok : exit_short;
}

// A late join for each order, for a test whose reader has to be late again and again: a process
// that is there already joins much sooner than one that has to be started.
int join_on_request(const Options& options, const Connect& connect) {
    std::uint32_t joins = 0;
    for (std::string line; std::getline(std::cin, line) && line != "exit"; ++joins) {
        std::istringstream words(line);
        std::string order;
        Options join = options;
        words >> order >> join.topic >> join.expect;
        if (order != "join" || !words) fail(exit_usage, fmt::format("unknown order: {}", line));
        Bell bell;
        const auto participant = connect(join);
        Session session(join, *participant, fmt::format("join={} ", joins));
        session.run(nullptr, bell);
    }
    return exit_ok;
}

}  // namespace

int subscribe(const Options& options, const Connect& connect) {
    if (options.on_request) return join_on_request(options, connect);
    if (options.joins > 0) return join_again_and_again(options, connect);
    Bell bell;
    const ExitOrder order(bell, options.stay);
    const auto participant = connect(options);
    Session session(options, *participant, "");
    return session.run(&order, bell) ? exit_ok : exit_short;
}

}  // namespace peer
