// What an operator looks at while the daemon runs: events that follow, metrics, the contract in
// force.
#include "house.hpp"

#include "control/client.hpp"
#include "support/exposition.hpp"
#include "support/prepared_store.hpp"

#include <csignal>
#include <sstream>
#include <thread>

#include <sys/stat.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::string content(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

template <class Condition>
bool wait(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(20ms);
    }
    return true;
}

}  // namespace

TEST_CASE("events of a running daemon begin with Ready, are numbered, and name their run") {
    const House house;
    const auto daemon = house.serving();
    const auto reply = control::ask(house.path("run/control.sock"), {control::Command::events});
    if (!reply) FAIL(reply.error().text());
    REQUIRE_FALSE(reply->events.empty());
    CHECK_FALSE(reply->run.empty());
    std::uint64_t number = 0;
    bool ready = false;
    for (const auto& event : reply->events) {
        CHECK(event.number == ++number);
        ready = ready || event.name == "Ready";
    }
    CHECK(ready);
}

TEST_CASE("events are followed over a restart of the daemon") {
    const House house;
    const auto socket = house.path("run/control.sock");
    auto daemon = house.serving();
    Process follow({DURABILITYCTL_BINARY, {"events", "--follow", "--socket", socket}, {}});
    REQUIRE(follow.wait_line("event=Ready", patience));
    const std::size_t before = follow.line_count();
    daemon->kill(SIGKILL);
    CHECK(exit_of(*daemon) == 1'000 + SIGKILL);
    REQUIRE(follow.wait_line("waiting for it to come back", patience, before));
    daemon = house.serving();
    REQUIRE(follow.wait_line("the daemon was started again", patience, before));
    CHECK(follow.wait_line("event=Ready", patience, before));
    // Somebody who follows does not keep the daemon from its end.
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
    follow.kill(SIGINT);
    CHECK(exit_of(follow) == 0);
}

TEST_CASE("show tells the contract in force and where each value comes from") {
    const House house;
    PreparedTopic map{"rt/map", true, 50};
    map.described = true;
    prepare_store(house.path("state"), house.path("run"), 0, map, 4, false, 16);
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/tf"}, 2);
    const auto file = house.write("d.yaml",
                                  "default_contract: { max_instances: 77 }\n"
                                  "topics:\n"
                                  "  - topic: rt/m*\n"
                                  "    serve: transient_local\n"
                                  "    contract: { depth: 9, max_age: 1h }\n");
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving({"--config", file});
    const auto map_shown = run_tool({"show", "rt/map", "--socket", socket});
    INFO(map_shown.output);
    CHECK(map_shown.status == 0);
    const std::string rule = file + ":3";
    control::Request request{control::Command::show};
    request.topic = "rt/map";
    const auto reply = control::ask(socket, request);
    if (!reply) FAIL(reply.error().text());
    REQUIRE(reply->shown.topics.size() == 1);
    const auto& group = reply->shown.topics[0].groups.at(0);
    CHECK(group.state == "served");
    const auto value = [&](const std::string& name) {
        for (const ShownValue& one : group.values) {
            if (one.name == name) return one;
        }
        return ShownValue{};
    };
    CHECK(value("serve") == ShownValue{"serve", "transient_local", ValueOrigin::rule, rule});
    CHECK(value("contract.depth") == ShownValue{"contract.depth", "9", ValueOrigin::rule, rule});
    CHECK(value("contract.history").origin == ValueOrigin::rule);
    CHECK(value("contract.max_age").value == "1h");
    CHECK(value("contract.max_instances") ==
          ShownValue{"contract.max_instances", "77", ValueOrigin::daemon_default, {}});
    CHECK(value("storage").origin == ValueOrigin::built_in);
    CHECK(value("keyed").value == "yes");
    CHECK(value("key").value == "the description of its type");
    CHECK_THAT(value("type_hash").value, Catch::StartsWith("minimal "));
    CHECK(value("qos.durability").value == "PERSISTENT");
    CHECK_THAT(map_shown.output, Contains("the rule at " + rule) && Contains("default_contract"));

    // No rule is in force for this one, and nobody announces what is stored.
    const auto stored = run_tool({"show", "rt/tf", "--json", "--socket", socket});
    CHECK_THAT(stored.output,
               Contains(R"({"name":"contract.depth","value":"3","origin":"stored",)"
                        R"("where":"a writer announced it"})"));
    const auto near = run_tool({"show", "map", "--socket", socket});
    CHECK(near.status == 69);
    CHECK_THAT(near.output,
               Contains("show map: nothing of such a topic") && Contains("did you mean rt/map?"));
    CHECK(run_tool({"show", "rt/map", "-d", "5", "--socket", socket}).status == 69);
}

TEST_CASE("metrics of a running daemon follow the grammar, and their counters do not go back") {
    const House house;
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", true, 50}, 10);
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving();
    std::map<std::string, double> before;
    for (int i = 0; i < 3; ++i) {
        const auto ran = run_tool({"metrics", "--socket", socket});
        CHECK(ran.status == 0);
        // The lines of the process come without their last end.
        auto page =
            read_exposition(ran.output.ends_with('\n') ? ran.output : ran.output + "\n", true);
        CHECK(page.complaints == std::vector<std::string>{});
        CHECK(page.samples.at("durabilityd_retained_samples{domain=\"0\",topic=\"rt/map\"}") == 10);
        CHECK(page.samples.at("durabilityd_writers{domain=\"0\",state=\"away\"}") +
                  page.samples.at("durabilityd_writers{domain=\"0\",state=\"retired\"}") ==
              1);
        CHECK(page.samples.at("durabilityd_events_total{event=\"Ready\"}") == 1);
        CHECK(page.samples.at("durabilityd_recovery_seconds") > 0);
        for (const auto& [sample, value] : before) {
            const std::string name = sample.substr(0, sample.find('{'));
            CAPTURE(sample);
            if (name.ends_with("_total") || name.ends_with("_bucket") || name.ends_with("_count"))
                CHECK(page.samples.at(sample) >= value);
        }
        before = page.samples;
        CHECK(
            run_tool({"purge", "rt/map", "--instance", to_hex(prepared_key(9)), "--socket", socket})
                .status == 0);
    }
}

TEST_CASE("metrics are written to a file, which goes when the daemon ends") {
    const House house;
    const auto path = house.path("d.prom");
    const auto file = house.write("d.yaml", "metrics:\n  file: " + path + "\n  interval: 1s\n");
    const auto daemon = house.serving({"--config", file});
    REQUIRE(wait([&] { return std::filesystem::exists(path); }));
    const auto page = read_exposition(content(path), false);
    CHECK(page.complaints == std::vector<std::string>{});
    CHECK(page.samples.count("durabilityd_config_reload_success") == 1);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0644);
    // Written anew, and beside: another file has the name.
    REQUIRE(wait([&] {
        struct stat now {};
        return ::stat(path.c_str(), &now) == 0 &&
               (now.st_ino != status.st_ino || now.st_mtim.tv_sec != status.st_mtim.tv_sec);
    }));
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST_CASE("metrics that cannot be written are an event, and the daemon goes on") {
    const House house;
    const auto file = house.write(
        "d.yaml", "metrics:\n  file: " + house.path("no/d.prom") + "\n  interval: 1s\n");
    const auto daemon = house.serving({"--config", file});
    const auto line = daemon->wait_line("event=MetricsFileFailed", patience);
    REQUIRE(line.has_value());
    CHECK_THAT(*line, Contains("path=" + house.path("no/d.prom")) && Contains("reason="));
    CHECK(control::ask(house.path("run/control.sock"), {}).has_value());
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("status shows events and what was served since the start") {
    const House house;
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", false, 50}, 10);
    const auto daemon = house.serving();
    const auto status = run_tool({"status", "--socket", house.path("run/control.sock")});
    CHECK(status.status == 0);
    CHECK_THAT(status.output,
               Contains("lease 30s") && Contains("stored and") && Contains("since the start") &&
                   Contains("latest events:") && Contains("event=Ready"));
}
