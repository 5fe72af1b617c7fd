// The server of the control socket: answers that come later, too late, or never.
#include "daemon/control_server.hpp"

#include "base/unique_fd.hpp"
#include "control/client.hpp"
#include "net/asio.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>

#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// A server on a loop of its own that keeps every answer until the test gives it.
class Server {
  public:
    explicit Server(std::chrono::milliseconds patience)
        : Server(ControlServer::Times{patience, 30s}) {}
    explicit Server(ControlServer::Times times) {
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-server-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        auto opened = ControlServer::open(
            context_,
            path(),
            [this](const control::Request&, ControlServer::Answer answer) {
                const std::lock_guard lock(mutex_);
                held_.push_back(std::move(answer));
                arrived_.notify_all();
            },
            times);
        if (!opened) FAIL(opened.error().text());
        server_ = *std::move(opened);
        loop_ = std::thread([this] { context_.run(); });
    }
    ~Server() {
        boost::asio::post(context_, [this] { server_->close(); });
        busy_.reset();
        context_.stop();
        loop_.join();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    [[nodiscard]] std::string path() const { return folder_ / "control.sock"; }

    // Waits until so many requests have come.
    void wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        REQUIRE(arrived_.wait_for(lock, 20s, [&] { return held_.size() >= count; }));
    }
    // Gives an answer on the loop and waits until that was done.
    void give(std::size_t index, const std::string& line) {
        std::promise<void> given;
        boost::asio::post(context_, [&] {
            ControlServer::Answer answer;
            {
                const std::lock_guard lock(mutex_);
                answer = held_[index];
            }
            answer(line);
            given.set_value();
        });
        given.get_future().wait();
    }

  private:
    std::filesystem::path folder_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{
        context_.get_executor()};
    std::unique_ptr<ControlServer> server_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<ControlServer::Answer> held_;
    std::thread loop_;
};

// One connection, kept open over several questions.
class Client {
  public:
    explicit Client(const std::string& path)
        : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        REQUIRE(::connect(socket_.get(),
                          reinterpret_cast<const sockaddr*>(&address),
                          sizeof address) == 0);
        const timeval limit{20, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    void say(const std::string& line) {
        REQUIRE(::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) ==
                static_cast<ssize_t>(line.size()));
    }
    std::string hear() {
        std::string line;
        char c = 0;
        while (::recv(socket_.get(), &c, 1, 0) == 1 && c != '\n')
            line += c;
        return line;
    }

  private:
    UniqueFd socket_;
};

const std::string question = "{\"command\":\"status\"}\n";

}  // namespace

TEST_CASE("an answer may come after the handler has returned") {
    Server server(20s);
    Client client(server.path());
    client.say(question);
    server.wait_for(1);
    // Others are served meanwhile.
    Client other(server.path());
    other.say(question);
    server.wait_for(2);
    server.give(1, "second");
    CHECK(other.hear() == "second");
    server.give(0, "first");
    CHECK(client.hear() == "first");
}

TEST_CASE("whoever is not answered in time is told so, and may ask again") {
    Server server(30ms);
    Client client(server.path());
    client.say(question);
    const auto reply = control::decode_reply(client.hear());
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().code == Errc::unavailable);
    CHECK_THAT(reply.error().text(), Contains("did not answer in time"));
    // The late answer is for nobody, also while the next question waits.
    client.say("{\"command\":\"launch\"}\n");
    CHECK_THAT(client.hear(), Contains("unknown command launch"));
    server.give(0, "late");
    client.say("{\"command\":\"launch\"}\n");
    CHECK_THAT(client.hear(), Contains("unknown command launch"));
}

TEST_CASE("an answer to a client that has gone, and a second answer, do no harm") {
    Server server(20s);
    {
        Client client(server.path());
        client.say(question);
        server.wait_for(1);
    }
    server.give(0, std::string(1U << 20U, 'x'));
    Client client(server.path());
    client.say(question);
    server.wait_for(2);
    server.give(1, "once");
    server.give(1, "twice");
    server.give(0, "nobody");
    CHECK(client.hear() == "once");
    client.say("{\"command\":\"launch\"}\n");
    CHECK_THAT(client.hear(), Contains("unknown command launch"));
}

TEST_CASE("an answer may outlive the server") {
    ControlServer::Answer kept;
    {
        boost::asio::io_context context;
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-server-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        auto server = ControlServer::open(
            context, name + "/s", [&](const control::Request&, ControlServer::Answer answer) {
                kept = std::move(answer);
            });
        REQUIRE(server.has_value());
        Client client(name + "/s");
        client.say(question);
        while (!kept)
            context.run_one();
        (*server)->close();
        server->reset();
        std::filesystem::remove_all(name);
    }
    kept("nobody");
}
