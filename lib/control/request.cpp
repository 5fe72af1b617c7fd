// Requests: what a client may say, member by member. Foreign bytes are read here.
#include "base/text.hpp"
#include "control/json.hpp"
#include "control/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace durability::control {
namespace {

// Members beside the version and the command; a bit each.
enum Member : std::uint32_t {
    goodbye = 1U << 0U,
    topic = 1U << 1U,
    writer = 1U << 2U,
    instance = 1U << 3U,
    domain = 1U << 4U,
    after = 1U << 5U,
    run = 1U << 6U,
    format = 1U << 7U,
};
// A run's name is short; another text names none of ours.
constexpr std::size_t longest_run = 64;

struct Rule {
    std::string_view name;
    std::uint32_t takes{0};
    std::uint32_t needs{0};
};
// In the order of Command.
constexpr std::array rules{Rule{"status"},
                           Rule{"topics"},
                           Rule{"writers"},
                           Rule{"readers"},
                           Rule{"events", after | run},
                           Rule{"stop", goodbye},
                           Rule{"purge", topic | writer | instance | domain, topic},
                           Rule{"compact", topic | domain},
                           Rule{"instances", topic | domain, topic},
                           Rule{"explain", topic | domain, topic},
                           Rule{"reload"},
                           Rule{"show", topic | domain, topic},
                           Rule{"metrics", format}};

tl::unexpected<Error> refuse(std::string text) {
    return fail(Errc::invalid_argument, std::move(text));
}

// A name as put_name() writes it; an empty one names nothing.
Status read_topic(const Json& value, bool hexadecimal, std::string& into) {
    if (!value.is_string()) return refuse("topic is not a text");
    const auto text = value.get<std::string>();
    const auto octets = hexadecimal ? from_hex(text) : text;
    if (!octets || octets->empty()) return refuse("topic names no topic");
    into = *octets;
    return {};
}

Status read_domain(const Json& value, std::optional<std::uint32_t>& into) {
    constexpr std::uint64_t greatest = std::numeric_limits<std::uint32_t>::max();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > greatest)
        return refuse("domain is not a domain's number");
    into = value.get<std::uint32_t>();
    return {};
}

// One member beside version and command; `seen` gets its bit.
Status read_member(const std::string& key,
                   const Json& value,
                   Request& request,
                   std::uint32_t& seen) {
    const auto text = value.is_string() ? value.get<std::string>() : std::string();
    if (key == "goodbye") {
        seen |= goodbye;
        if (!value.is_boolean()) return refuse("goodbye is neither true nor false");
        request.goodbye = value.get<bool>();
        return {};
    }
    if (key == "topic" || key == "topic_hex") {
        const bool exact = (seen & topic) != 0 && key == "topic";
        seen |= topic;
        // Beside the exact form the other one is for people.
        if (exact) return {};
        return read_topic(value, key == "topic_hex", request.topic);
    }
    if (key == "writer") {
        seen |= writer;
        request.writer = parse_guid(text);
        if (!request.writer) return refuse("writer is not a GUID as `writers` prints it");
        return {};
    }
    if (key == "instance") {
        seen |= instance;
        request.instance = parse_key_hash(text);
        if (!request.instance) return refuse("instance is not 32 lower-case hexadecimal digits");
        return {};
    }
    if (key == "domain") {
        seen |= domain;
        return read_domain(value, request.domain);
    }
    if (key == "after") {
        seen |= after;
        if (!value.is_number_unsigned()) return refuse("after is not the number of an event");
        request.after = value.get<std::uint64_t>();
        return {};
    }
    if (key == "run") {
        seen |= run;
        if (!value.is_string() || text.size() > longest_run)
            return refuse("run is not a text as `events` gives it");
        request.run = text;
        return {};
    }
    if (key == "format") {
        seen |= format;
        if (text != "openmetrics" && text != "prometheus")
            return refuse("format is neither openmetrics nor prometheus");
        request.prometheus = text == "prometheus";
        return {};
    }
    return refuse(fmt::format("unknown member {}", quote_if_needed(key)));
}

std::string_view name_of(std::uint32_t member) {
    switch (member) {
        case goodbye:
            return "goodbye";
        case topic:
            return "topic";
        case writer:
            return "writer";
        case instance:
            return "instance";
        case after:
            return "after";
        case run:
            return "run";
        case format:
            return "format";
        default:
            return "domain";
    }
}

Status check_members(const Request& request, std::uint32_t seen) {
    const Rule& rule = rules[static_cast<std::size_t>(request.command)];
    for (std::uint32_t member = goodbye; member <= format; member <<= 1U) {
        if ((seen & member & ~rule.takes) != 0)
            return refuse(fmt::format("{} takes no member {}", rule.name, name_of(member)));
        if ((rule.needs & member & ~seen) != 0)
            return refuse(fmt::format("{} needs the member {}", rule.name, name_of(member)));
    }
    return {};
}

Result<Request> read_request(const Json& json) {
    if (!json.is_object()) return refuse("a request is a JSON object");
    Request request;
    std::uint32_t seen = 0;
    bool named = false;
    for (const auto& [key, value] : json.items()) {
        if (key == "version") {
            if (value != protocol_version) {
                return fail(
                    Errc::version,
                    fmt::format("this daemon speaks version {} of the protocol", protocol_version));
            }
        } else if (key == "command") {
            const auto text = value.is_string() ? value.get<std::string>() : std::string();
            const auto found = std::find_if(
                rules.begin(), rules.end(), [&](const Rule& rule) { return rule.name == text; });
            if (found == rules.end())
                return refuse(fmt::format("unknown command {}", quote_if_needed(text)));
            request.command = static_cast<Command>(found - rules.begin());
            named = true;
        } else if (auto read = read_member(key, value, request, seen); !read) {
            return tl::unexpected(read.error());
        }
    }
    if (!named) return refuse("the request names no command");
    if (auto checked = check_members(request, seen); !checked)
        return tl::unexpected(checked.error());
    return request;
}

}  // namespace

std::string_view name(Command command) {
    return rules[static_cast<std::size_t>(command)].name;
}

std::string encode(const Request& request) {
    Json json;
    json["version"] = protocol_version;
    json["command"] = name(request.command);
    if (request.goodbye) json["goodbye"] = true;
    if (!request.topic.empty()) put_name(json, "topic", request.topic);
    if (request.writer) json["writer"] = to_string(*request.writer);
    if (request.instance) json["instance"] = to_hex(*request.instance);
    if (request.domain) json["domain"] = *request.domain;
    if (request.after) json["after"] = *request.after;
    if (!request.run.empty()) json["run"] = request.run;
    if (request.prometheus) json["format"] = "prometheus";
    return to_text(json);
}

Result<Request> decode_request(std::string_view line) {
    if (line.size() > largest_request) return refuse("the request is too long");
    // A request is flat; the parser recurses no deeper than this before it is asked to stop.
    const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
        return depth <= 2;
    };
    const Json json = Json::parse(line, shallow, false);
    if (json.is_discarded()) return refuse("the request is not JSON");
    return read_request(json);
}

}  // namespace durability::control
