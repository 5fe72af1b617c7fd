#include "control/client.hpp"

#include "base/clock.hpp"
#include "base/unique_fd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace durability::control {
namespace {

// Waits until `events` or the deadline; io when it passes.
Status wait_for(int fd, short events, MonoTime deadline, const std::string& path) {
    for (;;) {
        const Duration left = deadline - system_now().mono;
        if (left <= Duration::zero())
            return fail(Errc::io, fmt::format("ask {}: no answer in time", path));
        const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
        pollfd poll{fd, events, 0};
        const int ready =
            ::poll(&poll, 1, static_cast<int>(std::min<std::int64_t>(left_ms, 60'000)));
        if (ready > 0) return {};
        if (ready < 0 && errno != EINTR) return fail(Errc::io, fmt::format("ask {}", path), errno);
    }
}

Result<UniqueFd> connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return fail(
            Errc::invalid_argument,
            fmt::format(
                "connect {}: the path is longer than {} bytes", path, sizeof address.sun_path - 1));
    }
    std::copy(path.begin(), path.end(), std::begin(address.sun_path));
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return fail(Errc::io, "create a socket", errno);
    // Local sockets connect at once or not at all; EAGAIN means that the daemon's queue is full.
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return socket;
    const int reason = errno;
    if (reason == ENOENT || reason == ECONNREFUSED || reason == ENOTDIR) {
        return fail(Errc::unavailable, fmt::format("connect {}: no daemon listens there", path));
    }
    const Errc code = reason == EACCES || reason == EPERM ? Errc::permission : Errc::unavailable;
    return fail(code, fmt::format("connect {}", path), reason);
}

Status send_line(int fd, std::string_view line, MonoTime deadline, const std::string& path) {
    while (!line.empty()) {
        const ssize_t sent = ::send(fd, line.data(), line.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            line.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return fail(Errc::io, fmt::format("ask {}", path), errno);
        if (auto ready = wait_for(fd, POLLOUT, deadline, path); !ready) return ready;
    }
    return {};
}

Result<std::string> receive_line(int fd, MonoTime deadline, const std::string& path) {
    std::string line;
    char buffer[65'536];
    for (;;) {
        const ssize_t count = ::recv(fd, buffer, sizeof buffer, 0);
        if (count > 0) {
            const std::string_view part(buffer, static_cast<std::size_t>(count));
            const auto end = part.find('\n');
            line += part.substr(0, end);
            if (end != std::string_view::npos) return line;
            if (line.size() > largest_reply)
                return fail(Errc::internal, fmt::format("ask {}: the reply is too long", path));
            continue;
        }
        if (count == 0)
            return fail(Errc::unavailable,
                        fmt::format("ask {}: the daemon closed the connection", path));
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return fail(Errc::io, fmt::format("ask {}", path), errno);
        if (auto ready = wait_for(fd, POLLIN, deadline, path); !ready)
            return tl::unexpected(ready.error());
    }
}

}  // namespace

Result<std::string> exchange(const std::string& socket_path,
                             const Request& request,
                             Duration timeout) {
    const MonoTime deadline = after(system_now().mono, timeout);
    const auto socket = connect_to(socket_path);
    if (!socket) return tl::unexpected(socket.error());
    if (auto sent = send_line(socket->get(), encode(request) + "\n", deadline, socket_path);
        !sent) {
        return tl::unexpected(sent.error());
    }
    return receive_line(socket->get(), deadline, socket_path);
}

Result<Reply> ask(const std::string& socket_path, const Request& request, Duration timeout) {
    const auto line = exchange(socket_path, request, timeout);
    if (!line) return tl::unexpected(line.error());
    return decode_reply(*line);
}

}  // namespace durability::control
