// Clients of the control socket that wait for events. Each question ends in one answer: at once
// when there is something new, else when something comes, or after some seconds with nothing.
// Bounded, and answered a few times a second at most. Belongs to the loop thread.
#pragma once

#include "base/time.hpp"
#include "control/protocol.hpp"
#include "durability/event.hpp"
#include "net/asio.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace durability::daemon {

class EventFollowers {
  public:
    // One more lets the one go that has waited longest: it asks again, unless it has gone.
    static constexpr std::size_t most_waiting = 8;
    static constexpr std::chrono::milliseconds wait_time{5'000};
    // The kept events, oldest first.
    using Latest = std::function<std::vector<Event>()>;
    // Takes the line of the reply.
    using Answer = std::function<void(std::string)>;

    // `run` names this run of the daemon.
    EventFollowers(boost::asio::io_context& context,
                   Latest latest,
                   std::string run,
                   std::chrono::milliseconds wait = wait_time);
    EventFollowers(const EventFollowers&) = delete;
    EventFollowers& operator=(const EventFollowers&) = delete;
    ~EventFollowers() { close(); }

    // A request for events; without `after` it does not wait.
    void ask(const control::Request& request, Answer answer);
    // Something was reported.
    void notify();
    // Nobody waits any longer, and nobody is answered.
    void close();
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

  private:
    struct Waiting {
        std::uint64_t after{0};
        MonoTime until{};
        Answer answer;
    };
    [[nodiscard]] std::string reply(const std::vector<Event>& events, std::uint64_t after) const;
    void look();
    void arm();

    boost::asio::steady_timer timer_;
    Latest latest_;
    std::string run_;
    std::chrono::milliseconds wait_;
    std::deque<Waiting> waiting_;
    MonoTime look_at_{MonoTime::max()};
};

}  // namespace durability::daemon
