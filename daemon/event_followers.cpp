#include "daemon/event_followers.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace durability::daemon {
namespace {

// Events often come in bunches; and whoever makes many of them does not make as many answers.
constexpr auto bunch_time = std::chrono::milliseconds{50};

}  // namespace

EventFollowers::EventFollowers(boost::asio::io_context& context,
                               Latest latest,
                               std::string run,
                               std::chrono::milliseconds wait)
    : timer_(context), latest_(std::move(latest)), run_(std::move(run)), wait_(wait) {}

std::string EventFollowers::reply(const std::vector<Event>& events, std::uint64_t after) const {
    std::vector<Event> newer;
    std::copy_if(
        events.begin(), events.end(), std::back_inserter(newer), [after](const Event& event) {
            return event.number > after;
        });
    return control::encode_reply(control::encode_data(newer, run_));
}

void EventFollowers::ask(const control::Request& request, Answer answer) {
    const std::vector<Event> events = latest_();
    if (!request.after) return answer(reply(events, 0));
    const bool other_run = !request.run.empty() && request.run != run_;
    const std::uint64_t seen = other_run ? 0 : *request.after;
    if (other_run || (!events.empty() && events.back().number > seen))
        return answer(reply(events, seen));
    waiting_.push_back({seen, after(system_now().mono, wait_), std::move(answer)});
    if (waiting_.size() > most_waiting) {
        const Waiting oldest = std::move(waiting_.front());
        waiting_.pop_front();
        oldest.answer(reply({}, 0));
    }
    arm();
}

void EventFollowers::notify() {
    if (waiting_.empty() || look_at_ != MonoTime::max()) return;
    look_at_ = after(system_now().mono, bunch_time);
    arm();
}

void EventFollowers::close() {
    waiting_.clear();
    timer_.cancel();
}

void EventFollowers::look() {
    const MonoTime now = system_now().mono;
    const bool news = look_at_ <= now;
    if (news) look_at_ = MonoTime::max();
    const std::vector<Event> events = news ? latest_() : std::vector<Event>{};
    std::deque<Waiting> still;
    std::deque<Waiting> looked = std::exchange(waiting_, {});
    for (Waiting& one : looked) {
        const bool answered = !events.empty() && events.back().number > one.after;
        if (answered || one.until <= now) {
            one.answer(reply(events, one.after));
        } else {
            still.push_back(std::move(one));
        }
    }
    // An answer may have brought the next question.
    std::move(still.rbegin(), still.rend(), std::front_inserter(waiting_));
    arm();
}

void EventFollowers::arm() {
    if (waiting_.empty()) {
        look_at_ = MonoTime::max();
        timer_.cancel();
        return;
    }
    const Duration left = std::min(look_at_, waiting_.front().until) - system_now().mono;
    timer_.expires_after(std::max(left, Duration::zero()));
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) look();
    });
}

}  // namespace durability::daemon
