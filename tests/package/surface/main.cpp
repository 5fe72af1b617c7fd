// Every entry point of the installed library, called as another program would; see package.sh.
//   durability_surface calls DIRECTORY            without peers
//   durability_surface discovered DIRECTORY TOPIC    serves what a writer of TOPIC announces, until
//                                                    its input ends
// Prints what is not as it should be, and ends with 1.
#include <durability/service.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace durability;
using namespace std::chrono_literals;

int wrong = 0;

void check(bool right, const char* what, int line) {
    if (right) return;
    std::printf("line %d: not so: %s\n", line, what);
    ++wrong;
}
#define CHECK(expression) check((expression), #expression, __LINE__)

template <class T>
bool failed_with(const Result<T>& result, Errc code, const std::string& text = {}) {
    if (result) return false;
    if (result.error().code == code && result.error().detail.find(text) != std::string::npos)
        return true;
    std::printf("another error: %s: %s\n",
                std::string(name(result.error().code)).c_str(),
                result.error().text().c_str());
    return false;
}

template <class T>
bool fine(const Result<T>& result) {
    if (!result) std::printf("error: %s\n", result.error().text().c_str());
    return result.has_value();
}

Config config_in(const std::string& directory) {
    Config config;
    config.store.directory = directory + "/state";
    config.store.runtime_directory = directory + "/run";
    config.network_lease = 5s;
    return config;
}

// What is wrong with a configuration comes as values, all of it at once.
void configurations(const std::string& directory) {
    CHECK(check_config(config_in(directory)).empty());
    const auto parsed = parse_config("domains: [0, 0]\n", "text");
    CHECK(!parsed && parsed.error().size() == 1 && parsed.error()[0].path == "domains");
    CHECK(!load_config(directory + "/missing.yaml"));
    CHECK(failed_with(DurabilityService::start_from_file(directory + "/missing.yaml"),
                      Errc::configuration,
                      "missing.yaml"));
    CHECK(failed_with(
        DurabilityService::start_from_text("store: { sync: maybe }\nlog: { level: 3 }\n"),
        Errc::configuration,
        "store.sync"));
    Config bad = config_in(directory);
    bad.domains.clear();
    CHECK(failed_with(DurabilityService::start(bad), Errc::configuration, "no domain"));
    Config threads = config_in(directory);
    threads.threads.loop.policy = ThreadPolicy::rr;
    threads.threads.loop.priority = 1;
    if (!has_realtime()) {
        CHECK(failed_with(DurabilityService::start(threads), Errc::unsupported, "feature missing"));
    }
}

bool has_event(const std::vector<Event>& events, EventKind kind) {
    return std::any_of(
        events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; });
}

void named_topics(DurabilityService& service) {
    ServeOptions kept;
    kept.contract.depth = 7;
    kept.storage = StorageChoice::disk;
    CHECK(fine(service.serve("surface/plain", "Plain", KeyedChoice::no, kept)));
    const auto plain = service.contract_of("surface/plain");
    CHECK(fine(plain));
    if (plain) {
        CHECK(plain->type == "Plain" && !plain->keyed && plain->problem.empty());
        CHECK(plain->contract.depth == 7);
        CHECK(plain->contract_source == ContractSource::rule);
        CHECK(plain->storage == StorageKind::disk);
        CHECK(plain->durability == ServeKind::transient);
    }
    // Another contract for the same topic is in force when the call returns.
    kept.contract.depth = 3;
    CHECK(fine(service.serve("surface/plain", "Plain", KeyedChoice::no, kept)));
    CHECK(service.contract_of("surface/plain", "Plain")->contract.depth == 3);
    CHECK(failed_with(service.contract_of("surface/plain", "Other"), Errc::not_found));
    CHECK(failed_with(service.contract_of("surface/nothing"), Errc::not_found));

    CHECK(
        failed_with(service.serve("surface/*", "Plain", KeyedChoice::no), Errc::invalid_argument));
    CHECK(failed_with(service.serve("", "Plain", KeyedChoice::no), Errc::invalid_argument));
    ServeOptions impossible;
    impossible.contract.depth = 5;
    impossible.contract.max_samples = 2;
    CHECK(failed_with(service.serve("surface/bad", "Plain", KeyedChoice::no, impossible),
                      Errc::invalid_argument,
                      "depth"));
    ServeOptions never;
    never.weakest = ServeKind::never;
    CHECK(failed_with(service.serve("surface/bad", "Plain", KeyedChoice::no, never),
                      Errc::invalid_argument));
    CHECK(failed_with(service.contract_of("surface/bad"), Errc::not_found));
}

std::vector<std::uint8_t> octets(const std::string& hexadecimal) {
    std::vector<std::uint8_t> result;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
        result.push_back(
            static_cast<std::uint8_t>(std::stoul(hexadecimal.substr(i, 2), nullptr, 16)));
    return result;
}

// keys::Pair { @key octet a; @key long long b; unsigned long seq; } as idlc describes it
// (tests/types/cyclone.hex).
TypeObjects pair_type() {
    return {
        octets("6000000001100040280000002400000014000000f143174c33dc1eaa453680c79d82ce0047000000"
               "00000000040000000000000002100040280000002400000014000000f2bd8369a5d5eb2f5d3ae411"
               "61c9f30066000000000000000400000000000000"),
        {octets("43000000f1510100010000000000000033000000030000000b000000000000003100020cc175b900"
                "0b0000000100000031000592eb5ffe000b00000002000000010007e068c2de"),
         octets("62000000f251010014000000000000000c0000006b6579733a3a506169725400420000000300000010"
                "00000000000000310002000200000061000000100000000100000031000500020000006200000012"
                "000000020000000100070004000000736571000000")}};
}

void typed_topics(DurabilityService& service) {
    CHECK(fine(service.serve_typed("surface/pair", "keys::Pair", pair_type())));
    CHECK(service.contract_of("surface/pair")->keyed);
    TypeObjects incomplete = pair_type();
    incomplete.objects.clear();
    CHECK(failed_with(service.serve_typed("surface/bad", "keys::Pair", incomplete),
                      Errc::invalid_argument,
                      "type objects"));
    CHECK(fine(service.serve_typed("surface/keyed", "Keyed", KeyLayout{{"int32", "string"}})));
    CHECK(service.contract_of("surface/keyed")->keyed);
    CHECK(failed_with(service.serve_typed("surface/bad", "Keyed", KeyLayout{}),
                      Errc::invalid_argument));
    CHECK(failed_with(service.serve_typed("surface/bad", "Keyed", KeyLayout{{"matrix"}}),
                      Errc::invalid_argument));
    CHECK(failed_with(service.serve_typed("surface/bad", "Keyed", TypeObjects{{1, 2, 3}, {}}),
                      Errc::invalid_argument,
                      "type information"));
    CHECK(failed_with(
        service.serve_typed(
            "surface/bad", "Keyed", TypeObjects{std::vector<std::uint8_t>(1 << 20U), {}}),
        Errc::resource_limit));
}

void from_many_threads(DurabilityService& service) {
    std::atomic<int> served{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            for (int k = 0; k < 5; ++k) {
                const std::string topic = "surface/many" + std::to_string(5 * i + k);
                if (service.serve(topic, "Plain", KeyedChoice::no) && service.contract_of(topic))
                    ++served;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(served == 20);
}

void first_run(const std::string& directory) {
    std::atomic<int> events{0};
    // In the callback the service is asked again: that must not hang.
    std::atomic<DurabilityService*> known{nullptr};
    std::atomic<bool> asked{false};
    std::atomic<bool> answered{false};
    ServiceOptions options;
    options.config = config_in(directory);
    options.on_event = [&](const Event& event) {
        ++events;
        DurabilityService* service = known.load();
        if (service == nullptr || event.kind != EventKind::ServedFromDiscovery ||
            asked.exchange(true))
            return;
        answered = service->served_topics().has_value() &&
                   service->serve("surface/from_callback", "Plain", KeyedChoice::no).has_value() &&
                   !service->serve("surface/*", "Plain", KeyedChoice::no).has_value();
    };
    options.on_failure = [](const Error& error) {
        std::printf("failure: %s\n", error.text().c_str());
        ++wrong;
    };
    auto service = DurabilityService::start(std::move(options));
    if (!fine(service)) {
        ++wrong;
        return;
    }
    known = &*service;
    CHECK(service->is_running());
    CHECK(service->served_topics()->empty());
    // The directories belong to it.
    CHECK(failed_with(DurabilityService::start(config_in(directory)), Errc::in_use));

    named_topics(*service);
    typed_topics(*service);
    from_many_threads(*service);
    CHECK(answered);
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (!service->contract_of("surface/from_callback") &&
           std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(10ms);
    CHECK(fine(service->contract_of("surface/from_callback")));

    CHECK(failed_with(service->serve_if_stored("surface/nothing"), Errc::not_found));
    CHECK(fine(service->serve_if_stored("surface/plain")));
    CHECK(failed_with(service->serve_discovered("surface/nothing"), Errc::not_found));
    CHECK(fine(service->serve_discovered("surface/plain")));
    CHECK(fine(service->disable_auto_discovery()));
    CHECK(fine(service->contract_of("surface/plain")));
    CHECK(fine(service->enable_auto_discovery()));

    CHECK(has_event(service->events(), EventKind::ServedFromDiscovery));
    CHECK(events >= 3);
    const auto served = service->served_topics();
    CHECK(fine(served) && served->size() == 24);

    // Moved, it is the same one.
    known = nullptr;
    DurabilityService moved = *std::move(service);
    CHECK(moved.is_running());
    moved.shutdown();
    CHECK(!moved.is_running());
    moved.shutdown();
    CHECK(failed_with(moved.serve("surface/late", "Plain", KeyedChoice::no), Errc::unavailable));
    CHECK(failed_with(moved.served_topics(), Errc::unavailable));
    CHECK(!moved.events().empty());
}

// What the first run has stored, and nothing names now.
void second_run(const std::string& directory) {
    ServiceOptions options;
    options.config = config_in(directory);
    options.auto_discovery = false;
    auto service = DurabilityService::start(std::move(options));
    if (!fine(service)) {
        ++wrong;
        return;
    }
    CHECK(service->served_topics()->empty());
    CHECK(failed_with(service->contract_of("surface/plain"), Errc::not_found));
    CHECK(fine(service->serve_if_stored("surface/plain")));
    const auto plain = service->contract_of("surface/plain");
    CHECK(fine(plain));
    if (plain) CHECK(plain->type == "Plain" && plain->contract.depth == 3);
    CHECK(has_event(service->events(), EventKind::ServedFromStoredMeta));
    CHECK(fine(service->enable_auto_discovery()));
    CHECK(service->served_topics()->size() == 24);
    service->shutdown(ShutdownMode::goodbye);
}

int discovered(const std::string& directory, const std::string& topic) {
    ServiceOptions options;
    options.config = config_in(directory);
    // Its writers say nothing of what is to be kept.
    options.config.default_contract.history = ContractHistory::keep_all;
    options.on_event = [](const Event& event) {
        std::puts(to_line(event).c_str());
        std::fflush(stdout);
    };
    auto service = DurabilityService::start(std::move(options));
    if (!fine(service)) return 1;
    std::puts("STARTED");
    std::fflush(stdout);
    const auto until = std::chrono::steady_clock::now() + 30s;
    Status served = service->serve_discovered(topic);
    while (!served && served.error().code == Errc::not_found &&
           std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(50ms);
        served = service->serve_discovered(topic);
    }
    if (!fine(served)) return 1;
    const auto contract = service->contract_of(topic);
    if (!fine(contract)) return 1;
    std::printf("DISCOVERED %s %s\n",
                contract->type.c_str(),
                contract->durability == ServeKind::transient_local ? "TRANSIENT_LOCAL" : "other");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    service->shutdown();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "discovered" && argc == 4) return discovered(argv[2], argv[3]);
    if (mode != "calls" || argc != 3) {
        std::fputs("usage: durability_surface calls DIRECTORY | discovered DIRECTORY TOPIC\n",
                   stderr);
        return 64;
    }
    configurations(argv[2]);
    first_run(argv[2]);
    second_run(argv[2]);
    std::puts(wrong == 0 ? "all as it should be" : "something is wrong");
    return wrong == 0 ? 0 : 1;
}
