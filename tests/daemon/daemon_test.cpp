// The real program from outside: lines, signals, exit status, two on one directory.
#include "house.hpp"

#include "control/client.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

using namespace durability;
using namespace durability::test;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// Runs a daemon that is expected to refuse, and gives its status and output.
std::pair<int, std::string> refused(const House& house, std::vector<std::string> arguments) {
    const auto daemon = house.launch(std::move(arguments));
    const int status = exit_of(*daemon);
    return {status, daemon->output()};
}

}  // namespace

TEST_CASE("the daemon says when it serves and ends with 0 when asked to") {
    for (const int signal : {SIGTERM, SIGINT}) {
        const House house;
        const auto daemon = house.serving();
        daemon->kill(signal);
        CHECK(exit_of(*daemon) == 0);
        CHECK_THAT(daemon->output(), Contains("event=Stopping"));
    }
}

TEST_CASE("a second signal changes nothing") {
    const House house;
    const auto daemon = house.serving();
    for (int i = 0; i < 5; ++i)
        daemon->kill(SIGTERM);
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("a daemon that was killed leaves nothing in the way of its successor") {
    const House house;
    const auto first = house.serving();
    first->kill(SIGKILL);
    CHECK(exit_of(*first) == 1'000 + SIGKILL);
    const auto second = house.serving();
    CHECK(control::ask(house.path("run/control.sock"), {}).has_value());
    second->kill(SIGTERM);
    CHECK(exit_of(*second) == 0);
}

TEST_CASE("a second daemon on a directory refuses at once and names directory and holder") {
    const House house;
    const auto first = house.serving();
    const auto [status, output] = refused(house, {});
    CHECK(status == 75);
    CHECK_THAT(output, Contains(house.path("")) && Contains(std::to_string(first->pid())));
    CHECK(control::ask(house.path("run/control.sock"), {}).has_value());
}

TEST_CASE("a bad command line ends with 64") {
    const House house;
    CHECK(refused(house, {"--no-such-option"}).first == 64);
    CHECK(refused(house, {"stray"}).first == 64);
    const auto [status, output] = refused(house, {"--domain", "999"});
    CHECK(status == 64);
    CHECK_THAT(output, Contains("--domain: 999 is too large; at most 232"));
}

TEST_CASE("a bad configuration ends with 78 and shows the place") {
    const House house;
    const auto file = house.write("d.yaml", "store:\n  sink: commit\n");
    auto [status, output] = refused(house, {"--config", file});
    CHECK(status == 78);
    CHECK_THAT(output,
               Contains(file + ":2:3: error: store: unknown option 'sink'; did you mean 'sync'?"));
    std::tie(status, output) = refused(house, {"--config", house.path("absent.yaml")});
    CHECK(status == 78);
    CHECK_THAT(output, Contains("No such file"));
    CHECK(refused(house, {"--config", file, "--check-config", "--quiet"}).first == 78);
}

TEST_CASE("--check-config prints and starts nothing") {
    const House house;
    const auto daemon = house.launch({"--check-config"});
    CHECK(exit_of(*daemon) == 0);
    CHECK_THAT(daemon->output(),
               Contains("directory: " + house.path("state")) && Contains("# command line"));
    CHECK_FALSE(std::filesystem::exists(house.path("state")));
}

TEST_CASE("a directory that may not be written ends with 77 and is named") {
    const House house;
    REQUIRE(::mkdir(house.path("locked").c_str(), 0500) == 0);
    const std::string state = house.path("locked/state");
    std::vector<std::string> words{
        DURABILITYD_BINARY, "--state-dir", state, "--runtime-dir", house.path("run")};
    // Root may write everywhere, so it gives up the capability that lets it.
    if (::geteuid() == 0)
        words.insert(words.begin(), {"setpriv", "--bounding-set=-dac_override", "--"});
    const std::string program = words.front();
    words.erase(words.begin());
    Process daemon(Launch{program, std::move(words), {}});
    CHECK(exit_of(daemon) == 77);
    CHECK_THAT(daemon.output(), Contains(state));
}

TEST_CASE("the control socket answers and stops the daemon") {
    const House house;
    const auto socket = house.path("run/control.sock");
    const auto daemon = house.serving({"--domain", "7"});
    const auto status = control::ask(socket, {control::Command::status, false});
    if (!status) FAIL(status.error().text());
    CHECK(status->status.pid == daemon->pid());
    REQUIRE(status->status.domains.size() == 1);
    CHECK(status->status.domains[0].domain == 7U);
    struct stat file {};
    REQUIRE(::stat(socket.c_str(), &file) == 0);
    CHECK((file.st_mode & 0777U) == 0660U);
    CHECK(control::ask(socket, {control::Command::events, false}).has_value());
    CHECK(control::ask(socket, {control::Command::stop, true}).has_value());
    CHECK(exit_of(*daemon) == 0);
    CHECK_FALSE(std::filesystem::exists(socket));
}

TEST_CASE("a socket path that is taken by a file is left alone and named") {
    const House house;
    std::filesystem::create_directory(house.path("run"));
    const auto file = house.write("run/control.sock", "mine");
    const auto [status, output] = refused(house, {});
    CHECK(status == 74);
    CHECK_THAT(output, Contains(file));
    CHECK(std::filesystem::file_size(file) == 4);
}
