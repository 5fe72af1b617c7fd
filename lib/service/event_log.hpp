// The events of one run: repeats are limited in rate and counted, the last 256 are kept.
// Not thread-safe; belongs to the loop.
#pragma once

#include "base/time.hpp"
#include "durability/event.hpp"

#include <boost/circular_buffer.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace durability::service {

class EventLog {
  public:
    static constexpr std::size_t kept = 256;
    // Within this time after an event of one kind and subject, further ones are only counted; the
    // count goes out with the next one, or by itself when the time is over.
    static constexpr Duration quiet_time = std::chrono::seconds{10};
    // Subjects remembered for the limit; beyond it the kind alone is the subject.
    static constexpr std::size_t max_subjects = 4096;

    // Reports an event. `subject` says what repeats are compared by (a topic, a writer); the
    // event's wall time is filled in.
    void report(Event event, std::string_view subject, Now now);
    // An event that happens rarely and must not be held back.
    void report_always(Event event, Now now);
    // Sends out counts whose quiet time is over; forgets silent subjects.
    void tick(Now now);
    [[nodiscard]] MonoTime next_deadline() const;

    // Events to print, oldest first.
    [[nodiscard]] std::optional<Event> next_event();
    [[nodiscard]] std::vector<Event> latest() const { return {ring_.begin(), ring_.end()}; }
    // The number of the newest event; 0 before the first.
    [[nodiscard]] std::uint64_t last_number() const { return last_number_; }
    // How often each kind was reported, whatever the rate limit made of it; by EventKind.
    [[nodiscard]] const std::array<std::uint64_t, event_kind_count>& counts() const {
        return counts_;
    }
    // Of ConfigReloaded and ConfigRejected the latter came last.
    [[nodiscard]] bool config_rejected() const { return config_rejected_; }

  private:
    struct Subject {
        MonoTime reported{};
        std::uint64_t suppressed{0};
        Event last;
    };
    void emit(Event event);

    std::unordered_map<std::string, Subject> subjects_;
    std::deque<Event> outgoing_;
    void count(EventKind kind);

    boost::circular_buffer<Event> ring_{kept};
    std::uint64_t last_number_{0};
    std::array<std::uint64_t, event_kind_count> counts_{};
    bool config_rejected_{false};
};

// key=value fields of an event in one expression: make_event(EventKind::X, {{"topic", t}, ...}).
[[nodiscard]] Event make_event(EventKind kind,
                               std::vector<std::pair<std::string_view, std::string>> fields);

}  // namespace durability::service
