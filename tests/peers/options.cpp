#include "options.hpp"

#include "output.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <string_view>

namespace peer {
namespace {

constexpr std::string_view usage =
    R"(usage: PEER pub|sub [options]

both:  --domain N  --topic NAME  --type unkeyed|keyed|NAME (a type of keys.idl)
       --durability volatile|transient_local|transient|persistent
       --reliability reliable|best_effort  --partition P (repeatable)
       --history keep_last:N|keep_all  --representation xcdr1|xcdr2|default
       --ownership shared|exclusive  --ownership-strength N  --destination-order reception|source
       --user-data TEXT  --topic-data TEXT  --group-data TEXT
       --deadline MS  --lifespan MS  --latency-budget MS  --liveliness-lease MS
       --liveliness automatic|manual_by_participant|manual_by_topic
       --access-scope instance|topic|group  --ordered-access yes|no
       --durability-service keep_last:N|keep_all[:SAMPLES,INSTANCES,PER_INSTANCE]
       --cleanup-delay S|infinite  --persistence-guid GUID  --persistence-file FILE
       --autodispose yes|no  --loopback yes|no  --seed S  --timeout S  --quiet  --bench
       --address ADDR (UDP on this address alone in place of loopback, at the standard's ports)
       --type-name NAME (announced in place of the type's own; unkeyed and keyed only)
       --type-information yes|no (Cyclone DDS: whether endpoints describe their type)
       --key-hashes yes|no (Cyclone DDS: whether writers send a key hash with each sample)
pub:   --count N  --size BYTES | --sizes A,B,C  --keys K  --first-key K  --rate HZ  --start-seq N
       --wait-matched N  --dispose-every N  --unregister-every N  --batch
       --ops "w1 3*w2 d1 u2 x1" (write, dispose, unregister, write-dispose; the numbers are ids)
       then from stdin: write N | dispose K | unregister K | ops OPS | wait_acks | exit
       --burst N (without end, each burst waited for)  from stdin: pause | resume | exit
sub:   --expect N (valid samples, per reader)  --settle S  --stay
       --lazy (takes nothing before it is told to exit)
       --report states (at the end a line for each instance)
       --expect-states "1=ALIVE:7 2=DISPOSED" (every instance, its state, the number of its last
       sample where it matters; done once they are so, with no reader short of --expect either)
       --readers K  --reader-delay MS  --one-by-one
       --reader-durability KIND,KIND,...
       --joins K (one fresh participant after the other)  --join-delay-max MS  --join-seed S
       from stdin: exit
       --on-request  from stdin: join TOPIC EXPECT (one fresh participant and reader) | exit

exit status: 0 done; 1 timed out or short of samples; 2 bad command line; 3 not possible with this
vendor; 4 the DDS implementation refused
)";

[[noreturn]] void bad(std::string_view option, std::string_view value, std::string_view wanted) {
    fail(exit_usage, fmt::format("{} {}: expected {}", option, value, wanted));
}

template <class T>
T number(std::string_view option, std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) bad(option, text, "a number");
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::chrono::milliseconds milliseconds(std::string_view option, std::string_view text) {
    return std::chrono::milliseconds(number<std::int64_t>(option, text));
}

std::chrono::milliseconds seconds(std::string_view option, std::string_view text) {
    const auto value = number<double>(option, text);
    if (value < 0 || value > 1e6) bad(option, text, "seconds, 0 to 1000000");
    return std::chrono::milliseconds(static_cast<std::int64_t>(value * 1000));
}

Durability durability(std::string_view option, std::string_view text) {
    if (text == "volatile") return Durability::volatile_kind;
    if (text == "transient_local") return Durability::transient_local;
    if (text == "transient") return Durability::transient;
    if (text == "persistent") return Durability::persistent;
    bad(option, text, "volatile, transient_local, transient or persistent");
}

bool choice(std::string_view option,
            std::string_view text,
            std::string_view no,
            std::string_view yes) {
    if (text == yes) return true;
    if (text != no) bad(option, text, fmt::format("{} or {}", no, yes));
    return false;
}

History history(std::string_view option, std::string_view text) {
    if (text == "keep_all") return History{HistoryKind::keep_all, 1};
    constexpr std::string_view last = "keep_last:";
    if (!text.starts_with(last)) bad(option, text, "keep_all or keep_last:N");
    return History{HistoryKind::keep_last, number<std::int32_t>(option, text.substr(last.size()))};
}

DurabilityService durability_service(std::string_view option, std::string_view text) {
    DurabilityService service;
    const auto colon = text.rfind(':');
    const bool limits =
        colon != std::string_view::npos && text.substr(colon).find(',') != std::string_view::npos;
    service.history = history(option, limits ? text.substr(0, colon) : text);
    if (!limits) return service;
    const auto parts = split(text.substr(colon + 1), ',');
    if (parts.size() != 3) bad(option, text, "three limits");
    service.max_samples = number<std::int32_t>(option, parts[0]);
    service.max_instances = number<std::int32_t>(option, parts[1]);
    service.max_samples_per_instance = number<std::int32_t>(option, parts[2]);
    return service;
}

Representation representation(std::string_view option, std::string_view text) {
    if (text == "default") return Representation::vendor_default;
    if (text == "xcdr1") return Representation::xcdr1;
    if (text == "xcdr2") return Representation::xcdr2;
    bad(option, text, "xcdr1, xcdr2 or default");
}

LivelinessKind liveliness(std::string_view option, std::string_view text) {
    if (text == "automatic") return LivelinessKind::automatic;
    if (text == "manual_by_participant") return LivelinessKind::manual_by_participant;
    if (text == "manual_by_topic") return LivelinessKind::manual_by_topic;
    bad(option, text, "automatic, manual_by_participant or manual_by_topic");
}

AccessScope access_scope(std::string_view option, std::string_view text) {
    if (text == "instance") return AccessScope::instance;
    if (text == "topic") return AccessScope::topic;
    if (text == "group") return AccessScope::group;
    bad(option, text, "instance, topic or group");
}

using Setter = std::function<void(Options&, std::string_view option, std::string_view value)>;

void add_common(std::map<std::string_view, Setter>& table) {
    table["--domain"] = [](auto& o, auto k, auto v) { o.domain = number<std::uint32_t>(k, v); };
    table["--topic"] = [](auto& o, auto, auto v) { o.topic = v; };
    table["--type"] = [](auto& o, auto, auto v) { o.type = v; };
    table["--type-name"] = [](auto& o, auto, auto v) { o.type_name = v; };
    table["--key-hashes"] = [](auto& o, auto k, auto v) {
        o.key_hashes = choice(k, v, "no", "yes");
    };
    table["--type-information"] = [](auto& o, auto k, auto v) {
        o.type_information = choice(k, v, "no", "yes");
    };
    table["--durability"] = [](auto& o, auto k, auto v) { o.durability = durability(k, v); };
    table["--reliability"] = [](auto& o, auto k, auto v) {
        o.reliable = choice(k, v, "best_effort", "reliable");
    };
    table["--partition"] = [](auto& o, auto, auto v) { o.partitions.emplace_back(v); };
    table["--history"] = [](auto& o, auto k, auto v) { o.history = history(k, v); };
    table["--representation"] = [](auto& o, auto k, auto v) {
        o.representation = representation(k, v);
    };
    table["--ownership"] = [](auto& o, auto k, auto v) {
        o.exclusive = choice(k, v, "shared", "exclusive");
    };
    table["--ownership-strength"] = [](auto& o, auto k, auto v) {
        o.ownership_strength = number<std::int32_t>(k, v);
    };
    table["--destination-order"] = [](auto& o, auto k, auto v) {
        o.by_source = choice(k, v, "reception", "source");
    };
    table["--user-data"] = [](auto& o, auto, auto v) { o.user_data = v; };
    table["--topic-data"] = [](auto& o, auto, auto v) { o.topic_data = v; };
    table["--group-data"] = [](auto& o, auto, auto v) { o.group_data = v; };
    table["--deadline"] = [](auto& o, auto k, auto v) { o.deadline = milliseconds(k, v); };
    table["--liveliness"] = [](auto& o, auto k, auto v) { o.liveliness = liveliness(k, v); };
    table["--access-scope"] = [](auto& o, auto k, auto v) { o.access_scope = access_scope(k, v); };
    table["--ordered-access"] = [](auto& o, auto k, auto v) {
        o.ordered_access = choice(k, v, "no", "yes");
    };
    table["--liveliness-lease"] = [](auto& o, auto k, auto v) {
        o.liveliness_lease = milliseconds(k, v);
    };
    table["--lifespan"] = [](auto& o, auto k, auto v) { o.lifespan = milliseconds(k, v); };
    table["--latency-budget"] = [](auto& o, auto k, auto v) {
        o.latency_budget = milliseconds(k, v);
    };
    table["--durability-service"] = [](auto& o, auto k, auto v) {
        const double delay = o.durability_service ? o.durability_service->cleanup_delay_s : 0;
        o.durability_service = durability_service(k, v);
        o.durability_service->cleanup_delay_s = delay;
    };
    table["--cleanup-delay"] = [](auto& o, auto k, auto v) {
        if (!o.durability_service) {
            o.durability_service = DurabilityService{};
            o.durability_service->history.kind = HistoryKind::keep_last;
        }
        o.durability_service->cleanup_delay_s =
            v == "infinite" ? std::numeric_limits<double>::infinity() : number<double>(k, v);
    };
    table["--persistence-guid"] = [](auto& o, auto, auto v) { o.persistence_guid = v; };
    table["--persistence-file"] = [](auto& o, auto, auto v) { o.persistence_file = v; };
    table["--autodispose"] = [](auto& o, auto k, auto v) {
        o.autodispose = choice(k, v, "no", "yes");
    };
    table["--loopback"] = [](auto& o, auto k, auto v) { o.loopback = choice(k, v, "no", "yes"); };
    table["--address"] = [](auto& o, auto, auto v) { o.address = v; };
    table["--seed"] = [](auto& o, auto k, auto v) { o.seed = number<std::uint64_t>(k, v); };
    table["--timeout"] = [](auto& o, auto k, auto v) { o.timeout = seconds(k, v); };
}

void add_publisher(std::map<std::string_view, Setter>& table) {
    table["--count"] = [](auto& o, auto k, auto v) { o.count = number<std::uint32_t>(k, v); };
    const Setter sizes = [](auto& o, auto k, auto v) {
        o.sizes.clear();
        for (const auto part : split(v, ','))
            o.sizes.push_back(number<std::uint32_t>(k, part));
    };
    table["--size"] = sizes;
    table["--sizes"] = sizes;
    table["--keys"] = [](auto& o, auto k, auto v) {
        o.keys = number<std::uint32_t>(k, v);
        if (o.keys == 0) bad(k, v, "at least 1");
    };
    table["--first-key"] = [](auto& o, auto k, auto v) {
        o.first_key = number<std::uint32_t>(k, v);
    };
    table["--rate"] = [](auto& o, auto k, auto v) { o.rate_hz = number<double>(k, v); };
    table["--start-seq"] = [](auto& o, auto k, auto v) {
        o.start_seq = number<std::uint32_t>(k, v);
    };
    table["--burst"] = [](auto& o, auto k, auto v) { o.burst = number<std::uint32_t>(k, v); };
    table["--ops"] = [](auto& o, auto, auto v) { o.ops = v; };
    table["--wait-matched"] = [](auto& o, auto k, auto v) {
        o.wait_matched = number<std::int32_t>(k, v);
    };
    table["--dispose-every"] = [](auto& o, auto k, auto v) {
        o.dispose_every = number<std::uint32_t>(k, v);
    };
    table["--unregister-every"] = [](auto& o, auto k, auto v) {
        o.unregister_every = number<std::uint32_t>(k, v);
    };
}

void add_subscriber(std::map<std::string_view, Setter>& table) {
    table["--expect"] = [](auto& o, auto k, auto v) { o.expect = number<std::uint64_t>(k, v); };
    table["--report"] = [](auto& o, auto k, auto v) {
        o.report_states = choice(k, v, "samples", "states");
    };
    table["--expect-states"] = [](auto& o, auto, auto v) { o.expect_states = v; };
    table["--settle"] = [](auto& o, auto k, auto v) { o.settle = seconds(k, v); };
    table["--readers"] = [](auto& o, auto k, auto v) { o.readers = number<std::uint32_t>(k, v); };
    table["--reader-delay"] = [](auto& o, auto k, auto v) { o.reader_delay = milliseconds(k, v); };
    table["--reader-durability"] = [](auto& o, auto k, auto v) {
        for (const auto part : split(v, ','))
            o.reader_durability.push_back(durability(k, part));
    };
    table["--joins"] = [](auto& o, auto k, auto v) { o.joins = number<std::uint32_t>(k, v); };
    table["--join-seed"] = [](auto& o, auto k, auto v) {
        o.join_seed = number<std::uint64_t>(k, v);
    };
    table["--join-delay-max"] = [](auto& o, auto k, auto v) {
        o.join_delay_max = milliseconds(k, v);
    };
}

std::map<std::string_view, bool Options::*> flags(Command command) {
    std::map<std::string_view, bool Options::*> table;
    table["--quiet"] = &Options::quiet;
    table["--bench"] = &Options::bench;
    if (command == Command::publish) table["--batch"] = &Options::batch;
    if (command == Command::subscribe) {
        table["--stay"] = &Options::stay;
        table["--lazy"] = &Options::lazy;
        table["--one-by-one"] = &Options::one_by_one;
        table["--on-request"] = &Options::on_request;
    }
    return table;
}

}  // namespace

Options parse_options(int argc, char** argv) {
    const std::vector<std::string_view> args(argv + 1, argv + argc);
    if (args.empty() || args[0] == "--help" || args[0] == "-h") {
        fmt::print("{}", usage);
        std::exit(args.empty() ? exit_usage : exit_ok);
    }
    Options options;
    if (args[0] != "pub" && args[0] != "sub") bad("command", args[0], "pub or sub");
    options.command = args[0] == "pub" ? Command::publish : Command::subscribe;

    std::map<std::string_view, Setter> table;
    add_common(table);
    if (options.command == Command::publish) {
        add_publisher(table);
    } else {
        add_subscriber(table);
    }
    const auto switches = flags(options.command);

    for (std::size_t i = 1; i < args.size(); ++i) {
        if (const auto flag = switches.find(args[i]); flag != switches.end()) {
            options.*(flag->second) = true;
            continue;
        }
        const auto setter = table.find(args[i]);
        if (setter == table.end()) bad("option", args[i], "one of those --help lists");
        if (i + 1 == args.size()) bad(args[i], "", "a value");
        setter->second(options, args[i], args[i + 1]);
        ++i;
    }
    return options;
}

}  // namespace peer
