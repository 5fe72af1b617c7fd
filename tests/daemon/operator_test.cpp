// What an operator asks of a running daemon, on a store that holds something.
#include "house.hpp"

#include "base/unique_fd.hpp"
#include "control/client.hpp"
#include "support/prepared_store.hpp"

#include <csignal>

#include <sys/socket.h>
#include <sys/un.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::uint64_t retained(const std::string& socket, const std::string& topic) {
    const auto reply = control::ask(socket, {control::Command::topics});
    if (!reply) FAIL(reply.error().text());
    std::uint64_t samples = 0;
    for (const TopicStatus& one : reply->status.domains.at(0).topics) {
        if (one.topic == topic) samples += one.retained_samples;
    }
    return samples;
}

}  // namespace

TEST_CASE("samples that are purged over the socket are gone, also after a restart") {
    const House house;
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", true, 50}, 10, true);
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", true, 50, "left"}, 4);
    const auto socket = house.path("run/control.sock");
    auto daemon = house.serving();
    REQUIRE(retained(socket, "rt/map") == 24);

    const auto one = run_tool({"purge",
                               "rt/map",
                               "--writer",
                               to_string(prepared_writer(2)),
                               "--instance",
                               to_hex(prepared_key(1)),
                               "--socket",
                               socket});
    CHECK(one.status == 0);
    CHECK_THAT(one.output, Contains("5 samples of rt/map removed in 2 groups"));
    CHECK(retained(socket, "rt/map") == 19);
    const auto nobody = run_tool(
        {"purge", "rt/map", "--writer", to_string(prepared_writer(9)), "--socket", socket});
    CHECK(nobody.status == 0);
    CHECK_THAT(nobody.output, Contains("0 samples") && Contains("has no writer"));
    const auto nothing =
        run_tool({"purge", "rt/map", "--instance", to_hex(prepared_key(7)), "--socket", socket});
    CHECK(nothing.status == 0);
    CHECK_THAT(nothing.output, Contains("0 samples") && Contains("nothing is kept of instance"));
    const auto unknown = run_tool({"purge", "rt/nap", "--socket", socket});
    CHECK(unknown.status == 69);
    CHECK_THAT(unknown.output, Contains("no such topic") && !Contains("is durabilityd running?"));
    const auto elsewhere = run_tool({"purge", "rt/map", "-d", "5", "--socket", socket});
    CHECK(elsewhere.status == 69);
    CHECK_THAT(elsewhere.output, Contains("this daemon serves domain 0"));

    // A store that a daemon uses is not touched from outside.
    const auto outside = run_tool({"purge", "rt/map", "--state-dir", house.path("state")});
    CHECK(outside.status == 75);
    CHECK_THAT(outside.output,
               Contains(house.path("state/0")) && Contains(std::to_string(daemon->pid())) &&
                   Contains("leave out --state-dir"));

    daemon->kill(SIGKILL);
    CHECK(exit_of(*daemon) == 1'000 + SIGKILL);
    daemon = house.serving();
    CHECK(retained(socket, "rt/map") == 19);
    CHECK(run_tool({"purge", "rt/map", "--socket", socket}).status == 0);
    CHECK(retained(socket, "rt/map") == 0);
}

TEST_CASE("compact gives back what samples that are not kept hold, and says how much") {
    const House house;
    prepare_store(
        house.path("state"), house.path("run"), 0, {"rt/map", false, 2}, 100, false, 4'000);
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving();
    const auto before = control::ask(socket, {control::Command::topics});
    REQUIRE(before.has_value());
    REQUIRE(before->status.domains.at(0).topics.at(0).dead_bytes > 350'000);

    const auto done = run_tool({"compact", "--json", "--progress", "--socket", socket});
    INFO(done.output);
    CHECK(done.status == 0);
    const auto after = control::ask(socket, {control::Command::topics});
    REQUIRE(after.has_value());
    const auto& topic = after->status.domains.at(0).topics.at(0);
    CHECK(topic.dead_bytes == 0);
    CHECK(topic.compacting == 0);
    CHECK(topic.retained_samples == 2);
    CHECK_THAT(done.output,
               Contains("\"given_back_bytes\":" +
                        std::to_string(before->status.domains[0].topics[0].disk_bytes -
                                       topic.disk_bytes)));
    const auto again = run_tool({"compact", "rt/map", "--socket", socket});
    CHECK(again.status == 0);
    CHECK_THAT(again.output, Contains("0 B given back"));
    CHECK(run_tool({"compact", "rt/nap", "--socket", socket}).status == 69);
}

TEST_CASE("a client that leaves before its answer leaves the daemon unharmed") {
    const House house;
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", false, 50}, 10);
    const auto path = house.path("run/control.sock");
    const auto daemon = house.serving();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    for (int i = 0; i < 20; ++i) {
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        REQUIRE(::connect(socket.get(),
                          reinterpret_cast<const sockaddr*>(&address),
                          sizeof address) == 0);
        const std::string line = "{\"command\":\"purge\",\"topic\":\"rt/map\"}\n";
        REQUIRE(::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) > 0);
    }
    // Sixteen clients at once are served; those that have gone make room.
    Result<control::Reply> reply = control::ask(path, {control::Command::topics});
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while ((!reply || reply->status.domains.at(0).topics.at(0).retained_samples > 0) &&
           std::chrono::steady_clock::now() < deadline) {
        reply = control::ask(path, {control::Command::topics});
    }
    REQUIRE(reply.has_value());
    CHECK(reply->status.domains.at(0).topics.at(0).retained_samples == 0);
    daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("status names the sync mode, writers how far each of them is safe") {
    const House house;
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/map", false, 2}, 5);
    const auto file = house.write("d.yaml", "store:\n  sync: interval\n  sync_interval: 100ms\n");
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving({"--config", file});
    CHECK_THAT(
        run_tool({"status", "--socket", socket}).output,
        Contains("sync interval 100ms") && Contains("0 samples received and not yet synced"));
    CHECK_THAT(run_tool({"status", "--json", "--socket", socket}).output,
               Contains("\"sync\":\"interval\",\"sync_interval_ns\":100000000"));
    CHECK_THAT(run_tool({"writers", "--json", "--socket", socket}).output,
               Contains("\"received\":5,\"appended\":5,\"synced\":5,\"committed\":5"));
    CHECK_THAT(run_tool({"writers", "--socket", socket}).output,
               Contains("RECEIVED") && Contains("APPENDED") && Contains("SYNCED"));
}

TEST_CASE("explain tells what is kept of a topic, and under which rule") {
    const House house;
    PreparedTopic map{"rt/map", true, 50, "left"};
    map.described = true;
    prepare_store(house.path("state"), house.path("run"), 0, map, 4, false, 16);
    prepare_store(house.path("state"), house.path("run"), 0, {"rt/secret"}, 2);
    const auto file = house.write(
        "d.yaml", "topics:\n  - { topic: rt/secret, serve: never }\n  - topic: rt/m*\n");
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving({"--config", file});

    const auto one = run_tool({"explain", "rt/map", "--socket", socket});
    INFO(one.output);
    CHECK(one.status == 0);
    CHECK_THAT(one.output,
               Contains("rt/map (/map in ROS) in domain 0\n") &&
                   Contains("served: PERSISTENT, type Map") && Contains("partition \"left\"") &&
                   Contains("4 samples kept (disk)") && Contains("rule " + file + ":3") &&
                   Contains("its description is known") &&
                   Contains("the description of its type") && Contains("No writer is there.") &&
                   Contains("No reader is there."));
    const auto secret = run_tool({"explain", "rt/secret", "-d", "0", "--socket", socket});
    CHECK(secret.status == 0);
    CHECK_THAT(secret.output,
               Contains("stored: PERSISTENT") && Contains("2 samples kept") &&
                   Contains("the rule at " + file + ":2 says serve: never") &&
                   Contains("To do: change that rule"));
    const auto json = run_tool({"explain", "rt/map", "--json", "--socket", socket});
    CHECK_THAT(json.output,
               Contains("{\"explained\":[{\"domain\":0,\"topic\":\"rt/map\",\"groups\":[{") &&
                   Contains("\"state\":\"served\"") && Contains("\"rule\":\"" + file + ":3\""));

    const auto ros = run_tool({"explain", "/map", "--socket", socket});
    CHECK(ros.status == 0);
    CHECK_THAT(ros.output,
               Contains("rt/map is taken, which is /map in ROS\n") &&
                   Contains("rt/map (/map in ROS) in domain 0\n"));
    const auto near = run_tool({"explain", "/mep", "--socket", socket});
    CHECK(near.status == 69);
    CHECK_THAT(near.output,
               Contains("explain /mep: nobody writes or reads such a topic") &&
                   Contains("did you mean rt/map?") && !Contains("is durabilityd running?"));
    CHECK_THAT(run_tool({"explain", "wide_of_the_mark", "--socket", socket}).output,
               Contains("nothing of it is kept") && !Contains("did you mean"));
    CHECK(run_tool({"explain", "rt/map", "-d", "9", "--socket", socket}).status == 69);
    CHECK_THAT(run_tool({"readers", "rt/map", "--socket", socket}).output,
               Contains("'durabilityctl explain rt/map' says why"));
}
