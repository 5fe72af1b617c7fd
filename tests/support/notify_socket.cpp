#include "support/notify_socket.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace durability::test {
namespace {

bool has_line(std::string_view message, std::string_view line) {
    for (std::size_t at = 0; at < message.size();) {
        if (message.substr(at).starts_with(line)) return true;
        const std::size_t end = message.find('\n', at);
        if (end == std::string_view::npos) return false;
        at = end + 1;
    }
    return false;
}

}  // namespace

NotifySocket::NotifySocket(std::string path)
    : path_(std::move(path)),
      socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    if (!socket_ ||
        ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::system_error(errno, std::generic_category(), "notify socket " + path_);
    }
}

bool NotifySocket::receive(std::chrono::milliseconds timeout) {
    pollfd wanted{socket_.get(), POLLIN, 0};
    if (::poll(&wanted, 1, static_cast<int>(timeout.count())) <= 0) return false;
    char buffer[4'096];
    const auto count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (count < 0) return false;
    messages_.emplace_back(buffer, static_cast<std::size_t>(count));
    return true;
}

std::string NotifySocket::wait(std::string_view line, std::chrono::milliseconds timeout) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + timeout;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        if (left.count() < 0 || !receive(left)) return {};
        if (has_line(messages_.back(), line)) return messages_.back();
    }
}

void NotifySocket::drain() {
    while (receive(std::chrono::milliseconds{0})) {
    }
}

}  // namespace durability::test
