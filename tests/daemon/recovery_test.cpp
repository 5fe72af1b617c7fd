// The start on a store that holds something, as a service manager and an operator see it.
#include "house.hpp"

#include "base/unique_fd.hpp"
#include "store/layout.hpp"
#include "store/log_format.hpp"
#include "support/prepared_store.hpp"

#include <array>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace durability;
using namespace durability::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

// The socket that a service manager listens on (sd_notify(3)).
class NotifySocket {
  public:
    explicit NotifySocket(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        REQUIRE(path.size() < sizeof(address.sun_path));
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        REQUIRE(::bind(socket_.get(),
                       reinterpret_cast<const sockaddr*>(&address),
                       sizeof(address)) == 0);
    }
    // Everything up to and including the message that has `last` in it.
    std::vector<std::string> until(const std::string& last) {
        std::vector<std::string> messages;
        while (messages.empty() || messages.back().find(last) == std::string::npos) {
            pollfd waiting{socket_.get(), POLLIN, 0};
            const auto limit = std::chrono::milliseconds(patience).count();
            REQUIRE(::poll(&waiting, 1, static_cast<int>(limit)) == 1);
            std::array<char, 1024> text{};
            const ssize_t got = ::recv(socket_.get(), text.data(), text.size(), 0);
            REQUIRE(got > 0);
            messages.emplace_back(text.data(), static_cast<std::size_t>(got));
        }
        return messages;
    }

  private:
    UniqueFd socket_;
};

bool any_has(const std::vector<std::string>& messages, const std::string& part) {
    for (const std::string& message : messages) {
        if (message.find(part) != std::string::npos) return true;
    }
    return false;
}

std::string first_log(const std::string& directory) {
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (store::parse_log_name(entry.path().filename().string())) return entry.path().string();
    }
    FAIL("no log in " << directory);
    return {};
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a service manager is told how far the start is, and given time, until it is ready") {
    const House house;
    for (const char* topic : {"rt/a", "rt/b", "rt/c"})
        prepare_store(house.path("state"), house.path("run"), 0, {topic}, 20, true);
    NotifySocket manager(house.path("notify"));
    const auto daemon = house.launch({}, {"NOTIFY_SOCKET=" + house.path("notify")});
    const auto messages = manager.until("READY=1");
    for (const char* step : {"1 of 3 topics read", "2 of 3 topics read", "3 of 3 topics read"})
        CHECK(any_has(messages, std::string("STATUS=domain 0: ") + step));
    CHECK(any_has(messages, "EXTEND_TIMEOUT_USEC="));
    daemon->kill(SIGTERM);
    manager.until("STOPPING=1");
    CHECK(exit_of(*daemon) == 0);
}

TEST_CASE("a log of a newer version stops the start with a status of its own, and stays as it is") {
    const House house;
    for (const char* topic : {"rt/a", "rt/b"})
        prepare_store(house.path("state"), house.path("run"), 0, {topic}, 5);
    const std::string log = first_log(house.path("state/0"));
    const std::string before = content_of(log);
    SECTION("its header says so") {
        store::FileHeader header;
        header.version = store::format_version + 1;
        Buffer bytes;
        store::encode_file_header(header, bytes);
        std::string newer = before;
        std::copy(bytes.begin(), bytes.end(), newer.begin());
        std::ofstream(log, std::ios::binary) << newer;
    }
    SECTION("a frame says so") {
        Buffer frame;
        store::encode_frame(static_cast<store::FrameKind>(99), 0, Buffer(8, 1), frame);
        std::ofstream(log, std::ios::binary | std::ios::app)
            .write(reinterpret_cast<const char*>(frame.data()),
                   static_cast<std::streamsize>(frame.size()));
    }
    const std::string newer = content_of(log);
    const auto daemon = house.launch();
    CHECK(exit_of(*daemon) == 65);
    CHECK_THAT(daemon->output(), Contains(log));
    CHECK_THAT(daemon->output(), !Contains("event=Ready"));
    CHECK(content_of(log) == newer);
}
