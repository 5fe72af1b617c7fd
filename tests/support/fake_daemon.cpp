#include "support/fake_daemon.hpp"

#include "base/unique_fd.hpp"

#include <catch2/catch.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace durability::test {
namespace {

// A question, and then its answer; a client that takes too long is left.
void talk(int client, const FakeDaemon::Answer& answer) {
    const timeval limit{5, 0};
    ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    std::string line;
    for (char c = 0; ::recv(client, &c, 1, 0) == 1 && c != '\n';)
        line += c;
    const auto request = control::decode_request(line);
    const std::string reply =
        (request ? answer(*request) : control::encode_reply(request.error())) + "\n";
    std::ignore = ::send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
}

}  // namespace

FakeDaemon::FakeDaemon(Answer answer, const std::string& socket) : answer_(std::move(answer)) {
    std::string name = (std::filesystem::temp_directory_path() / "durability-fake-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    path_ = socket.empty() ? (folder_ / "control.sock").string() : socket;
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 16) == 0);
    thread_ = std::thread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
    ending_ = true;
    thread_.join();
    ::close(listener_);
    ::unlink(path_.c_str());
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void FakeDaemon::serve() const {
    while (!ending_) {
        pollfd poll{listener_, POLLIN, 0};
        if (::poll(&poll, 1, 50) != 1) continue;
        const UniqueFd client(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
        if (client) talk(client.get(), answer_);
    }
}

}  // namespace durability::test
