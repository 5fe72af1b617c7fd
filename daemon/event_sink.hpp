// Where events are written: to the journal with structured fields when stderr leads there, else one
// line on stderr. Rate limits are the service's business.
#pragma once

#include "durability/event.hpp"

namespace durability::daemon {

class EventSink {
  public:
    // Looks once whether stderr is the journal's stream.
    EventSink();
    [[nodiscard]] bool journal() const { return journal_; }
    void write(const Event& event) const;

  private:
    bool journal_{false};
};

// JOURNAL_STREAM holds the device and inode of the stream ("9:12345"); true when `fd` is that
// stream.
[[nodiscard]] bool is_journal_stream(const char* journal_stream, int fd);

// The journal field of an event's field: "topic" -> "DDS_TOPIC", others "DURABILITY_<NAME>".
[[nodiscard]] std::string journal_field(std::string_view key);

}  // namespace durability::daemon
