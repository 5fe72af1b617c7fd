// The control socket: one JSON object on a line each way, with a version, written and read here.
//
//   -> {"version":1,"command":"topics"}
//   <- {"version":1,"ok":true,"data":{...}}          or
//   <- {"version":1,"ok":false,"error":"...","reason":"invalid argument","exit":64}
//
// Values only; sockets are in client.cpp and in the daemon. `data` is what `durabilityctl --json`
// prints: its names are described in durabilityctl(1) and rely on the snapshot of model/status.hpp.
#pragma once

#include "durability/error.hpp"
#include "durability/event.hpp"
#include "model/explanation.hpp"
#include "model/reload.hpp"
#include "model/sample.hpp"
#include "model/shown_topic.hpp"
#include "model/status.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace durability::control {

inline constexpr int protocol_version = 1;
// A request is a few words. Longer lines are refused without being read to their end.
inline constexpr std::size_t largest_request = 64U << 10U;
// 20,000 writers with long names; a client stops reading there.
inline constexpr std::size_t largest_reply = 64U << 20U;

enum class Command : std::uint8_t {
    status,
    topics,
    writers,
    readers,
    events,
    stop,
    purge,      // takes stored samples out
    compact,    // begins to rewrite what holds dead frames; `topics` says how far it is
    instances,  // of a keyed topic
    explain,    // why the endpoints of a topic are served or not
    reload,     // the configuration; a refusal is an answer like any other
    show,       // the effective contract of a topic, and where each value comes from
    metrics     // figures for a monitoring system, as text
};
[[nodiscard]] std::string_view name(Command command);

// Which members a request may have depends on its command; a wrong one is refused by name.
struct Request {
    Command command{Command::status};
    bool goodbye{false};  // stop: dispose both participants, whatever the configuration says
    std::string topic{};  // purge, instances, explain: required; compact: empty means all
    std::optional<Guid> writer{};           // purge
    std::optional<KeyHash> instance{};      // purge
    std::optional<std::uint32_t> domain{};  // of those that name a topic: this one only
    // events: only those with a greater number, and the answer may wait some seconds for the first
    // of them; `run` is the run of the daemon that the number is of, as its reply names it. Numbers
    // of another run count as 0.
    std::optional<std::uint64_t> after{};
    std::string run{};
    // metrics: the text format of Prometheus 0.0.4 in place of OpenMetrics 1.0
    bool prometheus{false};
    friend bool operator==(const Request&, const Request&) = default;
};

// Lines without their end.
[[nodiscard]] std::string encode(const Request& request);
// Foreign bytes. Errors: invalid_argument (not an object, unknown command or member, a member of
// another type or that the command does not take), version.
[[nodiscard]] Result<Request> decode_request(std::string_view line);

// The part of a snapshot that the command asks for, as the `data` of a reply.
[[nodiscard]] std::string encode_data(Command command, const ServiceStatus& status);
// `run` names this run of the daemon: numbers of events are of one run only.
[[nodiscard]] std::string encode_data(const std::vector<Event>& events, std::string_view run);
[[nodiscard]] std::string encode_text(std::string_view text);
[[nodiscard]] std::string encode_data(const PurgeOutcome& outcome);
[[nodiscard]] std::string encode_data(const CompactionOutcome& outcome);
[[nodiscard]] std::string encode_data(const InstanceList& list);
[[nodiscard]] std::string encode_data(const Explanation& explanation);
[[nodiscard]] std::string encode_data(const ReloadVerdict& verdict);
[[nodiscard]] std::string encode_data(const Shown& shown);

[[nodiscard]] std::string encode_reply(std::string_view data);
[[nodiscard]] std::string encode_reply(const Error& error);

struct Reply {
    std::string data;      // JSON text, as it came
    ServiceStatus status;  // what of it was there
    struct EventText {
        std::uint64_t number{0};
        std::int64_t wall_ns{0};
        std::string name;
        std::string severity;
        std::string topic;  // where it is about one
        std::string line;
        std::string json;  // the row, as it came
    };
    std::vector<EventText> events;
    std::string run;          // events
    std::uint64_t newest{0};  // events: the number to ask from next
    std::string text;         // metrics
    PurgeOutcome purged;
    CompactionOutcome compaction;
    InstanceList instances;
    Explanation explanation;
    ReloadVerdict reload;
    Shown shown;
};
// The daemon's error comes back as one. Errors of decoding are
// `version` (speaks another version) and `internal` (not what a daemon sends).
[[nodiscard]] Result<Reply> decode_reply(std::string_view line);

}  // namespace durability::control
