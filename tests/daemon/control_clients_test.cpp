// Slow and hostile clients of the control socket: whoever asks properly is answered all the same.
#include "base/unique_fd.hpp"
#include "control/client.hpp"
#include "daemon/control_server.hpp"
#include "net/asio.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace durability;
using namespace durability::daemon;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr auto patience = 30s;

// A server on a loop of its own that answers every question at once, with so many octets.
class Server {
  public:
    Server(std::size_t size, ControlServer::Times times) {
        std::string name =
            (std::filesystem::temp_directory_path() / "durability-clients-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        auto opened = ControlServer::open(
            context_,
            path(),
            [this, size](const control::Request&, const ControlServer::Answer& answer) {
                ++answered;
                answer(control::encode_reply("{\"text\":\"" + std::string(size, 'x') + "\"}"));
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
    [[nodiscard]] std::string path() const { return (folder_ / "control.sock").string(); }
    std::atomic<std::uint64_t> answered{0};

  private:
    std::filesystem::path folder_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{
        context_.get_executor()};
    std::unique_ptr<ControlServer> server_;
    std::thread loop_;
};

UniqueFd connected(const std::string& path, int flags = 0) {
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (!socket ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return {};
    }
    const timeval limit{30, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return socket;
}

void say(const UniqueFd& socket, std::string_view text) {
    std::ignore = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

// What comes until the server closes the connection.
std::string all_of(const UniqueFd& socket) {
    std::string text;
    char buffer[65'536];
    for (ssize_t count = 0; (count = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0;)
        text.append(buffer, static_cast<std::size_t>(count));
    return text;
}

// A question of somebody who does nothing wrong; again while others hold the places.
bool is_answered(const std::string& path) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < until) {
        if (control::ask(path, control::Request{}, patience)) return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

constexpr std::string_view question = "{\"command\":\"status\"}\n";

}  // namespace

TEST_CASE("a client that says nothing is let go, and others are answered meanwhile") {
    const Server server(10, {30s, 300ms});
    const UniqueFd silent = connected(server.path());
    REQUIRE(silent);
    CHECK(is_answered(server.path()));
    CHECK(all_of(silent).empty());
}

TEST_CASE("a client that sends an octet at a time gets no more time for its question") {
    const Server server(10, {30s, 300ms});
    const UniqueFd slow = connected(server.path());
    REQUIRE(slow);
    bool closed = false;
    for (int i = 0; i < 3'000 && !closed; ++i) {
        say(slow, " ");
        char c = 0;
        closed = ::recv(slow.get(), &c, 1, MSG_DONTWAIT) == 0;
        std::this_thread::sleep_for(10ms);
    }
    CHECK(closed);
    CHECK(is_answered(server.path()));
    // One whose question is whole in time is answered, however it came.
    const UniqueFd patient = connected(server.path());
    for (const char c : question)
        say(patient, std::string_view(&c, 1));
    CHECK_THAT(all_of(patient), Contains("\"ok\":true"));
}

TEST_CASE("clients that never read a large reply are let go, and hold up nobody") {
    const Server server(4U << 20U, {30s, 1s});
    std::vector<UniqueFd> deaf;
    for (int i = 0; i < 4; ++i) {
        deaf.push_back(connected(server.path()));
        REQUIRE(deaf.back());
        say(deaf.back(), question);
    }
    CHECK(is_answered(server.path()));
    for (const UniqueFd& one : deaf) {
        // The server gives up, with nobody having read a word.
        pollfd closed{one.get(), 0, 0};
        REQUIRE(::poll(&closed, 1, static_cast<int>(patience / 1ms)) == 1);
        CHECK(all_of(one).size() < (4U << 20U));
    }
}

TEST_CASE("a thousand connections leave room for a proper question") {
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlimit wanted = limit;
    wanted.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4'096);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &wanted) == 0);
    {
        const Server server(10, {30s, 2s});
        std::vector<UniqueFd> many;
        const auto until = std::chrono::steady_clock::now() + patience;
        while (many.size() < 1'000 && std::chrono::steady_clock::now() < until) {
            // A full queue refuses; the server empties it.
            UniqueFd one = connected(server.path(), SOCK_NONBLOCK);
            if (one) {
                many.push_back(std::move(one));
            } else {
                std::this_thread::sleep_for(1ms);
            }
        }
        CHECK(many.size() == 1'000);
        // Sixteen of them are served, and let go when they say nothing; the rest was turned away.
        CHECK(is_answered(server.path()));
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

TEST_CASE("whatever is sent, the server answers with an error or ends the connection") {
    const Server server(10, {30s, 5s});
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::string garbage;
        for (std::size_t length = random() % 300; length > 0; --length)
            garbage += static_cast<char>(random() % 256);
        const UniqueFd client = connected(server.path());
        REQUIRE(client);
        say(client, garbage + "\n");
        ::shutdown(client.get(), SHUT_WR);
        const std::string reply = all_of(client);
        CHECK_THAT(reply, Contains("\"ok\":false"));
    }
    const UniqueFd deep = connected(server.path());
    say(deep, std::string(50'000, '[') + "\n");
    ::shutdown(deep.get(), SHUT_WR);
    CHECK_THAT(all_of(deep), Contains("not JSON") || Contains("JSON object"));
    const UniqueFd longer = connected(server.path());
    say(longer, std::string(100'000, 'x'));
    CHECK_THAT(all_of(longer), Contains("too long"));
    CHECK(is_answered(server.path()));
    CHECK(server.answered > 0);
}

TEST_CASE("impatient clients get no more replies a second than the rate allows") {
    constexpr std::size_t size = 1U << 20U;
    const Server server(size, {30s, 30s});
    std::vector<std::thread> clients;
    std::atomic<bool> enough{false};
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
            while (!enough)
                std::ignore = control::ask(server.path(), control::Request{}, patience);
        });
    }
    std::this_thread::sleep_for(1s);
    enough = true;
    for (std::thread& client : clients)
        client.join();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    // What the rate allows in that time, a quarter of a second in advance, and one on the way for
    // each client.
    const double allowed =
        (seconds + 0.25) * static_cast<double>(ControlServer::reply_rate) / size + 9;
    CHECK(static_cast<double>(server.answered) <= allowed);
    CHECK(server.answered > 0);
}
