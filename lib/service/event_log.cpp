#include "service/event_log.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace durability::service {

Event make_event(EventKind kind, std::vector<std::pair<std::string_view, std::string>> fields) {
    Event event;
    event.kind = kind;
    event.fields = std::move(fields);
    return event;
}

void EventLog::count(EventKind kind) {
    ++counts_[static_cast<std::size_t>(kind)];
    if (kind == EventKind::ConfigReloaded) config_rejected_ = false;
    if (kind == EventKind::ConfigRejected) config_rejected_ = true;
}

void EventLog::emit(Event event) {
    event.number = ++last_number_;
    ring_.push_back(event);
    outgoing_.push_back(std::move(event));
}

void EventLog::report_always(Event event, Now now) {
    event.wall = now.wall.time_since_epoch();
    count(event.kind);
    emit(std::move(event));
}

void EventLog::report(Event event, std::string_view subject, Now now) {
    count(event.kind);
    event.wall = now.wall.time_since_epoch();
    std::string key = fmt::format("{}/{}", static_cast<int>(event.kind), subject);
    if (subjects_.size() >= max_subjects && !subjects_.contains(key)) {
        key = fmt::format("{}", static_cast<int>(event.kind));
    }
    auto [entry, added] = subjects_.try_emplace(std::move(key));
    Subject& known = entry->second;
    if (!added && now.mono - known.reported < quiet_time) {
        ++known.suppressed;
        known.last = std::move(event);
        return;
    }
    event.suppressed = known.suppressed;
    known = Subject{now.mono, 0, {}};
    emit(std::move(event));
}

void EventLog::tick(Now now) {
    for (auto& [key, subject] : subjects_) {
        if (subject.suppressed == 0 || now.mono - subject.reported < quiet_time) continue;
        Event event = std::move(subject.last);
        event.suppressed = subject.suppressed - 1;  // the event itself is the last of them
        subject = Subject{now.mono, 0, {}};
        emit(std::move(event));
    }
    std::erase_if(subjects_, [&](const auto& entry) {
        return entry.second.suppressed == 0 && now.mono - entry.second.reported >= quiet_time;
    });
}

MonoTime EventLog::next_deadline() const {
    MonoTime due = MonoTime::max();
    for (const auto& [key, subject] : subjects_) {
        if (subject.suppressed > 0) due = std::min(due, after(subject.reported, quiet_time));
    }
    return due;
}

std::optional<Event> EventLog::next_event() {
    if (outgoing_.empty()) return std::nullopt;
    Event event = std::move(outgoing_.front());
    outgoing_.pop_front();
    return event;
}

}  // namespace durability::service
