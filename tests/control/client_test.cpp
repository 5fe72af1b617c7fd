#include "control/client.hpp"

#include "base/unique_fd.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>

using namespace durability;
using namespace durability::control;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// A daemon that gives one answer to whoever asks first.
class OneAnswer {
  public:
    explicit OneAnswer(std::string answer) {
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-ctl-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path().copy(address.sun_path, sizeof address.sun_path - 1);
        listener_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        REQUIRE(::bind(listener_.get(),
                       reinterpret_cast<const sockaddr*>(&address),
                       sizeof address) == 0);
        REQUIRE(::listen(listener_.get(), 1) == 0);
        thread_ = std::thread([this, answer = std::move(answer)] {
            const UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
            char buffer[4'096];
            const auto count = ::recv(client.get(), buffer, sizeof buffer, 0);
            if (count > 0) request_.assign(buffer, static_cast<std::size_t>(count));
            std::string_view rest = answer;
            while (!rest.empty()) {
                const auto sent = ::send(client.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
                if (sent <= 0) return;
                rest.remove_prefix(static_cast<std::size_t>(sent));
            }
            // Without an answer the client is kept waiting until it leaves by itself.
            if (answer.empty()) std::ignore = ::recv(client.get(), buffer, sizeof buffer, 0);
        });
    }
    ~OneAnswer() {
        join();
        std::filesystem::remove_all(folder_);
    }
    OneAnswer(const OneAnswer&) = delete;
    OneAnswer& operator=(const OneAnswer&) = delete;
    [[nodiscard]] std::string path() const { return folder_ / "control.sock"; }
    void join() {
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] const std::string& request() const { return request_; }

  private:
    std::filesystem::path folder_;
    UniqueFd listener_;
    std::string request_;
    std::thread thread_;
};

}  // namespace

TEST_CASE("the client asks in one line and reads one line") {
    ServiceStatus status;
    status.pid = 17;
    OneAnswer daemon(encode_reply(encode_data(Command::topics, status)) + "\n");
    const auto reply = ask(daemon.path(), Request{Command::topics, false});
    REQUIRE(reply.has_value());
    CHECK(reply->status.pid == 17);
    daemon.join();
    CHECK(daemon.request() == "{\"version\":1,\"command\":\"topics\"}\n");
}

TEST_CASE("a reply larger than a socket buffer arrives whole") {
    ServiceStatus status;
    status.domains.emplace_back().topics.resize(20'000);
    OneAnswer daemon(encode_reply(encode_data(Command::topics, status)) + "\n");
    const auto reply = ask(daemon.path(), Request{Command::topics, false});
    REQUIRE(reply.has_value());
    CHECK(reply->status.domains.at(0).topics.size() == 20'000);
}

TEST_CASE("without a daemon the client says so") {
    const auto reply = ask("/nonexistent/control.sock", Request{});
    REQUIRE_FALSE(reply.has_value());
    CHECK(exit_status(reply.error().code) == 69);
    CHECK(reply.error().text() == "connect /nonexistent/control.sock: no daemon listens there");
}

TEST_CASE("a path that fits no socket address is refused") {
    const auto reply = ask("/" + std::string(200, 'x'), Request{});
    REQUIRE_FALSE(reply.has_value());
    CHECK_THAT(reply.error().text(), Contains("longer than 107 bytes"));
}

TEST_CASE("a daemon that closes without an answer is reported") {
    OneAnswer daemon("{\"version\":1");
    const auto reply = ask(daemon.path(), Request{});
    REQUIRE_FALSE(reply.has_value());
    CHECK_THAT(reply.error().text(), Contains("closed the connection"));
}

TEST_CASE("a daemon that does not answer is given up on") {
    OneAnswer daemon("");
    const auto reply = ask(daemon.path(), Request{}, 50ms);
    REQUIRE_FALSE(reply.has_value());
    CHECK_THAT(reply.error().text(), Contains("no answer in time"));
}
